/* test_jobtrace.c - below the readers of job traces: names, JSON, dates; and that no
 * beginning of a trace is read past its end. */
#define _POSIX_C_SOURCE 200809L
#define _DEFAULT_SOURCE                /* timegm */

#include "test.h"
#include "trial.h"
#include "base/json.h"
#include "import/jobtrace_rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- Names ----------------------------------------------------------------- */

TEST(names_are_numbered_once)
{
    enum { NAMES = 5000 };
    name_index names = {0};
    char text[32];
    size_t number = 0, i;
    CHECK(names_find(&names, "x") == 0);
    for (int round = 0; round < 2; round++)
        for (i = 0; i < NAMES; i++) {
            snprintf(text, sizeof text, "job %lu", (unsigned long)(i * i));
            CHECK(names_add(&names, text, strlen(text), &number) ==
                  (round == 0 ? NAMES_NEW : NAMES_KNOWN));
            CHECK(number == i);
        }
    CHECK(names.count == NAMES);
    CHECK_TEXT(names_text(&names, 70), "job 4900");
    CHECK(names_find(&names, "job 4900") == 70);
    CHECK(names_find(&names, "job 4901") == NAMES);
    CHECK(names_add(&names, "job 49 and more", 6, &number) == NAMES_KNOWN && number == 7);
    CHECK(names_add(&names, "", 0, &number) == NAMES_NEW && number == NAMES);
    names_free(&names);
    CHECK(names.count == 0 && names.text == NULL);
}

/* ---- JSON ------------------------------------------------------------------ */

/* A letter for each token up to the end, or the message behind "line:". The text stands
 * in memory of its own length, so that the sanitizer sees what reads past it. */
static const char *tokens(const char *text, size_t length)
{
    static const char letters[] = "!{[)ksntf0.";
    static char said[256];
    json_reader r;
    json_token token;
    size_t used = 0;
    char *exact = (char *)malloc(length > 0 ? length : 1);
    if (!exact) return "out of memory";
    memcpy(exact, text, length);
    json_read(&r, exact, length);
    do {
        token = json_next(&r);
        if (used < 100) said[used++] = letters[token];
    } while (token != JSON_WRONG && token != JSON_END);
    said[used] = '\0';
    if (token == JSON_WRONG) {
        snprintf(said, sizeof said, "%lu: %s", (unsigned long)r.line, r.wrong);
        if (json_next(&r) != JSON_WRONG) snprintf(said, sizeof said, "goes on");
    }
    free(exact);
    return said;
}

TEST(json_has_its_grammar)
{
    static const struct { const char *text, *said; } cases[] = {
        {"{}", "{)."}, {"[]", "[)."}, {" [ ] \r\n", "[)."}, {"\xEF\xBB\xBF[]", "[)."},
        {"[1,-0,0.5,1e5,-12.25E-3]", "[nnnnn)."}, {"true", "t."}, {"[false,null]", "[f0)."},
        {"{\"a\":1,\"b\":[{}],\"\":\"\"}", "{kn" "k[{))" "ks)."},
        {"\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\xC3\xA9\xF0\x9F\x98\x80\"", "s."},
        {"", "1: the text ends inside a JSON value"}, {"[", "1: the text ends inside"},
        {"[1", "1: a comma or a closing bracket is missing"},
        {"[1 2]", "1: a comma or a closing bracket is missing"},
        {"[1,]", "1: a JSON value is missing"}, {"[,1]", "1: a JSON value is missing"},
        {"\n\n{1:2}", "3: a key of an object is missing"}, {"{\"a\"}", "1: a colon is missing"},
        {"{\"a\":1,}", "1: a key of an object is missing"}, {"[}", "1: a JSON value is missing"},
        {"[]\n]", "2: text follows the end of the JSON value"}, {"1 2", "1: text follows the end"},
        {"01", "1: text follows the end of the JSON value"}, {"-", "1: a JSON value is missing"},
        {"1.", "1: a number has no digits after"}, {"1e", "1: a number has no digits in"},
        {"+1", "1: a JSON value is missing"}, {".5", "1: a JSON value is missing"},
        {"NaN", "1: a JSON value is missing"}, {"nul", "1: a word is not"},
        {"tru", "1: a word is not"}, {"'a'", "1: a JSON value is missing"},
        {"\"a", "1: a string is not closed"}, {"\"\\x\"", "1: a string contains an unknown escape"},
        {"\"\\u12g4\"", "1: a string contains an unknown "
                        "escape"}, {"\"\\", "1: a string contains an unknown escape"},
        {"\"\\u12", "1: a string contains an unknown escape"}, {"\"\n\"",
               "1: a string contains a control character"},
        {"\"\xFF\"", "1: a byte is not UTF-8"}, {"\"\xC3", "1: a byte is not UTF-8"},
        {"\"\xED\xA0\x80\"", "1: a byte is not UTF-8"}, {"// x\n1", "1: a JSON value is missing"}
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const char *said = tokens(cases[i].text, strlen(cases[i].text));
        const size_t length = strlen(cases[i].said);
        if (said[0] < '0' || said[0] > '9') CHECK_TEXT(said, cases[i].said);
        else if (strncmp(said, cases[i].said, length) != 0) CHECK_TEXT(said, cases[i].said);
    }
    CHECK_TEXT(tokens("[\0]", 3), "1: a JSON value is missing or invalid");
    CHECK_TEXT(tokens("\"\\\0\"", 4), "1: a string contains an unknown escape");
}

