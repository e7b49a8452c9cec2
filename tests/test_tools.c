/* test_tools.c - the parts of the program below its commands: text, CSV, arguments,
 * output. */
#define _XOPEN_SOURCE 700              /* fork, pipe, mkdtemp, SIGXFSZ */

#include "test.h"
#include "base/parallel.h"
#include "files/status.h"
#include "base/tool.h"

#include <float.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <dirent.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* What body prints on stderr as it ends the program with EXIT_BAD_INPUT, without the
 * "sgdperf: " in front; "lived" if it does not, "?" on any other end. */
static const char *dying(void (*body)(void))
{
    static char said[512];
    int ends[2], status = 0;
    ssize_t length;
    pid_t child;
    fflush(stdout);                    /* or the child would print it again */
    if (pipe(ends) != 0) return "?";
    child = fork();
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        body();
        _exit(0);
    }
    close(ends[1]);
    length = read(ends[0], said, sizeof said - 1);
    close(ends[0]);
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status)) return "?";
    if (WEXITSTATUS(status) == 0) return "lived";
    said[length > 0 ? length - 1 : 0] = '\0'; /* the line's end */
    return WEXITSTATUS(status) == EXIT_BAD_INPUT && strncmp(said, "sgdperf: ", 9) == 0
         ? said + 9 : "?";
}

/* ---- Numbers --------------------------------------------------------------- */

static const char *wrong_number(const char *text, number_rule rule)
{
    double value = 42.0;
    const char *wrong = number_parse(text, rule, &value);
    if (wrong) CHECK_REL(value, 42.0, 0.0); /* untouched */
    return wrong ? wrong : "ok";
}

TEST(numbers_are_decimal)
{
    static const char *const bad[] = {
        "abc", "0x10", "inf", "-inf", "nan", "infinity", "1,5", "1 ", " 1", "1e", "1e+", ".",
        "-", "+", "--1", "1.2.3", "e5", "1_000", "1f", "\t1", "1e5e5", "\xC2\xA0.1"
    };
    static const struct { const char *text; double value; } good[] = {
        {"0", 0.0}, {"-3", -3.0}, {"+2.5", 2.5}, {".5", 0.5}, {"5.", 5.0}, {"1e3", 1000.0},
        {"1E-3", 0.001}, {"007", 7.0}, {"1e-400", 0.0},
        {"1.7976931348623157e308", 1.7976931348623157e308}
    };
    size_t i;
    for (i = 0; i < COUNT_OF(bad); i++)
        CHECK_TEXT(wrong_number(bad[i], NUMBER_ANY), "is not a number");
    for (i = 0; i < COUNT_OF(good); i++) {
        double value = -1.0;
        CHECK(number_parse(good[i].text, NUMBER_ANY, &value) == NULL);
        CHECK_REL(value, good[i].value, 0.0);
    }
    CHECK_TEXT(wrong_number("", NUMBER_ANY), "is empty");
    CHECK_TEXT(wrong_number("1e309", NUMBER_ANY), "is too large");
    CHECK_TEXT(wrong_number("-1e309", NUMBER_ANY), "is too large");
}

TEST(rules_hold_at_their_edges)
{
    CHECK_TEXT(wrong_number("-1e-9", NUMBER_NON_NEGATIVE), "is negative");
    CHECK_TEXT(wrong_number("0", NUMBER_NON_NEGATIVE), "ok");
    CHECK_TEXT(wrong_number("-0", NUMBER_NON_NEGATIVE), "ok");
    CHECK_TEXT(wrong_number("0", NUMBER_POSITIVE), "is not positive");
    CHECK_TEXT(wrong_number("-1", NUMBER_POSITIVE), "is negative");
    CHECK_TEXT(wrong_number("1e-300", NUMBER_POSITIVE), "ok");
    CHECK_TEXT(wrong_number("0", NUMBER_FRACTION), "ok");
    CHECK_TEXT(wrong_number("1", NUMBER_FRACTION), "ok");
    CHECK_TEXT(wrong_number("1.0000001", NUMBER_FRACTION), "is not between 0 and 1");
    CHECK_TEXT(wrong_number("-0.1", NUMBER_FRACTION), "is not between 0 and 1");
}

TEST(quantities_take_the_suffixes_of_their_unit)
{
    static const struct { const char *text; number_unit unit; double value; } good[] = {
        {"3", UNIT_TIME, 3.0},            {"30ms", UNIT_TIME, 0.030},
        {"7ns", UNIT_TIME, 7e-9},         {"2us", UNIT_TIME, 2e-6},
        {"1.5s", UNIT_TIME, 1.5},         {"2min", UNIT_TIME, 120.0},
        {"1h", UNIT_TIME, 3600.0},        {"2d", UNIT_TIME, 172800.0},
        {"98MB", UNIT_SIZE, 98e6},        {"98", UNIT_SIZE, 98.0},
        {"1kB", UNIT_SIZE, 1e3},          {"1GB", UNIT_SIZE, 1e9},
        {"1KiB", UNIT_SIZE, 1024.0},      {"1MiB", UNIT_SIZE, 1048576.0},
        {"2GiB", UNIT_SIZE, 2147483648.0},{"5B", UNIT_SIZE, 5.0},
        {"10Gbps", UNIT_BANDWIDTH, 1.25e9}, {"1Mbps", UNIT_BANDWIDTH, 125e3},
        {"8kbps", UNIT_BANDWIDTH, 1e3},   {"8bps", UNIT_BANDWIDTH, 1.0},
        {"1GB/s", UNIT_BANDWIDTH, 1e9},   {"2MB/s", UNIT_BANDWIDTH, 2e6},
        {"3kB/s", UNIT_BANDWIDTH, 3e3},   {"4B/s", UNIT_BANDWIDTH, 4.0},
        {"1e3ms", UNIT_TIME, 1.0}
    };
    static const struct { const char *text; number_unit unit; } bad[] = {
        {"3 ms", UNIT_TIME}, {"3MS", UNIT_TIME}, {"3m", UNIT_TIME}, {"3B", UNIT_TIME},
        {"3kb", UNIT_SIZE}, {"3s", UNIT_SIZE}, {"3Gb", UNIT_BANDWIDTH}, {"3GB", UNIT_BANDWIDTH}
    };
    double value = 0.0;
    size_t i;
    for (i = 0; i < COUNT_OF(good); i++) {
        CHECK(number_quantity(good[i].text, good[i].unit, NUMBER_ANY, &value) == NULL);
        CHECK_REL(value, good[i].value, 0.0);
    }
    for (i = 0; i < COUNT_OF(bad); i++) {
        const char *wrong = number_quantity(bad[i].text, bad[i].unit, NUMBER_ANY, &value);
        CHECK(wrong && strncmp(wrong, "has an unknown unit", 19) == 0);
    }
    CHECK_TEXT(number_quantity("ms", UNIT_TIME, NUMBER_ANY, &value), "is not a number");
    CHECK_TEXT(number_quantity("1e308h", UNIT_TIME, NUMBER_ANY, &value), "is too large");
}

