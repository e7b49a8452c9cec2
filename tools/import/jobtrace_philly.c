/* jobtrace_philly.c - the job trace of Philly, JSON */
#include "import/jobtrace_rows.h"
#include "base/json.h"

/* The message: what the JSON reader found wrong, or `what`, of a value of another kind. */
static int philly_wrong(jobtrace_reader *r, const json_reader *j, const char *what)
{
    return jobtrace_wrong(r, j->line, "%s", j->wrong ? j->wrong : what);
}

/* A time, 0 in *known where there is none. */
static int philly_time(jobtrace_reader *r, json_reader *j, const char *key, double *time_s,
                       int *known)
{
    const json_token token = json_next(j);
    *known = 0;
    if (token == JSON_NULL || (token == JSON_STRING && jobtrace_is_none(j->text, j->length)))
        return 1;
    if (token != JSON_STRING) return philly_wrong(r, j, "a time that is no text");
    *known = jobtrace_date(j->text, j->length, time_s);
    if (*known) return 1;
    return jobtrace_wrong(r, j->line, "'%s': '%.*s' is no time like 2017-10-07 01:11:39", key,
                          (int)(j->length < 40 ? j->length : 40), j->text);
}

/* "detail": [{"ip": ..., "gpus": [...]}, ...]: how many GPUs. */
static int philly_gpus(jobtrace_reader *r, json_reader *j, uint32_t *gpus)
{
    json_token token;
    *gpus = 0;
    if (json_next(j) != JSON_ARRAY) return philly_wrong(r, j, "'detail' is no array");
    while ((token = json_next(j)) == JSON_OBJECT)
        while (json_next(j) == JSON_KEY) {
            const int counts = json_is(j, "gpus");
            token = json_next(j);
            if (!counts) {
                if (!json_skip(j, token)) return philly_wrong(r, j, "");
                continue;
            }
            if (token != JSON_ARRAY) return philly_wrong(r, j, "'gpus' is no array");
            while ((token = json_next(j)) != JSON_CLOSE) {
                if (!json_skip(j, token)) return philly_wrong(r, j, "");
                ++*gpus;
            }
        }
    return token == JSON_CLOSE ? 1 : philly_wrong(r, j, "'detail' holds more than objects");
}

/* One attempt: adds the time that it ran to run_s, and keeps when it started, if it is the
 * first, in wait_s; *ended: it has an end. */
static int philly_attempt(jobtrace_reader *r, json_reader *j, jobtrace_job *job, int *ended)
{
    double start_s = 0.0, end_s = 0.0;
    int started = 0;
    uint32_t gpus = 0;
    json_token token;
    *ended = 0;
    while ((token = json_next(j)) == JSON_KEY) {
        if (json_is(j, "start_time")) {
            if (!philly_time(r, j, "start_time", &start_s, &started)) return 0;
        } else if (json_is(j, "end_time")) {
            if (!philly_time(r, j, "end_time", &end_s, ended)) return 0;
        } else if (json_is(j, "detail")) {
            if (!philly_gpus(r, j, &gpus)) return 0;
        } else if (!json_skip(j, json_next(j))) {
            return philly_wrong(r, j, "");
        }
    }
    if (token != JSON_CLOSE) return philly_wrong(r, j, "");
    if (started && job->wait_s < 0.0) job->wait_s = start_s;
    if (started && *ended && end_s > start_s) job->run_s += end_s - start_s;
    if (gpus > job->nodes) job->nodes = gpus;
    return 1;
}

static int philly_attempts(jobtrace_reader *r, json_reader *j, jobtrace_job *job)
{
    json_token token;
    int ended = 1;
    if (json_next(j) != JSON_ARRAY) return philly_wrong(r, j, "'attempts' is no array");
    while ((token = json_next(j)) == JSON_OBJECT)
        if (!philly_attempt(r, j, job, &ended)) return 0;
    if (token != JSON_CLOSE) return philly_wrong(r, j, "'attempts' holds more than objects");
    if (!ended) job->run_s = 0.0;      /* it still ran when the log was taken */
    return 1;
}

/* One job, behind its opening bracket. */
static int philly_job(jobtrace_reader *r, json_reader *j)
{
    enum { NAME = 1, SUBMIT = 2, ATTEMPTS = 4 };
    jobtrace_job job = {0};
    int known = 0, seen = 0;
    json_token token;
    job.line = j->line;
    job.wait_s = -1.0;
    while ((token = json_next(j)) == JSON_KEY) {
        const int key = json_is(j, "jobid") ? NAME : json_is(j, "submitted_time") ? SUBMIT
                      : json_is(j, "attempts") ? ATTEMPTS : 0;
        if (seen & key) return jobtrace_wrong(r, j->line, "a key twice in one job");
        seen |= key;
        if (key == NAME) {
            if (json_next(j) != JSON_STRING) return philly_wrong(r, j, "'jobid' is no text");
            if (!jobtrace_new_name(r, j->line, "jobid", j->text, j->length, &job.name)) return 0;
        } else if (key == SUBMIT) {
            if (!philly_time(r, j, "submitted_time", &job.submit_s, &known)) return 0;
        } else if (key == ATTEMPTS) {
            if (!philly_attempts(r, j, &job)) return 0;
        } else if (!json_skip(j, json_next(j))) {
            return philly_wrong(r, j, "");
        }
    }
    if (token != JSON_CLOSE) return philly_wrong(r, j, "");
    if (!(seen & NAME)) return jobtrace_wrong(r, job.line, "a job without 'jobid'");
    if (!(seen & SUBMIT)) return jobtrace_wrong(r, job.line, "a job without 'submitted_time'");
    if (!(seen & ATTEMPTS)) return jobtrace_wrong(r, job.line, "a job without 'attempts'");
    if (!known) job.run_s = 0.0;
    job.wait_s = known && job.wait_s >= job.submit_s ? job.wait_s - job.submit_s : -1.0;
    return jobtrace_keep(r, &job);
}

int jobtrace_read_philly(jobtrace_reader *r)
{
    json_reader j;
    json_token token;
    json_read(&j, r->text->data, r->text->length);
    if (json_next(&j) != JSON_ARRAY) return philly_wrong(r, &j, "not an array of jobs");
    while ((token = json_next(&j)) == JSON_OBJECT)
        if (!philly_job(r, &j)) return 0;
    if (token != JSON_CLOSE) return philly_wrong(r, &j, "a job that is no object");
    return json_next(&j) == JSON_END ? 1 : philly_wrong(r, &j, "");
}