TEST(json_depth_is_bounded)
{
    char text[2 * JSON_DEPTH + 2];
    memset(text, '[', JSON_DEPTH + 1);
    memset(text + JSON_DEPTH, ']', JSON_DEPTH);
    CHECK(strspn(tokens(text, 2 * JSON_DEPTH), "[).") > JSON_DEPTH);
    memset(text, '[', JSON_DEPTH + 1);
    CHECK_TEXT(tokens(text, JSON_DEPTH + 1), "1: arrays or objects are nested too deeply");
}

TEST(json_skips_values)
{
    static const char text[] = "[{\"a\":[1,{\"b\":[]}],\"c\":2},\"x\",3]";
    json_reader r;
    json_read(&r, text, sizeof text - 1);
    CHECK(json_next(&r) == JSON_ARRAY);
    CHECK(json_skip(&r, json_next(&r)) && r.depth == 1);
    CHECK(json_next(&r) == JSON_STRING && json_is(&r, "x") && !json_is(&r, "xy"));
    CHECK(json_skip(&r, json_next(&r)) && r.length == 1 && *r.text == '3');
    CHECK(!json_skip(&r, json_next(&r)) && r.wrong == NULL);
    CHECK(json_next(&r) == JSON_END);
    json_read(&r, "[[1,2", 5);
    CHECK(json_next(&r) == JSON_ARRAY && !json_skip(&r, json_next(&r)) && r.wrong != NULL);
}

/* ---- Traces ---------------------------------------------------------------- */

typedef struct log_read {
    jobtrace_format  format;
    stream           text;
    jobtrace_options options;
    jobtrace        *trace;
} log_read;

/* What it allocates goes with the trial: the jobs are copied. */
static void read_log(void *ctx)
{
    log_read *log = (log_read *)ctx;
    jobtrace *trace = log->trace;
    jobtrace_job *job;
    jobtrace_read(trace, log->format, &log->text, &log->options);
    job = (jobtrace_job *)malloc((trace->jobs + 1) * sizeof *job);
    if (job && trace->jobs > 0) memcpy(job, trace->job, trace->jobs * sizeof *job);
    if (!job) trace->jobs = 0;
    trace->job = job;
}