TEST(units_behind_numbers_are_seen)
{
    static const char *const with[] = {"1ms", "2.5 GB", "1e3s", "10Gbps", "-3B/s", ".5min"};
    static const char *const without[] = {"", "1", "ms", "1x", "1 m s", "nan", "1.5.2", "x1ms"};
    size_t i;
    for (i = 0; i < COUNT_OF(with); i++) CHECK(number_has_unit(with[i]));
    for (i = 0; i < COUNT_OF(without); i++) CHECK(!number_has_unit(without[i]));
}

TEST(numbers_are_written_briefly_and_read_back)
{
    static const struct { double value; const char *text; } known[] = {
        {0.029, "0.029"}, {0.1 + 0.2, "0.30000000000000004"}, {1e308, "1e+308"}, {3.0, "3"},
        {-0.5, "-0.5"}, {1.7976931348623157e308, "1.7976931348623157e+308"}
    };
    char text[NUMBER_BYTES];
    uint64_t random = 1;
    size_t i;
    for (i = 0; i < COUNT_OF(known); i++)
        CHECK_TEXT(number_write(known[i].value, text), known[i].text);
    for (i = 0; i < 20000; i++) {
        double value, back = 0.0;
        random = random * 6364136223846793005u + 1442695040888963407u;
        memcpy(&value, &random, sizeof value);
        if (!(value >= -DBL_MAX && value <= DBL_MAX)) continue;
        CHECK(number_parse(number_write(value, text), NUMBER_ANY, &back) == NULL);
        CHECK(memcmp(&value, &back, sizeof value) == 0);
    }
}

TEST(whole_numbers_keep_their_range)
{
    uint64_t value = 0;
    CHECK(number_whole("0", 0, 10, &value) == NULL && value == 0);
    CHECK(number_whole("18446744073709551615", 0, UINT64_MAX, &value) == NULL &&
          value == UINT64_MAX);
    CHECK_TEXT(number_whole("18446744073709551616", 0, UINT64_MAX, &value), "is too large");
    CHECK_TEXT(number_whole("99999999999999999999999", 0, UINT64_MAX, &value), "is too large");
    CHECK_TEXT(number_whole("11", 0, 10, &value), "is too large");
    CHECK_TEXT(number_whole("4", 5, 10, &value), "is too small");
    CHECK_TEXT(number_whole("0", 1, 10, &value), "is not a positive whole number");
    CHECK_TEXT(number_whole("-1", 1, 10, &value), "is not a positive whole number");
    CHECK_TEXT(number_whole("1.5", 1, 10, &value), "is not a positive whole number");
    CHECK_TEXT(number_whole("1e2", 0, 10, &value), "is not a whole number");
    CHECK_TEXT(number_whole("", 0, 10, &value), "is empty");
    CHECK(value == UINT64_MAX);
}

/* ---- Words ----------------------------------------------------------------- */

TEST(words_are_found_and_joined)
{
    static const char *const words[] = {"table", "csv", "json"};
    char list[32];
    CHECK(words_find(words, 3, "csv") == 1);
    CHECK(words_find(words, 3, "tab") == 3);
    CHECK_TEXT(words_join(words, 3, list, sizeof list), "table csv json");
    CHECK_TEXT(words_join(words, 3, list, 8), "table c");
    CHECK_TEXT(words_join(words, 0, list, sizeof list), "");
}

TEST(utf8_is_checked)
{
    CHECK(utf8_length("a") == 1);
    CHECK(utf8_length("\xC3\xA9") == 2);
    CHECK(utf8_length("\xE2\x82\xAC") == 3);
    CHECK(utf8_length("\xF0\x9F\x98\x80") == 4);
    CHECK(utf8_length("\x80") == 0);             /* continuation alone */
    CHECK(utf8_length("\xC0\x80") == 0);         /* overlong */
    CHECK(utf8_length("\xE0\x80\x80") == 0);
    CHECK(utf8_length("\xF0\x80\x80\x80") == 0);
    CHECK(utf8_length("\xED\xA0\x80") == 0);     /* surrogate */
    CHECK(utf8_length("\xF4\x90\x80\x80") == 0); /* beyond U+10FFFF */
    CHECK(utf8_length("\xE2\x82") == 0);         /* cut short */
    CHECK(utf8_length("\xF0\x9F\x98") == 0);
}

/* ---- CSV ------------------------------------------------------------------- */

static char message[256];

static int parse(csv_table *t, const char *text, unsigned flags)
{
    message[0] = '\0';
    return csv_parse(t, "f", text, strlen(text), flags, message, sizeof message);
}

/* What is wrong with the text; "ok" if nothing. */
static const char *wrong_csv(const char *text)
{
    csv_table t;
    if (!parse(&t, text, 0)) return message;
    csv_free(&t);
    return "ok";
}

