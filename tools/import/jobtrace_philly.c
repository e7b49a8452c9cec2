/* jobtrace_philly.c - the job trace of Philly, JSON */
#include "import/jobtrace_rows.h"
#include "base/json.h"

/* What the JSON reader found wrong, or `what`, of a value of another kind. */
TOOL_NORETURN static void fail(const jobtrace_reader *r, const json_reader *j, const char *what)
{
    jobtrace_check_end(r->text);
    jobtrace_fail(r, j->line, "%s", j->wrong ? j->wrong : what);
}

static void skip(const jobtrace_reader *r, json_reader *j, json_token token)
{
    if (!json_skip(j, token)) fail(r, j, "");
}

/* Begins the array that is a member's value. */
static void open_array(const jobtrace_reader *r, json_reader *j, const char *what)
{
    if (json_next(j) != JSON_ARRAY) fail(r, j, what);
}

/* A time: 1; 0: there is none. */
static int read_time(const jobtrace_reader *r, json_reader *j, const char *key, double *time_s)
{
    const json_token token = json_next(j);
    if (token == JSON_NULL || (token == JSON_STRING && (json_is(j, "") || json_is(j, "None"))))
        return 0;
    if (token != JSON_STRING) fail(r, j, "a time is not text");
    if (jobtrace_date(j->text, j->length, time_s)) return 1;
    jobtrace_fail(r, j->line, "'%s': '%.*s' is not a time like 2017-10-07 01:11:39", key,
                  (int)(j->length < 40 ? j->length : 40), j->text);
}

/* "detail": [{"ip": ..., "gpus": [...]}, ...]: how many GPUs. */
static uint32_t read_gpus(const jobtrace_reader *r, json_reader *j)
{
    uint32_t gpus = 0;
    json_token token;
    open_array(r, j, "'detail' is not an array");
    while ((token = json_next(j)) == JSON_OBJECT)
        while (json_next(j) == JSON_KEY) {
            if (!json_is(j, "gpus")) {
                skip(r, j, json_next(j));
                continue;
            }
            open_array(r, j, "'gpus' is not an array");
            for (; (token = json_next(j)) != JSON_CLOSE; gpus++) skip(r, j, token);
        }
    if (token != JSON_CLOSE) fail(r, j, "'detail' holds more than objects");
    return gpus;
}

/* One attempt: adds the time that it ran to run_s, and keeps when it started, if it is the
 * first, in wait_s. Has it an end? */
static int read_attempt(const jobtrace_reader *r, json_reader *j, jobtrace_job *job)
{
    double start_s = 0.0, end_s = 0.0;
    int started = 0, ended = 0;
    uint32_t gpus = 0;
    json_token token;
    while ((token = json_next(j)) == JSON_KEY) {
        if (json_is(j, "start_time")) started = read_time(r, j, "start_time", &start_s);
        else if (json_is(j, "end_time")) ended = read_time(r, j, "end_time", &end_s);
        else if (json_is(j, "detail")) gpus = read_gpus(r, j);
        else skip(r, j, json_next(j));
    }
    if (token != JSON_CLOSE) fail(r, j, "");
    if (started && job->wait_s < 0.0) job->wait_s = start_s;
    if (started && ended && end_s > start_s) job->run_s += end_s - start_s;
    if (gpus > job->nodes) job->nodes = gpus;
    return ended;
}

static void read_attempts(const jobtrace_reader *r, json_reader *j, jobtrace_job *job)
{
    json_token token;
    int ended = 1;
    open_array(r, j, "'attempts' is not an array");
    while ((token = json_next(j)) == JSON_OBJECT) ended = read_attempt(r, j, job);
    if (token != JSON_CLOSE) fail(r, j, "'attempts' holds more than objects");
    if (!ended) job->run_s = 0.0;      /* it still ran when the log was taken */
}

/* One job, behind its opening bracket. */
static void read_job(jobtrace_reader *r, json_reader *j)
{
    static const char *const keys[] = {"jobid", "submitted_time", "attempts"};
    enum { NAME = 0, SUBMIT, ATTEMPTS };
    jobtrace_job job = {.line = j->line, .wait_s = -1.0};
    int known = 0, seen[COUNT_OF(keys)] = {0};
    json_token token;
    size_t key;
    while ((token = json_next(j)) == JSON_KEY) {
        for (key = 0; key < COUNT_OF(keys) && !json_is(j, keys[key]); key++) { }
        if (key < COUNT_OF(keys) && seen[key]++)
            jobtrace_fail(r, j->line, "a job has a key twice");
        if (key == NAME) {
            if (json_next(j) != JSON_STRING) fail(r, j, "'jobid' is not text");
            job.name = jobtrace_new_name(r, j->line, "jobid", j->text, j->length);
        } else if (key == SUBMIT) known = read_time(r, j, keys[SUBMIT], &job.submit_s);
        else if (key == ATTEMPTS) read_attempts(r, j, &job);
        else skip(r, j, json_next(j));
    }
    if (token != JSON_CLOSE) fail(r, j, "");
    for (key = 0; key < COUNT_OF(keys); key++)
        if (!seen[key]) jobtrace_fail(r, job.line, "a job has no '%s'", keys[key]);
    if (!known) job.run_s = 0.0;
    job.wait_s = known && job.wait_s >= job.submit_s ? job.wait_s - job.submit_s : -1.0;
    jobtrace_keep(r, &job);
}

void jobtrace_read_philly(jobtrace_reader *r)
{
    json_reader j;
    json_token token;
    json_read_stream(&j, r->text, 0);
    open_array(r, &j, "not an array of jobs");
    while ((token = json_next(&j)) == JSON_OBJECT) read_job(r, &j);
    if (token != JSON_CLOSE) fail(r, &j, "a job is not an object");
    if (json_next(&j) != JSON_END) fail(r, &j, "");
}