/* NULL and the trace, or why there is none. */
static const char *parse(jobtrace *trace, jobtrace_format format, const char *data,
                         size_t length)
{
    static const char speeds[] = "curve,nodes,throughput\nA,2,4\n";
    stream times;
    static char message[2048];
    char spec[][24] = {"submit=s:ms", "duration=d", "nodes=n", "wait=w", "job=#1"};
    jobtrace_columns columns = {0};
    log_read log = {.format = format, .trace = trace};
    size_t i;
    char *exact = (char *)malloc(length > 0 ? length : 1);
    if (!exact) return "out of memory";
    if (length > 0) memcpy(exact, data, length);
    stream_of(&log.text, "trace", exact, length);
    stream_of(&times, "trace", speeds, sizeof speeds - 1);
    for (i = 0; i < COUNT_OF(spec); i++) CHECK(jobtrace_add_column(&columns, spec[i]) == NULL);
    CHECK(jobtrace_columns_miss(&columns) == NULL);
    log.options.columns = &columns;
    log.options.unit = JOBTRACE_WHATEVER;
    if (format == JOBTRACE_GAVEL) log.options.times = &times;
    memset(trace, 0, sizeof *trace);
    const int done = trial(read_log, &log, message, sizeof message);
    free(exact);
    if (!done) {
        CHECK(message[0] != '\0');
        trace->job = NULL;             /* that went with the trial */
    }
    return done ? NULL : message;
}

static void free_trace(jobtrace *trace)
{
    free(trace->job);
    names_free(&trace->names);
}

/* Days apart, across leap days and centuries, as the C library counts them. */
TEST(dates_are_those_of_the_calendar)
{
    static const char row[] = "job_id,gpu_num,submit_time,duration\n"
                              "1,1,1970-01-01 00:00:00,1\n2,1,%s,1\n";
    int64_t seconds;
    for (seconds = 0; seconds < 5000000000; seconds += 86400 * 29 + 3661) {
        char date[32], data[256];
        const time_t at = (time_t)seconds;
        struct tm parts;
        jobtrace trace;
        if ((int64_t)at != seconds) break; /* past what a short time_t can hold */
        gmtime_r(&at, &parts);
        strftime(date, sizeof date, "%Y-%m-%d %H:%M:%S", &parts);
        snprintf(data, sizeof data, row, date);
        CHECK(parse(&trace, JOBTRACE_HELIOS, data, strlen(data)) == NULL);
        CHECK(trace.jobs == 2);
        if (trace.jobs == 2) CHECK_REL(trace.job[1].submit_s, (double)at, 0.0);
        free_trace(&trace);
    }
}

TEST(dates_that_are_none_are_refused)
{
    static const char *const dates[] = {
        "2017-13-01 00:00:00", "2017-00-01 00:00:00", "2017-04-31 00:00:00",
        "2017-01-00 00:00:00", "1900-02-29 00:00:00", "2100-02-29 00:00:00",
        "2017-01-01 24:00:00", "2017-01-01 00:60:00", "2017-01-01 00:00:61",
        "2017-01-01T00:00:00", "2017-01-01 00:00", "1969-12-31 23:59:59", ""
    };
    char data[256];
    for (size_t i = 0; i < COUNT_OF(dates); i++) {
        jobtrace trace;
        snprintf(data, sizeof data, "job_id,gpu_num,submit_time,duration\n1,1,%s,1\n",
                 dates[i]);
        CHECK(parse(&trace, JOBTRACE_HELIOS, data, strlen(data)) != NULL);
        free_trace(&trace);
    }
}