TEST(csv_reads_rows_and_columns)
{
    csv_table t;
    CHECK(parse(&t, "a,b,c\n1,2,3\n4,,6\n", 0));
    CHECK(t.rows == 2 && t.columns == 3 && t.header_line == 1);
    CHECK(csv_column(&t, "b") == 1 && csv_column(&t, "B") == CSV_NONE);
    CHECK_TEXT(csv_text(&t, 1, 2), "6");
    CHECK(csv_is_empty(&t, 1, 1) && !csv_is_empty(&t, 0, 1) && csv_is_empty(&t, 0, CSV_NONE));
    CHECK(csv_line(&t, 0) == 2 && csv_line(&t, 1) == 3);
    CHECK_REL(csv_number(&t, 0, 1, NUMBER_ANY), 2.0, 0.0);
    CHECK_REL(csv_number_or(&t, 1, 1, NUMBER_POSITIVE, -7.0), -7.0, 0.0);
    CHECK(csv_integer(&t, 1, 0, 4, 4) == 4 && csv_integer_or(&t, 1, 1, 1, 2, 9) == 9);
    csv_free(&t);
}

TEST(csv_unquotes)
{
    csv_table t;
    CHECK(parse(&t, "\"a,1\",\"b\"\"q\"\"\"\n\"x\ny\",\"\"\n\"\r\n\",\"#\"\nlast,9", 0));
    CHECK_TEXT(t.header[0], "a,1");
    CHECK_TEXT(t.header[1], "b\"q\"");
    CHECK_TEXT(csv_text(&t, 0, 0), "x\ny");
    CHECK_TEXT(csv_text(&t, 0, 1), "");
    CHECK_TEXT(csv_text(&t, 1, 0), "\r\n");
    CHECK_TEXT(csv_text(&t, 1, 1), "#");
    CHECK_TEXT(csv_text(&t, 2, 1), "9");
    CHECK(t.rows == 3 && csv_line(&t, 1) == 4 && csv_line(&t, 2) == 6);
    csv_free(&t);
}

TEST(csv_skips_what_is_not_data)
{
    csv_table t;
    CHECK(parse(&t, "\xEF\xBB\xBF# about\r\n\r\n#\r\na,b\r\n# between\r\n\r\n1,2\r\n#end", 0));
    CHECK(t.rows == 1 && t.columns == 2 && t.header_line == 4 && csv_line(&t, 0) == 7);
    CHECK_TEXT(t.header[0], "a");
    CHECK_TEXT(csv_text(&t, 0, 1), "2");
    csv_free(&t);
    CHECK(parse(&t, "a,#b\n1,#2\n", 0)); /* a comment starts its line */
    CHECK_TEXT(csv_text(&t, 0, 1), "#2");
    csv_free(&t);
}

TEST(csv_may_have_no_rows)
{
    csv_table t;
    CHECK(parse(&t, "a,b\n", CSV_ALLOW_EMPTY));
    CHECK(t.rows == 0 && t.columns == 2);
    csv_free(&t);
    CHECK_TEXT(wrong_csv("a,b\n"), "f:2: no rows under the header");
    CHECK_TEXT(wrong_csv("a,b"), "f:1: no rows under the header");
}

TEST(csv_refuses_and_says_where)
{
    CHECK_TEXT(wrong_csv(""), "f:1: no header: the file is empty");
    CHECK_TEXT(wrong_csv("\n#x\n\n"), "f:4: no header: the file is empty");
    CHECK_TEXT(wrong_csv("a,b,a\n1,2,3\n"), "f:1: column 'a' occurs twice");
    CHECK_TEXT(wrong_csv("a,b\n1,2\n1\n"), "f:3: 1 cell in a row, 2 in the header");
    CHECK_TEXT(wrong_csv("a,b\n1,2,3\n"), "f:2: 3 cells in a row, 2 in the header");
    CHECK_TEXT(wrong_csv("a,b\n1,\"2\n3,4\n"), "f:2: a quote is not closed");
    CHECK_TEXT(wrong_csv("a,b\n1,2\"\n"), "f:2: a quote inside an unquoted cell");
    CHECK_TEXT(wrong_csv("a,b\n\"1\"x,2\n"), "f:2: text after a closing quote");
    CHECK_TEXT(wrong_csv("a\r1\r"), "f:1: a carriage return without a line feed");
    CHECK_TEXT(wrong_csv("a\n\x7F\n"), "f:2: byte 0x7f is not text");
    CHECK_TEXT(wrong_csv("a\n1\n\x01\n"), "f:3: byte 0x01 is not text");
    CHECK_TEXT(wrong_csv("a\n\xFF\n"), "f:2: byte 0xff is not UTF-8 text");
}

TEST(csv_refuses_zero_bytes)
{
    csv_table t;
    CHECK(!csv_parse(&t, "f", "a\n1\0\n", 5, 0, message, sizeof message));
    CHECK_TEXT(message, "f:2: byte 0x00 is not text");
    CHECK(!csv_parse(&t, "f", NULL, 0, 0, message, sizeof message));
}

TEST(csv_refuses_every_cut_inside_a_row)
{
    const char *text = "a,b,c\n\"1\n\",2,\"3\"\n";
    const char *last = strrchr(text, '3') - 1;
    csv_table t;
    size_t length;
    for (length = 0; length < strlen(text); length++) {
        const int done = csv_parse(&t, "f", text, length, 0, message, sizeof message);
        /* Whole but for the line's end, or its last cell taken for an empty one. */
        CHECK(done == (length == strlen(text) - 1 || text + length == last));
        if (done) csv_free(&t);
        else CHECK(strncmp(message, "f:", 2) == 0);
    }
}

TEST(csv_finds_no_repetition_where_one_column_differs)
{
    csv_table t;
    int key[2] = {0, 1};
    CHECK(parse(&t, "a,b\nx,1\nx,2\ny,1\n", 0));
    csv_unique(&t, key, 2);            /* would end the program */
    csv_free(&t);
}

TEST(csv_holds_many_rows)
{
    const size_t rows = 5000;
    char *text = (char *)malloc(rows * 16 + 16), *p = text;
    csv_table t;
    size_t i;
    if (!text) { CHECK(text != NULL); return; }
    p += sprintf(p, "i,j\n");
    for (i = 0; i < rows; i++)
        p += sprintf(p, "%lu,%lu\n", (unsigned long)i, (unsigned long)(2 * i));
    CHECK(parse(&t, text, 0));
    free(text);
    CHECK(t.rows == rows);
    for (i = 0; i < rows; i++) CHECK(csv_integer(&t, i, 1, 0, 2 * rows) == 2 * i);
    csv_free(&t);
}

static csv_table cells;

static void read_negative(void) { csv_number(&cells, 0, 0, NUMBER_NON_NEGATIVE); }
static void read_text(void) { csv_number(&cells, 0, 1, NUMBER_ANY); }
static void read_empty(void) { csv_number(&cells, 0, 2, NUMBER_ANY); }
static void read_large(void) { csv_integer(&cells, 1, 0, 0, 6); }
static void read_word(void)
{
    static const char *const words[] = {"fit", "score"};
    csv_choice(&cells, 0, 1, words, 2);
}
static void read_missing(void) { csv_require(&cells, "x"); }
static void read_pair(void)
{
    const int pair[2] = {0, 2};
    csv_unique(&cells, pair, 2);
}
static void read_own(void) { csv_fail(&cells, 2, CSV_NONE, "%d is odd", 3); }

TEST(csv_failures_name_place_and_value)
{
    CHECK(parse(&cells, "n,t,e\n-3,a\tb,\n7,,\n7,x,\n", 0));
    CHECK_TEXT(dying(read_negative), "f:2: column 'n': -3 is negative");
    CHECK_TEXT(dying(read_text), "f:2: column 't': 'a?b' is not a number");
    CHECK_TEXT(dying(read_empty), "f:2: column 'e': the cell is empty");
    CHECK_TEXT(dying(read_large), "f:3: column 'n': 7 is too large");
    CHECK_TEXT(dying(read_word), "f:2: column 't': 'a?b' is none of fit score");
    CHECK_TEXT(dying(read_missing), "f:1: no column 'x'");
    CHECK_TEXT(dying(read_pair), "f:4: column 'n': '7' occurs twice, first in line 3");
    CHECK_TEXT(dying(read_own), "f:4: 3 is odd");
    csv_free(&cells);
}

/* ---- Arguments ------------------------------------------------------------- */

static const args_option options[] = {
    {"--mode", ARGS_VALUE}, {"--time", ARGS_VALUE}, {"--count", ARGS_VALUE},
    {"--workers", ARGS_VALUE}, {"--shares", ARGS_VALUE}, {"--names", ARGS_VALUE},
    {"--type", ARGS_REPEAT}, {"--overlap", ARGS_FLAG}
};
static const args_command command = {"help\n", options, COUNT_OF(options), 0, 2};

TEST(arguments_are_taken_apart)
{
    static const char *const modes[] = {"async", "sync"};
    static const char *text[] = {"predict", "--mode", "sync", "a.csv", "--time=5ms", "--type",
                                 "1:2", "--overlap", "--type=3", "-", "--format", "json"};
    char *argv[COUNT_OF(text)];
    args a;
    size_t i;
    for (i = 0; i < COUNT_OF(text); i++) {
        argv[i] = (char *)malloc(16);
        if (argv[i]) strcpy(argv[i], text[i]);
    }
    args_parse(&a, &command, (int)COUNT_OF(text), argv);
    CHECK(a.file_count == 2 && strcmp(a.files[1], "-") == 0);
    CHECK(args_choice(&a, "--mode", modes, 2, 0) == 1);
    CHECK_REL(args_number(&a, "--time", UNIT_TIME, NUMBER_POSITIVE, 0.0), 0.005, 0.0);
    CHECK(args_integer(&a, "--count", 1, 9, 77) == 77);
    CHECK(args_given(&a, "--overlap") && !args_given(&a, "--count"));
    CHECK(args_count(&a, "--type") == 2);
    CHECK_TEXT(args_at(&a, "--type", 1), "3");
    CHECK(args_at(&a, "--type", 2) == NULL);
    CHECK_TEXT(args_text(&a, "--names", "none"), "none");
    CHECK(args_format(&a) == FORMAT_JSON);
    for (i = 0; i < COUNT_OF(text); i++) free(argv[i]);
}

/* Parses one option and its value. */
static args with(char *name, char *value)
{
    static char program[] = "p";
    char *argv[3];
    args a;
    argv[0] = program;
    argv[1] = name;
    argv[2] = value;
    args_parse(&a, &command, 3, argv);
    return a;
}

static char bad_value[64];

static void read_bad_workers(void)
{
    char name[] = "--workers";
    const args a = with(name, bad_value);
    uint32_t *list;
    args_workers(&a, "--workers", &list);
}

static void read_bad_shares(void)
{
    char name[] = "--shares";
    const args a = with(name, bad_value);
    double *list;
    args_numbers(&a, "--shares", UNIT_NONE, NUMBER_FRACTION, &list);
}

static void check_workers(const char *text, const uint32_t *want, size_t count)
{
    char name[] = "--workers", value[32];
    args a;
    uint32_t *list = NULL;
    size_t n, i;
    strcpy(value, text);
    a = with(name, value);
    n = args_workers(&a, "--workers", &list);
    CHECK(n == count);
    for (i = 0; i < n && i < count; i++) CHECK(list[i] == want[i]);
}