/* Points in time as Slurm, Python and spreadsheets write them. */
TEST(stamps_have_zones_and_parts)
{
    static const struct { const char *text; double seconds; } cases[] = {
        {"1970-01-02", 86400.0}, {"1970-01-01 00:00", 0.0}, {"1970-01-01T01:02", 3720.0},
        {"1970-01-01T01:02:03", 3723.0}, {"1970/01/01 01:02:03", 3723.0},
        {"1970-01-01 01:02:03.25", 3723.25}, {"1970-01-01T01:02:03Z", 3723.0},
        {"1970-01-01 01:02:03 UTC", 3723.0}, {"1970-01-01T03:02:03+02:00", 3723.0},
        {"1970-01-01T03:32:03+0230", 3723.0}, {"1970-01-01T00:02-01", 3720.0},
        {"1970-01-01T01:02:03.5-01:00", 7323.5}
    };
    static const char *const none[] = {
        "", "1", "1970-01-0", "1970-13-01", "1970-01-01T", "1970-01-01T1:02", "1970-01-01_01:02",
        "1970-01-01T01:02:", "1970-01-01T01:02:0", "1970-01-01T01:02:03.", "1970-01-01T01:02:03x",
        "1970-01-01T01:02:03+", "1970-01-01T01:02:03+24:00", "1970-01-01T01:02:03+02:60",
        "1970-01-01T25:02", "1970/01-01 01:02:03", "1970-01-01T01:02:03+02:00x"
    };
    double seconds;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        seconds = -1.0;
        CHECK(jobtrace_stamp(cases[i].text, &seconds));
        CHECK_REL(seconds, cases[i].seconds, 0.0);
    }
    for (size_t i = 0; i < COUNT_OF(none); i++) CHECK(!jobtrace_stamp(none[i], &seconds));
}

TEST(lengths_of_time_have_days)
{
    static const struct { const char *text; double seconds; } cases[] = {
        {"00:00:00", 0.0}, {"01:02:03", 3723.0}, {"100:00:00", 360000.0}, {"02:03", 123.0},
        {"02:03.5", 123.5}, {"1-02:03:04", 93784.0}, {"1-02:03", 93780.0}, {"1-02", 93600.0},
        {"1-02:03:04.25", 93784.25},
        {"0 days 00:10:00", 600.0}, {"1 day, 2:03:04", 93784.0}, {"2 days 00:00:01", 172801.0}
    };
    static const char *const none[] = {
        "", "5", "1-", "1 days 02:03", "01:60:00", "01:02:60", "-01:02:03",
        "01:02:03:04",
        "01:02:", "01:02:03.", "01:02:03 ", "1 day", "1 days", "1 dayx 02:03:04", "1 day, x",
        "1e1:00:00"
    };
    double seconds;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        seconds = -1.0;
        CHECK(jobtrace_clock(cases[i].text, &seconds));
        CHECK_REL(seconds, cases[i].seconds, 0.0);
    }
    for (size_t i = 0; i < COUNT_OF(none); i++) CHECK(!jobtrace_clock(none[i], &seconds));
}

TEST(jobs_are_sorted_and_shifted)
{
    static const char data[] =
        "1 30 0 5 2 0 0 2 0 0 1 0 0 0 0 0 0 0\n2 10 0 6 3 0 0 3 0 0 1 0 0 0 0 0 0 0\n"
        "3 30 0 7 4 0 0 4 0 0 1 0 0 0 0 0 0 0";
    jobtrace trace;
    CHECK(parse(&trace, JOBTRACE_SWF, data, sizeof data - 1) == NULL);
    CHECK(trace.jobs == 3 && trace.names.count == 3);
    if (trace.jobs == 3) {
        CHECK_TEXT(names_text(&trace.names, trace.job[0].name), "2");
        CHECK_TEXT(names_text(&trace.names, trace.job[1].name), "1");
        CHECK_TEXT(names_text(&trace.names, trace.job[2].name), "3");
        CHECK_REL(trace.job[0].submit_s, 0.0, 0.0);
        CHECK_REL(trace.job[2].submit_s, 20.0, 0.0);
        CHECK_REL(trace.job[2].run_s, 7.0, 0.0);
        CHECK(trace.job[2].nodes == 4 && trace.job[2].line == 3);
    }
    free_trace(&trace);
}

/* Differences of times are finite, their order is that of what is left of them, and nodes
 * are counted or refused. */