TEST(worker_lists_expand)
{
    static const uint32_t one[] = {8}, range[] = {3, 4, 5}, step[] = {1, 5, 9};
    static const uint32_t list[] = {1, 2, 4}, both[] = {1, 2, 4, 5, 6, 10, 12};
    static const uint32_t top[] = {4294967294u, 4294967295u};
    check_workers("8", one, 1);
    check_workers("3-5", range, 3);
    check_workers("1-12:4", step, 3);
    check_workers("1,2,4", list, 3);
    check_workers("1,2,4-6,10-12:2", both, 7);
    check_workers("4294967294-4294967295", top, 2);
}

TEST(bad_lists_are_refused)
{
    static const struct { const char *value, *message; } bad[] = {
        {"0", "--workers: '0' is not a positive whole number"},
        {"", "--workers: '' is empty"},
        {"1,,2", "--workers: '' is empty"},
        {"1-", "--workers: '' is empty"},
        {"-4", "--workers: '' is empty"},
        {"4-1", "--workers: the range 4-1 runs backwards"},
        {"1-8:0", "--workers: '0' is not a positive whole number"},
        {"8:2", "--workers: '8' has a step but is no range"},
        {"1-4-8", "--workers: '4-8' is not a positive whole number"},
        {"1.5", "--workers: '1.5' is not a positive whole number"},
        {"4294967296", "--workers: '4294967296' is too large"},
        {"1-1000001", "--workers: more than 1000000 values"},
        {"1-4294967295", "--workers: more than 1000000 values"},
        {"1-500000,1-500001", "--workers: more than 1000000 values"}
    };
    size_t i;
    for (i = 0; i < COUNT_OF(bad); i++) {
        strcpy(bad_value, bad[i].value);
        CHECK_TEXT(dying(read_bad_workers), bad[i].message);
    }
    strcpy(bad_value, "1-1000000");
    CHECK_TEXT(dying(read_bad_workers), "lived");
    strcpy(bad_value, "0.8,1.2");
    CHECK_TEXT(dying(read_bad_shares), "--shares: '1.2' is not between 0 and 1");
    strcpy(bad_value, "0.8,");
    CHECK_TEXT(dying(read_bad_shares), "--shares: '' is empty");
}

TEST(lists_of_numbers_and_words)
{
    char shares[] = "--shares", values[] = "0.8,.2", names[] = "--names", words[] = "a,,b";
    double *number = NULL;
    char **word = NULL;
    args a = with(shares, values);
    CHECK(args_numbers(&a, "--shares", UNIT_NONE, NUMBER_FRACTION, &number) == 2);
    CHECK_REL(number[0], 0.8, 0.0);
    CHECK_REL(number[1], 0.2, 0.0);
    CHECK(args_words(&a, "--names", &word) == 0);
    a = with(names, words);
    CHECK(args_words(&a, "--names", &word) == 3);
    CHECK_TEXT(word[1], "");
    CHECK_TEXT(word[2], "b");
}

/* ---- Output ---------------------------------------------------------------- */

/* What was written so far, as a string; starts over. */
static const char *written(output *out)
{
    output_print(out, "%c", 0);
    out->length = 0;
    return out->text;
}

TEST(json_nests)
{
    static const double numbers[] = {0.1, 1e300};
    output out = {0};
    json_object(&out, NULL);
    json_string(&out, "a", "x");
    json_array(&out, "b");
    json_end(&out);
    json_array(&out, "c");
    json_integer(&out, NULL, UINT64_MAX);
    json_object(&out, NULL);
    json_end(&out);
    json_null(&out, NULL);
    json_end(&out);
    json_bool(&out, "d", 1);
    json_numbers(&out, "e", numbers, 2);
    json_end(&out);
    CHECK_TEXT(written(&out), "{\"a\":\"x\",\"b\":[],\"c\":[18446744073709551615,{},null],"
                              "\"d\":true,\"e\":[0.10000000000000001,1.0000000000000001e+300]}\n");
}

TEST(json_escapes)
{
    output out = {0};
    json_array(&out, NULL);
    json_string(&out, NULL, "q\" b\\ n\n t\t \x01 \x7F \xC3\xA9 \xFF\xC3");
    json_string(&out, NULL, NULL);
    json_end(&out);
    CHECK_TEXT(written(&out), "[\"q\\\" b\\\\ n\\u000a t\\u0009 \\u0001 \\u007f \xC3\xA9 "
                              "\\ufffd\\ufffd\",null]\n");
}

TEST(nothing_prints_infinity)
{
    static const table_column columns[] = {{"x", 0}, {"y", 0}};
    const double bad[] = {HUGE_VAL, -HUGE_VAL, HUGE_VAL - HUGE_VAL};
    output out = {0};
    result_table *t = table_new(columns, 2);
    size_t i;
    json_numbers(&out, NULL, bad, 3);
    CHECK_TEXT(written(&out), "[null,null,null]\n");
    for (i = 0; i < 3; i++) table_number(t, bad[i]);
    table_empty(t);
    table_print(t, &out, FORMAT_CSV);
    CHECK_TEXT(written(&out), "x,y\n,\n,\n");
    table_print(t, &out, FORMAT_TABLE);
    CHECK_TEXT(written(&out), "x  y\n-  -\n-  -\n");
}

TEST(tables_align_and_csv_quotes)
{
    static const table_column columns[] = {{"name", 0}, {"n", 0}, {"value", 3}};
    output out = {0};
    result_table *t = table_new(columns, 3);
    table_text(t, "a,\"b\"");
    table_integer(t, 1000);
    table_number(t, 1.0 / 3.0);
    table_text(t, "\xC3\xA9");
    table_integer(t, 1);
    table_number(t, 12345.0);
    table_print(t, &out, FORMAT_TABLE);
    CHECK_TEXT(written(&out), "name      n     value\n"
                              "a,\"b\"  1000     0.333\n"
                              "\xC3\xA9         1  1.23e+04\n");
    table_print(t, &out, FORMAT_CSV);
    CHECK_TEXT(written(&out), "name,n,value\n"
                              "\"a,\"\"b\"\"\",1000,0.3333333333333333\n"
                              "\xC3\xA9,1,12345\n");
}

TEST(printed_csv_reads_back)
{
    static const table_column columns[] = {{"a,\"#", 0}, {"b", 0}};
    static const char *const texts[] = {"#x", "two\nlines", "", "\"", "c,d", "e"};
    output out = {0};
    result_table *t = table_new(columns, 2);
    csv_table back;
    size_t i;
    for (i = 0; i < COUNT_OF(texts); i++) table_text(t, texts[i]);
    table_print(t, &out, FORMAT_CSV);
    CHECK(parse(&back, written(&out), 0));
    CHECK_TEXT(back.header[0], "a,\"#");
    for (i = 0; i < COUNT_OF(texts); i++)
        CHECK_TEXT(csv_text(&back, i / 2, (int)(i % 2)), texts[i]);
    csv_free(&back);
}

TEST(long_text_is_kept)
{
    char text[1000];
    output out = {0};
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    output_print(&out, "<%s>", text);
    CHECK(strlen(written(&out)) == sizeof text + 1);
}

static void fail_long(void) { tool_fail("%2000s|\n", "x"); }
static void ask_too_much(void) { tool_alloc((size_t)-1 / 2, 4); }
static void ask_for_all(void) { tool_alloc((size_t)-1, 1); }
static void check_refusal(void) { tool_check(SGDP_OVER_BUDGET, "net.csv"); }

TEST(failing_takes_one_line)
{
    const char *said = dying(fail_long);
    CHECK(strlen(said) > 400 && !strchr(said, '\n'));
    CHECK_TEXT(dying(ask_too_much), "out of memory");
    CHECK_TEXT(dying(ask_for_all), "out of memory");
    CHECK(strncmp(dying(check_refusal), "net.csv: exceeds", 16) == 0);
    CHECK(tool_check(SGDP_OK, "x") == EXIT_DONE);
    CHECK(tool_check(SGDP_NOT_CONVERGED, "x") == EXIT_NOT_REACHED);
    CHECK_TEXT(tool_status_word(SGDP_OK), "ok");
    CHECK_TEXT(tool_status_word(SGDP_NOT_CONVERGED), "not_converged");
}

TEST(memory_grows_and_keeps)
{
    size_t room = 0, i;
    int *list = NULL;
    for (i = 0; i < 1000; i++) {
        if (i == room) list = (int *)tool_grow(list, i, &room, i + 1, sizeof *list);
        list[i] = (int)i;
    }
    for (i = 0; i < 1000; i++) CHECK(list[i] == (int)i);
    CHECK(tool_alloc(0, 8) != NULL);
}

/* ---- Processes ------------------------------------------------------------- */

enum { TASKS = 20, PART = 512 };       /* numbers of a result: 4096 bytes */

static void fill_part(void *ctx, size_t i, void *result)
{
    double *part = (double *)result;
    size_t k;
    for (k = 0; k < PART; k++) part[k] = *(const double *)ctx + (double)(i * PART + k);
}

/* More than a pipe is sure to hold. */
static void fill_both(void *ctx, size_t i, void *result)
{
    fill_part(ctx, 2 * i, result);
    fill_part(ctx, 2 * i + 1, (double *)result + PART);
}

TEST(tasks_give_the_same_in_any_number_of_processes)
{
    double first = 0.5, *parts = (double *)tool_alloc(TASKS * PART, sizeof *parts);
    size_t processes, i;
    for (processes = 1; processes <= TASKS + 1; processes += 5) {
        memset(parts, 0, TASKS * PART * sizeof *parts);
        parallel_run(TASKS, processes, fill_part, &first, parts, PART * sizeof *parts, "parts");
        for (i = 0; i < TASKS * PART; i++) CHECK_REL(parts[i], 0.5 + (double)i, 0.0);
    }
    memset(parts, 0, TASKS * PART * sizeof *parts);
    parallel_run(2, 2, fill_both, &first, parts, 2 * PART * sizeof *parts, "parts");
    for (i = 0; i < 4 * PART; i++) CHECK_REL(parts[i], 0.5 + (double)i, 0.0);
    parallel_run(0, 4, fill_part, &first, parts, PART * sizeof *parts, "parts");
    CHECK(parallel_processors() >= 1);
}

/* Task 7 does not end well, the others go on until they are told to stop. */
static void fail_or_wait(void *ctx, size_t i, void *result)
{
    (void)result;
    if (i == 7 && *(const int *)ctx) tool_fail("task %d has bad input", (int)i);
    if (i == 7) raise(SIGKILL);
    if (i > 7) sleep(60);
}
static void run_tasks(int refuse)
{
    char results[TASKS];
    parallel_run(TASKS, 3, fail_or_wait, &refuse, results, 1, "tasks");
}
static void task_refuses(void) { run_tasks(1); }
static void task_is_killed(void) { run_tasks(0); }

TEST(a_task_that_fails_ends_the_program)
{
    alarm(50);
    CHECK_TEXT(dying(task_refuses), "task 7 has bad input");
    CHECK_TEXT(dying(task_is_killed), "a process that did a part of the work ended early");
    alarm(0);
}

/* ---- Files written whole ---------------------------------------------------- */

/* The tests below work in a folder of their own. */
static char home[512];

static void enter_folder(void)
{
    static char folder[] = "/tmp/sgdperf-test-XXXXXX";
    strcpy(folder + sizeof folder - 7, "XXXXXX");
    if (!getcwd(home, sizeof home) || !mkdtemp(folder) || chdir(folder) != 0) abort();
}

/* Removes it; returns how many files were in it. */
static unsigned leave_folder(void)
{
    char folder[512];
    DIR *list = opendir(".");
    const struct dirent *entry;
    unsigned count = 0;
    while (list && (entry = readdir(list)) != NULL)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            count += remove(entry->d_name) == 0;
    if (list) closedir(list);
    if (!getcwd(folder, sizeof folder) || chdir(home) != 0 || rmdir(folder) != 0) abort();
    return count;
}