TEST(numbers_of_any_size_are_ordered_or_refused)
{
    static const char zeros[] = " 0 0 0 0 0 0 0 0 0 0\n";
    static const struct { jobtrace_format format; const char *data, *said; } cases[] = {
        {JOBTRACE_SWF, "1 1e308 0 5 2 0 0 2 0 0 1 0 0 0 0 0 0 0",
         "trace:1: a time is more than 1e+15 s"},
        {JOBTRACE_SWF, "1 -1e16 0 5 2 0 0 2 0 0 1 0 0 0 0 0 0 0",
         "trace:1: a time is more than 1e+15 s"},
        {JOBTRACE_PAI, "a,t,1,Terminated,-1e308,1e308,600,29.5,100,T4",
         "trace:1: a time is more than 1e+15 s"},
        {JOBTRACE_PAI, "a,t,1e300,Terminated,1,2,600,29.5,1e300,T4",
         "trace:1: column 'plan_gpu': inf is too large"}
    };
    jobtrace trace;
    char data[256];
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const char *said = parse(&trace, cases[i].format, cases[i].data,
                                 strlen(cases[i].data));
        CHECK(said != NULL);
        if (said) CHECK_TEXT(said, cases[i].said);
        free_trace(&trace);
    }
    snprintf(data, sizeof data, "1 0.05 0 5 2 0 0 2%s2 0 0 5 2 0 0 2%s3 -1e15 0 5 2 0 0 2%s",
             zeros, zeros, zeros);
    CHECK(parse(&trace, JOBTRACE_SWF, data, strlen(data)) == NULL);
    CHECK(trace.jobs == 3);
    if (trace.jobs == 3)
        CHECK(trace.job[0].line == 3 && trace.job[1].line == 1 && trace.job[2].line == 2);
    free_trace(&trace);
}

/* Every beginning of a good trace is a trace or refused, within its bytes. */
TEST(any_beginning_of_a_trace_is_read_or_refused)
{
    static const struct { jobtrace_format format; const char *data; } cases[] = {
        {JOBTRACE_SWF, ";x\n1 30 0 5 2 0 0 2 0 0 1 0 0 0 0 0 0 0\n2 1 0 6 3 0 0 3 0 0 1 0 0 0 0 "
                       "0 0 0 ; y\n"},
        {JOBTRACE_PHILLY, "[{\"jobid\":\"a\",\"attempts\":[{\"start_time\":\"2017-10-07 01:12:09\","
                          "\"end_time\":\"2017-10-07 01:13:23\",\"detail\":[{\"ip\":\"m\","
                          "\"gpus\":[\"g\"]}]}],\"submitted_time\":\"2017-10-07 01:11:39\"}]"},
        {JOBTRACE_HELIOS, "job_id,gpu_num,submit_time,duration\n1,1,2020-06-09 18:41:01,5\n"},
        {JOBTRACE_PAI, "a,t,2.0,Terminated,1.0,2.0,600,29.5,50.0,T4\n"
                       "b,t,1,Failed,3,4,6,2,100,T4\n"},
        {JOBTRACE_SACCT, "JobID|Submit|Start|End|AllocTRES|State|Timelimit|\r\n7|2026-04-25T13:24|"
                         "2026-04-25T13:58|2026-04-25T14:05:41|cpu=8,gres/gpu:a=2|TIMEOUT|"
                         "1-02:03:04|\r\n7.0|Unknown|None||\"|,|x|\r\n"},
        {JOBTRACE_SIA, "time,num_gpus,gpu_time\n2017-10-07 01:12:09,2,3.5\n"},
        {JOBTRACE_GAVEL, "A\tb \"c\", d\t-n\t1\t100\t3.5\t2\nA\te\t-n\t1\t100\t3.5\t2\n"},
        {JOBTRACE_CSV, "j|s|n|w|d\n\"a|\"\"\"|2020-06-09 18:41:01.5+02:00|0.25|1-02:03:04|5\n"}
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        for (size_t length = 0; length <= strlen(cases[i].data); length++) {
            jobtrace trace;
            const char *said = parse(&trace, cases[i].format, cases[i].data, length);
            if (said) CHECK(strncmp(said, "trace:", 6) == 0);
            if (length == strlen(cases[i].data)) CHECK(said == NULL && trace.jobs > 0);
            free_trace(&trace);
        }
}

TEST_MAIN("test_jobtrace");