static void put_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");
    if (!file) abort();
    fputs(text, file);
    fclose(file);
}

/* The first bytes of a file; "?" if it is not there. */
static const char *file_text(const char *path)
{
    static char text[64];
    FILE *file = fopen(path, "rb");
    size_t length;
    if (!file) return "?";
    length = fread(text, 1, sizeof text - 1, file);
    text[length] = '\0';
    fclose(file);
    return text;
}

static void write_whole(const char *path, const char *text)
{
    out_file *out = out_open("--out", path);
    fputs(text, out_stream(out));
    out_commit(out);
}

TEST(a_file_appears_when_it_is_whole)
{
    struct stat about;
    out_file *out;
    enter_folder();
    put_file("old", "before");
    CHECK(chmod("old", 0640) == 0);
    out = out_open("--out", "old");
    fputs("after", out_stream(out));
    fflush(out_stream(out));
    CHECK_TEXT(file_text("old"), "before");
    out_commit(out);
    CHECK_TEXT(file_text("old"), "after");
    CHECK(stat("old", &about) == 0 && (about.st_mode & 0777) == 0640);
    write_whole("new", "first");
    CHECK_TEXT(file_text("new"), "first");
    out_discard(out_open("--out", "new"));
    CHECK_TEXT(file_text("new"), "first");
    CHECK(leave_folder() == 2);
}

TEST(a_link_stays_and_its_file_is_replaced)
{
    struct stat about;
    enter_folder();
    put_file("file", "before");
    CHECK(symlink("file", "link") == 0 && link("file", "other") == 0);
    write_whole("link", "after");
    CHECK_TEXT(file_text("file"), "after");
    CHECK(lstat("link", &about) == 0 && S_ISLNK(about.st_mode));
    CHECK_TEXT(file_text("other"), "before");
    CHECK(leave_folder() == 3);
}

static void read_input(const char *path)
{
    const char *name;
    size_t length;
    free(file_read(path, &name, &length));
}

static const char *out_path;
static void read_then_write(void) { read_input("in"); out_open("--out", out_path); }
static void write_then_read(void) { out_open("--out", out_path); read_input("in"); }
static void write_twice(void) { out_open("--out", "in"); out_open("--more", out_path); }
static void make_twice(void) { out_open("--out", "x"); out_open("--more", "./x"); }

TEST(an_output_that_is_also_an_input_is_refused)
{
    static const char *const paths[] = {"in", "./in", "soft", "hard"};
    char folder[512], other[600], want[700];
    size_t i;
    enter_folder();
    put_file("in", "data");
    CHECK(symlink("in", "soft") == 0 && link("in", "hard") == 0);
    CHECK(getcwd(folder, sizeof folder) != NULL);
    snprintf(other, sizeof other, "%s/in", folder);
    for (i = 0; i <= COUNT_OF(paths); i++) {
        out_path = i < COUNT_OF(paths) ? paths[i] : other;
        snprintf(want, sizeof want, "--out: '%s' is also an input", out_path);
        CHECK_TEXT(dying(read_then_write), want);
        CHECK_TEXT(dying(write_then_read), want);
    }
    out_path = "soft";
    CHECK_TEXT(dying(write_twice), "--more: 'soft' is also the output of --out");
    CHECK_TEXT(dying(make_twice), "--more: './x' is also the output of --out");
    out_path = "new";
    CHECK_TEXT(dying(read_then_write), "lived");
    CHECK_TEXT(file_text("in"), "data");
    remove("new");
    leave_folder();
}

static void open_out(void) { out_open("--out", out_path); }

TEST(what_cannot_be_written_is_refused_at_once)
{
    static const struct { const char *path, *message; } bad[] = {
        {"", "--out: '' cannot be written: No such file or directory"},
        {"-", "--out: '-' names no file"},
        {".", "--out: '.' cannot be written: Is a directory"},
        {"no/file", "--out: 'no/file' cannot be written: No such file or directory"},
        {"file/x", "--out: 'file/x' cannot be written: Not a directory"},
        {"lost", "--out: 'lost' is a link to a file that is not there"}
    };
    size_t i;
    enter_folder();
    put_file("file", "");
    CHECK(symlink("gone", "lost") == 0);
    for (i = 0; i < COUNT_OF(bad); i++) {
        out_path = bad[i].path;
        CHECK_TEXT(dying(open_out), bad[i].message);
    }
    CHECK(leave_folder() == 2);
}

/* Permissions do not bind the superuser. */
static void open_as_user(void)
{
    if (geteuid() == 0 && setuid(65534) != 0) _exit(1);
    open_out();
}

TEST(permissions_are_kept)
{
    enter_folder();
    put_file("file", "before");
    CHECK(chmod("file", 0444) == 0 && chmod(".", 0777) == 0);
    out_path = "file";
    CHECK_TEXT(dying(open_as_user), "--out: 'file' cannot be written: Permission denied");
    CHECK(chmod(".", 0555) == 0);
    out_path = "new";
    CHECK_TEXT(dying(open_as_user), "--out: 'new' cannot be written: Permission denied");
    CHECK(chmod(".", 0755) == 0 && leave_folder() == 1);
}

static void fill_out(out_file *out)
{
    size_t i;
    for (i = 0; i < 100000; i++) fputs("0123456789", out_stream(out));
}
static void exceed_limit(void)
{
    struct rlimit limit;
    out_file *out;
    signal(SIGXFSZ, SIG_IGN);
    limit.rlim_cur = limit.rlim_max = 65536;
    setrlimit(RLIMIT_FSIZE, &limit);
    out = out_open("--out", "file");
    fill_out(out);
    out_commit(out);
}
static void fill_device(void)
{
    out_file *out = out_open("--out", "/dev/full");
    fill_out(out);
    out_commit(out);
}
static void fail_half_way(void)
{
    fill_out(out_open("--out", "file"));
    tool_fail("bad input");
}
static void leave_half_way(void)
{
    fill_out(out_open("--out", "file"));
    exit(EXIT_DONE);
}

TEST(a_run_that_fails_leaves_what_was_there)
{
    enter_folder();
    put_file("file", "before");
    CHECK_TEXT(dying(exceed_limit), "--out: 'file' cannot be written: File too large");
    CHECK_TEXT(dying(fail_half_way), "bad input");
    CHECK_TEXT(dying(leave_half_way), "lived");
    CHECK_TEXT(file_text("file"), "before");
    CHECK(leave_folder() == 1);
    if (access("/dev/full", W_OK) == 0)
        CHECK_TEXT(dying(fill_device), "--out: '/dev/full' cannot be written: "
                                       "No space left on device");
}

/* Ends itself by a signal with a file half written; returns the signal. */
static int end_half_way(int number, int ignored)
{
    int status = 0;
    pid_t child;
    fflush(stdout);
    child = fork();
    if (child == 0) {
        if (ignored) signal(number, SIG_IGN);
        fill_out(out_open("--out", "file"));
        raise(number);
        _exit(0);
    }
    if (child < 0 || waitpid(child, &status, 0) != child) return -1;
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

TEST(a_run_that_is_ended_leaves_what_was_there)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGQUIT, SIGXFSZ};
    struct rlimit none = {0, 0};
    size_t i;
    enter_folder();
    put_file("file", "before");
    setrlimit(RLIMIT_CORE, &none);     /* SIGQUIT would leave a file of its own */
    for (i = 0; i < COUNT_OF(signals); i++) CHECK(end_half_way(signals[i], 0) == signals[i]);
    CHECK_TEXT(file_text("file"), "before");
    CHECK(leave_folder() == 1);
    enter_folder();
    CHECK(end_half_way(SIGHUP, 1) == 0); /* under nohup it goes on */
    leave_folder();
}

/* Task 1 fails, or all end well, beside an output of the parent. */
static void refuse_one(void *ctx, size_t i, void *result)
{
    (void)result;
    if (i == 1 && *(const int *)ctx) tool_fail("bad task");
}
static void write_beside_tasks(int refuse)
{
    char results[4];
    out_file *out = out_open("--out", "file");
    fputs("one,", out_stream(out));
    parallel_run(4, 2, refuse_one, &refuse, results, 1, "tasks");
    fputs("two", out_stream(out));
    out_commit(out);
}
static void write_beside_good_tasks(void) { write_beside_tasks(0); }
static void write_beside_a_bad_task(void) { write_beside_tasks(1); }

TEST(processes_leave_the_outputs_of_their_parent)
{
    enter_folder();
    CHECK_TEXT(dying(write_beside_good_tasks), "lived");
    CHECK_TEXT(file_text("file"), "one,two");
    CHECK_TEXT(dying(write_beside_a_bad_task), "bad task");
    CHECK_TEXT(file_text("file"), "one,two");
    CHECK(leave_folder() == 1);
}

/* With standard output in a file, /dev/stdout goes on where it stands. */
static void write_to_stdout(void)
{
    if (!freopen("all", "wb", stdout)) abort();
    printf("a");
    fflush(stdout);
    write_whole("/dev/stdout", "b");
    printf("c");
    fflush(stdout);
}

TEST(devices_and_pipes_are_written_directly)
{
    int status = 0;
    pid_t child;
    enter_folder();
    write_whole("/dev/null", "x");
    read_input("/dev/null");
    write_whole("/dev/null", "x");
    CHECK_TEXT(dying(write_to_stdout), "lived");
    CHECK_TEXT(file_text("all"), "abc");
    CHECK(mkfifo("pipe", 0600) == 0);
    fflush(stdout);
    child = fork();
    if (child == 0) {
        write_whole("pipe", "through");
        _exit(0);
    }
    CHECK_TEXT(file_text("pipe"), "through");
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    CHECK(leave_folder() == 2);
}

int main(void)
{
    RUN(numbers_are_decimal);
    RUN(rules_hold_at_their_edges);
    RUN(quantities_take_the_suffixes_of_their_unit);
    RUN(units_behind_numbers_are_seen);
    RUN(numbers_are_written_briefly_and_read_back);
    RUN(whole_numbers_keep_their_range);
    RUN(words_are_found_and_joined);
    RUN(utf8_is_checked);
    RUN(csv_reads_rows_and_columns);
    RUN(csv_unquotes);
    RUN(csv_skips_what_is_not_data);
    RUN(csv_may_have_no_rows);
    RUN(csv_refuses_and_says_where);
    RUN(csv_refuses_zero_bytes);
    RUN(csv_refuses_every_cut_inside_a_row);
    RUN(csv_finds_no_repetition_where_one_column_differs);
    RUN(csv_holds_many_rows);
    RUN(csv_failures_name_place_and_value);
    RUN(arguments_are_taken_apart);
    RUN(worker_lists_expand);
    RUN(bad_lists_are_refused);
    RUN(lists_of_numbers_and_words);
    RUN(json_nests);
    RUN(json_escapes);
    RUN(nothing_prints_infinity);
    RUN(tables_align_and_csv_quotes);
    RUN(printed_csv_reads_back);
    RUN(long_text_is_kept);
    RUN(failing_takes_one_line);
    RUN(memory_grows_and_keeps);
    RUN(tasks_give_the_same_in_any_number_of_processes);
    RUN(a_task_that_fails_ends_the_program);
    RUN(a_file_appears_when_it_is_whole);
    RUN(a_link_stays_and_its_file_is_replaced);
    RUN(an_output_that_is_also_an_input_is_refused);
    RUN(what_cannot_be_written_is_refused_at_once);
    RUN(permissions_are_kept);
    RUN(a_run_that_fails_leaves_what_was_there);
    RUN(a_run_that_is_ended_leaves_what_was_there);
    RUN(processes_leave_the_outputs_of_their_parent);
    RUN(devices_and_pipes_are_written_directly);
    return test_report("test_tools");
}
