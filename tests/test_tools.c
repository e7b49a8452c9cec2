/* test_tools.c - the parts of the program below its commands: text, CSV, arguments,
 * output. */
#define _XOPEN_SOURCE 700              /* fork, mkdtemp, posix_openpt */

#include "test.h"
#include "base/columns.h"
#include "base/csv.h"
#include "base/digits.h"
#include "base/json.h"
#include "base/progress.h"
#include "base/rows.h"
#include "base/svg.h"
#include "base/words.h"
#include "child.h"
#include "files/status.h"
#include "jobs/dealing.h"
#include "jobs/journal.h"
#include "jobs/parallel.h"
#include "options/rules.h"

#include <fcntl.h>
#include <float.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

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
        "abc", "0x10", "inf", "-inf", "nan", "infinity", "1 ", " 1", "1e", "1e+", ".",
        "-", "+", "--1", "1.2.3", "e5", "1_000", "1f", "\t1", "1e5e5", "\xC2\xA0.1"
    };
    static const struct { const char *text; double value; } good[] = {
        {"0", 0.0}, {"-3", -3.0}, {"+2.5", 2.5}, {".5", 0.5}, {"5.", 5.0}, {"1e3", 1000.0},
        {"1E-3", 0.001}, {"007", 7.0}, {"1e-400", 0.0},
        {"1.7976931348623157e308", 1.7976931348623157e308}
    };
    for (size_t i = 0; i < COUNT_OF(bad); i++)
        CHECK_TEXT(wrong_number(bad[i], NUMBER_ANY), "is not a number");
    for (size_t i = 0; i < COUNT_OF(good); i++) {
        double value = -1.0;
        CHECK(number_parse(good[i].text, NUMBER_ANY, &value) == NULL);
        CHECK_REL(value, good[i].value, 0.0);
    }
    CHECK_TEXT(wrong_number("1,5", NUMBER_ANY),
               "has a comma: write decimals with a point, as 0.5");
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
        {"1e3ms", UNIT_TIME, 1.0},        {"10Gb/s", UNIT_BANDWIDTH, 1.25e9},
        {"10Gbit/s", UNIT_BANDWIDTH, 1.25e9}, {"8b/s", UNIT_BANDWIDTH, 1.0},
        {"8kbit/s", UNIT_BANDWIDTH, 1e3}, {"1Mb/s", UNIT_BANDWIDTH, 125e3},
        {"2MiB/s", UNIT_BANDWIDTH, 2097152.0}, {"1Tbps", UNIT_BANDWIDTH, 1.25e11},
        {"1TB", UNIT_SIZE, 1e12},         {"1TiB", UNIT_SIZE, 1099511627776.0},
        {"1.28M", UNIT_COUNT, 1280000.0}, {"4k", UNIT_COUNT, 4e3}
    };
    static const struct { const char *text; number_unit unit; } bad[] = {
        {"3 ms", UNIT_TIME}, {"3MS", UNIT_TIME}, {"3m", UNIT_TIME}, {"3B", UNIT_TIME},
        {"3m", UNIT_COUNT},
        {"3kb", UNIT_SIZE}, {"3s", UNIT_SIZE}, {"3Gb", UNIT_BANDWIDTH}, {"3GB", UNIT_BANDWIDTH}
    };
    double value = 0.0;
    for (size_t i = 0; i < COUNT_OF(good); i++) {
        CHECK(number_quantity(good[i].text, good[i].unit, NUMBER_ANY, &value) == NULL);
        CHECK_REL(value, good[i].value, 0.0);
    }
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        const char *wrong = number_quantity(bad[i].text, bad[i].unit, NUMBER_ANY, &value);
        CHECK(wrong && strncmp(wrong, "has an unknown unit", 19) == 0);
    }
    CHECK_TEXT(number_quantity("3kb", UNIT_SIZE, NUMBER_ANY, &value),
               "has an unknown unit (use B kB MB GB TB KiB MiB GiB TiB); did you mean kB?");
    CHECK_TEXT(number_quantity("10gb/s", UNIT_BANDWIDTH, NUMBER_ANY, &value),
               "has an unknown unit (use bps kbps Mbps Gbps Tbps, also as Gbit/s or Gb/s; B/s kB/s "
               "MB/s GB/s MiB/s GiB/s); did you mean Gb/s or GB/s?");
    CHECK_TEXT(number_quantity("0,5", UNIT_TIME, NUMBER_ANY, &value),
               "has a comma: write decimals with a point, as 0.5");
    CHECK_TEXT(number_quantity("ms", UNIT_TIME, NUMBER_ANY, &value), "is not a number");
    CHECK_TEXT(number_quantity("1e308h", UNIT_TIME, NUMBER_ANY, &value), "is too large");
}

TEST(units_behind_numbers_are_seen)
{
    static const char *const with[] = {"1ms", "2.5 GB", "1e3s", "10Gbps", "-3B/s", ".5min"};
    static const char *const without[] = {"", "1", "ms", "1x", "1 m s", "nan", "1.5.2", "x1ms"};
    for (size_t i = 0; i < COUNT_OF(with); i++) CHECK(number_has_unit(with[i]));
    for (size_t i = 0; i < COUNT_OF(without); i++) CHECK(!number_has_unit(without[i]));
}

TEST(numbers_are_written_briefly_and_read_back)
{
    static const struct { double value; const char *text; } known[] = {
        {0.029, "0.029"}, {0.1 + 0.2, "0.30000000000000004"}, {1e308, "1e+308"}, {3.0, "3"},
        {-0.5, "-0.5"}, {1.7976931348623157e308, "1.7976931348623157e+308"}
    };
    char text[NUMBER_BYTES];
    uint64_t random = 1;
    for (size_t i = 0; i < COUNT_OF(known); i++)
        CHECK_TEXT(number_write(known[i].value, text), known[i].text);
    for (size_t i = 0; i < 20000; i++) {
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
    CHECK_TEXT(words_join(words, 3, list, sizeof list), "table, csv, json");
    CHECK_TEXT(words_join(words, 3, list, 9), "table, c");
    CHECK_TEXT(words_join(words, 0, list, sizeof list), "");
}

TEST(distances_count_typing_errors)
{
    static const struct { const char *a, *b; size_t distance; } known[] = {
        {"", "", 0}, {"", "abc", 3}, {"role", "role", 0}, {"rol", "role", 1},
        {"runs", "rnus", 1}, {"kitten", "sitting", 3}, {"ab", "ba", 1}, {"abc", "xyz", 3},
        {"policy", "polcyi", 2}
    };
    char longest[100];
    for (size_t i = 0; i < COUNT_OF(known); i++) {
        CHECK(words_distance(known[i].a, known[i].b) == known[i].distance);
        CHECK(words_distance(known[i].b, known[i].a) == known[i].distance);
    }
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    CHECK(words_distance(longest, longest) == 40);
}

/* What `text` may stand for among a few options; "" for nothing. */
static const char *guessed(const char *text)
{
    static const char *const words[] = {"--workers", "--worker-type", "--bounds", "--fit",
                                        "--method", "mva", "--x"};
    words_guess guess = {NULL, NULL, 0};
    guess.text = text;
    for (size_t i = 0; i < COUNT_OF(words); i++) words_consider(&guess, words[i]);
    return guess.nearest ? guess.nearest : "";
}

TEST(misspelt_words_are_guessed_and_others_are_not)
{
    CHECK_TEXT(guessed("--wrkers"), "--workers");
    CHECK_TEXT(guessed("-workers"), "--workers");
    CHECK_TEXT(guessed("--worker"), "--workers");
    CHECK_TEXT(guessed("--bond"), "--bounds");
    CHECK_TEXT(guessed("--meth"), "--method");
    CHECK_TEXT(guessed("--met"), "--method");
    CHECK_TEXT(guessed("mvaa"), "mva");
    CHECK_TEXT(guessed("--fti"), "--fit");
    CHECK_TEXT(guessed("--bandwidth"), "");
    CHECK_TEXT(guessed("--abc"), "");
    CHECK_TEXT(guessed("--"), "");
    CHECK_TEXT(guessed(""), "");
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
    CHECK_TEXT(wrong_csv("a,b\n"), "f:2: the table has no rows under the header");
    CHECK_TEXT(wrong_csv("a,b"), "f:1: the table has no rows under the header");
}

TEST(csv_refuses_and_says_where)
{
    CHECK_TEXT(wrong_csv(""), "f:1: the file is empty, but needs a header");
    CHECK_TEXT(wrong_csv("\n#x\n\n"), "f:4: the file is empty, but needs a header");
    CHECK_TEXT(wrong_csv("a,b,a\n1,2,3\n"), "f:1: column 'a' occurs twice");
    CHECK_TEXT(wrong_csv("a,b\n1,2\n1\n"), "f:3: the row has 1 cell, but 2 are in the header");
    CHECK_TEXT(wrong_csv("a,b\n1,2,3\n"),
                         "f:2: the row has 3 cells, but 2 are in the header: write "
                                         "decimals with a point, as 0.5");
    CHECK_TEXT(wrong_csv("a,b\n1;2\n"),
               "f:2: the row has 1 cell, but 2 are in the header: separate cells by commas, "
               "and leave out a title above the header");
    CHECK_TEXT(wrong_csv("title\na,b\n"),
               "f:2: the row has 2 cells, but 1 are in the header: leave out a title above the "
               "header; write decimals with a point");
    CHECK_TEXT(wrong_csv("title,,\na,b,c\n"),
               "f:1: column '' occurs twice: name the columns, and leave out a title above the "
               "header");
    CHECK_TEXT(wrong_csv("a,b\n1,\"2\n3,4\n"), "f:2: a quote is not closed");
    CHECK_TEXT(wrong_csv("a,b\n1,2\"\n"), "f:2: an unquoted cell contains a quote");
    CHECK_TEXT(wrong_csv("a,b\n\"1\"x,2\n"), "f:2: text follows the closing quote of a cell");
    CHECK_TEXT(wrong_csv("a\r1\r"), "f:1: a carriage return is not followed by a line feed");
    CHECK_TEXT(wrong_csv("a\n\x7F\n"), "f:2: byte 0x7f is not text");
    CHECK_TEXT(wrong_csv("a\n1\n\x01\n"), "f:3: byte 0x01 is not text");
    CHECK_TEXT(wrong_csv("a\n\xFF\n"), "f:2: byte 0xff is not UTF-8 text");
}

TEST(csv_names_a_separator_that_is_no_comma)
{
    CHECK_TEXT(wrong_csv("a;b\n1,5;2\n"),
               "f:1: cells must be separated by commas, not by semicolons; write decimals "
               "with a point");
    CHECK_TEXT(wrong_csv("#x\na\tb\n1\t2\n"),
               "f:2: cells must be separated by commas, not by tabs; write decimals "
               "with a point");
    CHECK_TEXT(wrong_csv("a|b\n1|2\n"),
               "f:1: cells must be separated by commas, not by bars; write decimals "
               "with a point");
    CHECK_TEXT(wrong_csv("a b\n1 2\n"),
               "f:1: cells must be separated by commas, not by blanks; write decimals "
               "with a point; leave out a title above the header");
    CHECK_TEXT(wrong_csv("\"a;b\"\n1\n"), "ok");
    CHECK_TEXT(wrong_csv("a;b,c\n1,2\n"), "ok");
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
    for (size_t length = 0; length < strlen(text); length++) {
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
    if (!text) { CHECK(text != NULL); return; }
    p += sprintf(p, "i,j\n");
    for (size_t i = 0; i < rows; i++)
        p += sprintf(p, "%lu,%lu\n", (unsigned long)i, (unsigned long)(2 * i));
    CHECK(parse(&t, text, 0));
    free(text);
    CHECK(t.rows == rows);
    for (size_t i = 0; i < rows; i++) CHECK(csv_integer(&t, i, 1, 0, 2 * rows) == 2 * i);
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
    CHECK_TEXT(dying(read_word), "f:2: column 't': 'a?b' is not one of fit, score");
    CHECK_TEXT(dying(read_missing), "f:1: column 'x' is missing");
    CHECK_TEXT(dying(read_pair), "f:4: column 'n': '7' occurs twice, first in line 3");
    CHECK_TEXT(dying(read_own), "f:4: 3 is odd");
    csv_free(&cells);
}

/* ---- Arguments ------------------------------------------------------------- */

static const option_use uses[] = {
    USE(MODE), USE(DELAY), USE(SEED), USE(WORKERS), USE(SHARES), USE(FIT), USE(WORKER_TYPE),
    USE(OVERLAP)
};
static const args_command command = {"predict", NULL, NULL, uses, COUNT_OF(uses), NULL, 0,
                                     0, 2, NULL, 0, NOTHING};

TEST(arguments_are_taken_apart)
{
    static const char *const modes[] = {"async", "sync"};
    static const char *text[] = {"predict", "--mode", "sync", "a.csv", "--delay=5ms",
                                 "--worker-type", "1:2", "--overlap", "--worker-type=3", "-",
                                 "--format", "json"};
    char *argv[COUNT_OF(text)];
    args a;
    for (size_t i = 0; i < COUNT_OF(text); i++) {
        argv[i] = (char *)malloc(24);
        if (argv[i]) strcpy(argv[i], text[i]);
    }
    args_parse(&a, &command, (int)COUNT_OF(text), argv);
    CHECK(a.file_count == 2 && strcmp(a.files[1], "-") == 0);
    CHECK(args_choice(&a, OPTION_MODE, modes, 2, 0) == 1);
    CHECK_REL(args_number(&a, OPTION_DELAY, 0.0), 0.005, 0.0);
    CHECK(args_integer(&a, OPTION_SEED, 1, 9, 77) == 77);
    CHECK(args_given(&a, OPTION_OVERLAP) && !args_given(&a, OPTION_SEED));
    CHECK(args_count(&a, OPTION_WORKER_TYPE) == 2);
    CHECK_TEXT(args_at(&a, OPTION_WORKER_TYPE, 1), "3");
    CHECK(args_at(&a, OPTION_WORKER_TYPE, 2) == NULL);
    CHECK_TEXT(args_text(&a, OPTION_FIT, "none"), "none");
    CHECK(args_form(&a) == JSON);
    for (size_t i = 0; i < COUNT_OF(text); i++) free(argv[i]);
}

static const option_use ruled_uses[] = {
    USE(MODE), USE(LINK), USE(SERVERS), USE(SCHEME), USE(RIGID), USE(SEED), USE(QUIT), USE(JOBS),
    USE(WORKERS), USE(SWEEP)
};
static const option_rule ruled[] = {
    MISSING(ONE(MODE)), MISSING(EACH(OPTION_WORKERS, OPTION_SWEEP)),
    EXCLUDES(EACH(OPTION_SWEEP, OPTION_SERVERS), IS(MODE, "sync allreduce")),
    NEEDS(IS(LINK, "fcfs tcp"), AMONG("sync 2", OPTION_MODE, OPTION_SERVERS, OPTION_RIGID)),
    NEEDS(ONE(JOBS), IS(LINK, "ps average")), NEEDS(ONE(RIGID), IS(SCHEME, "ssp flexrr all")),
    UNLESS(ONE(QUIT), EXCLUDES, ONE(SEED), ONE(JOBS))
};
static const args_command ruled_command = {"p", NULL, NULL, ruled_uses, COUNT_OF(ruled_uses), ruled,
                                           COUNT_OF(ruled), 0, 0, NULL, 0, NOTHING};
static char ruled_line[100];

static void check_line(void)
{
    char *argv[12] = {NULL}, *word;
    int argc = 0;
    args a;
    for (word = strtok(ruled_line, " "); word; word = strtok(NULL, " ")) argv[argc++] = word;
    args_parse(&a, &ruled_command, argc, argv);
    args_check_words(&a);
    args_check(&a, ruled, COUNT_OF(ruled));
    tool_fail("fine");
}

/* What the rules say of a command line. */
static const char *ruling(const char *line)
{
    snprintf(ruled_line, sizeof ruled_line, "p %s", line);
    return dying(check_line);
}

TEST(rules_tell_what_options_need_and_exclude)
{
    CHECK_TEXT(ruling("--sweep 1"), "--mode is missing: async, sync or allreduce");
    CHECK_TEXT(ruling("--mode async"), "--workers or --sweep is missing");
    CHECK_TEXT(ruling("--mode async --sweep 1"), "fine");
    CHECK_TEXT(ruling("--mode sync --sweep 1"), "--sweep: cannot be combined with --mode sync");
    CHECK_TEXT(ruling("--mode async --workers 1 --link tcp"),
               "--link tcp: needs --mode, --servers or --rigid with one of sync or 2");
    CHECK_TEXT(ruling("--mode async --workers 1 --link tcp --servers 2"), "fine");
    CHECK_TEXT(ruling("--mode sync --workers 1 --link tcp"), "fine");
    CHECK_TEXT(ruling("--mode async --workers 1 --link tcp --jobs x --servers 2"),
               "--jobs: needs --link ps or average");
    CHECK_TEXT(ruling("--mode x --workers 1 --jobs x"),
               "--mode: 'x' is not one of async, sync, allreduce");
    CHECK_TEXT(ruling("--link averag --sweep 1 --seed 1"),
               "--link: 'averag' is not one of ps, fcfs, average, tcp; did you mean average?");
    CHECK_TEXT(ruling("--mode sync --workers 1 --jobs x"), "fine");
    CHECK_TEXT(ruling("--mode sync --workers 1 --jobs x --seed "
                      "1"), "--seed: cannot be combined with --jobs");
    CHECK_TEXT(ruling("--mode sync --workers 1 --jobs x --seed 1 --quit 1:1"), "fine");
    CHECK_TEXT(ruling("--mode sync --workers 1 --rigid --scheme bsp,asp"),
               "--rigid: needs --scheme ssp, flexrr or all");
    CHECK_TEXT(ruling("--mode sync --workers 1 --rigid --scheme bsp,ssp"), "fine");
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
    args_workers(&a, OPTION_WORKERS, &list);
}

static void read_bad_shares(void)
{
    char name[] = "--shares";
    const args a = with(name, bad_value);
    double *list;
    args_numbers(&a, OPTION_SHARES, &list);
}

static void check_workers(const char *text, const uint32_t *want, size_t count)
{
    char name[] = "--workers", value[32];
    uint32_t *list = NULL;
    strcpy(value, text);
    args a = with(name, value);
    size_t n = args_workers(&a, OPTION_WORKERS, &list);
    CHECK(n == count);
    for (size_t i = 0; i < n && i < count; i++) CHECK(list[i] == want[i]);
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
        {"-4", "--workers: '-4' is not a positive whole number"},
        {"4-1", "--workers: the range 4-1 runs backwards: write the smaller number first"},
        {"1-8:0", "--workers: '0' is not a positive whole number"},
        {"8:2", "--workers: '8' has a step but no range: write FIRST-LAST:STEP"},
        {"1-4-8", "--workers: '4-8' is not a positive whole number"},
        {"1.5", "--workers: '1.5' is not a positive whole number"},
        {"4294967296", "--workers: '4294967296' is too large"},
        {"1-1000001", "--workers: has more than 1000000 values"},
        {"1-4294967295", "--workers: has more than 1000000 values"},
        {"1-500000,1-500001", "--workers: has more than 1000000 values"}
    };
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
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
    char shares[] = "--shares", values[] = "0.8,.2", names[] = "--fit", words[] = "a,,b";
    double *number = NULL;
    char **word = NULL;
    args a = with(shares, values);
    CHECK(args_numbers(&a, OPTION_SHARES, &number) == 2);
    CHECK_REL(number[0], 0.8, 0.0);
    CHECK_REL(number[1], 0.2, 0.0);
    CHECK(args_words(&a, OPTION_FIT, &word) == 0);
    a = with(names, words);
    CHECK(args_words(&a, OPTION_FIT, &word) == 3);
    CHECK_TEXT(word[1], "");
    CHECK_TEXT(word[2], "b");
}

/* ---- Output ---------------------------------------------------------------- */

/* What was written so far, as a string; starts over. */
static const char *written(output *out)
{
    output_bytes(out, "", 1);
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
                              "\"d\":true,\"e\":[0.1,1e+300]}\n");
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
    const double bad[] = {HUGE_VAL, -HUGE_VAL, HUGE_VAL - HUGE_VAL};
    static const unsigned forms[] = {CSV, SCREEN, JSON};
    static const char *const want[] = {
        "x,y\n,\n,\n", "x  y\n-  -\n-  -\n", "[{\"x\":null,\"y\":null},{\"x\":null,\"y\":null}]\n"
    };
    output out = {0};
    columns c;
    json_numbers(&out, NULL, bad, 3);
    CHECK_TEXT(written(&out), "[null,null,null]\n");
    for (size_t k = 0; k < COUNT_OF(forms); k++) {
        out.form = forms[k];
        if (out.form == JSON) json_array(&out, NULL);
        c = columns_open(&out, ALL, NULL);
        for (size_t i = 0; i < 2; i++) {
            columns_row(&c);
            json_object(&out, NULL);
            column_number(&c, ALL, "x", bad[2 * i]);
            if (i == 0) column_number(&c, ALL, "y", bad[1]);
            else column_missing(&c, ALL, "y");
            json_end(&out);
        }
        columns_close(&c);
        json_end(&out);
        CHECK_TEXT(written(&out), want[k]);
    }
}

TEST(keys_of_json_are_escaped)
{
    output out = {0};
    json_object(&out, NULL);
    json_integer(&out, "a\"b", 1);
    json_integer(&out, "\\", 2);
    json_end(&out);
    CHECK_TEXT(written(&out), "{\"a\\\"b\":1,\"\\\\\":2}\n");
}

TEST(csv_has_no_control_bytes)
{
    output out = {.form = CSV};
    columns c = columns_open(&out, ALL, NULL);
    columns_row(&c);
    column_text(&c, ALL, "name", "a\x01" "b\tc\x7f\n\xff");
    columns_close(&c);
    CHECK_TEXT(written(&out), "name\n\"a b\tc \n\xEF\xBF\xBD\"\n");
}

/* Two rows of three columns, one more for each form, and a sentence. */
static const char *three_columns(unsigned form, int some)
{
    static const struct { const char *name; uint64_t n; double value; } row[] = {
        {"a,\"b\"", 1000, 1.0 / 3.0}, {"\xC3\xA9", 1, 12345.0}
    };
    output out = {.form = form};
    json_object(&out, NULL);
    columns c = columns_open(&out, ALL, "rows");
    for (size_t i = 0; i < 2 && (some || i == 0); i++) {
        CHECK(columns_row_if(&c, some) == some);
        column_text(&c, ALL, "name", row[i].name);
        column_whole(&c, ALL, "n", row[i].n);
        column_round(&c, ALL, "value", 3, row[i].value);
        column_whole_if(&c, CSV | JSON, "odd", i > 0, 7);
        if (some) json_bool(&out, "first", i == 0);
    }
    columns_close(&c);
    json_end(&out);
    output_print(&out, "so it is\n");
    return written(&out);
}

TEST(columns_are_said_once_for_all_forms)
{
    CHECK_TEXT(three_columns(SCREEN, 1), "name      n     value\n"
                                         "a,\"b\"  1000     0.333\n"
                                         "\xC3\xA9         1  1.23e+04\nso it is\n");
    CHECK_TEXT(three_columns(CSV, 1), "name,n,value,odd\n"
                                      "\"a,\"\"b\"\"\",1000,0.3333333333333333,\n"
                                      "\xC3\xA9,1,12345,7\n");
    CHECK_TEXT(three_columns(JSON, 1),
               "{\"rows\":[{\"name\":\"a,\\\"b\\\"\",\"n\":1000,"
               "\"value\":0.3333333333333333,\"odd\":null,\"first\":true},"
               "{\"name\":\"\xC3\xA9\",\"n\":1,\"value\":12345,\"odd\":7,"
               "\"first\":false}]}\n");
    CHECK_TEXT(three_columns(SCREEN, 0), "name  n  value\nso it is\n");
    CHECK_TEXT(three_columns(CSV, 0), "name,n,value,odd\n");
    CHECK_TEXT(three_columns(JSON, 0), "{\"rows\":[]}\n");
}

/* Of any size and sign, and of few digits. */
static double draw_number(uint64_t n)
{
    const double u = test_uniform(11, n, 1), v = test_uniform(11, n, 2);
    const double x = pow(10.0, n % 5 == 0 ? 616.0 * u - 308.0 : 20.0 * u - 12.0);
    if (n % 48 >= 24) return pow(10.0, 8.0 * u - 5.5); /* of a table of usual ones */
    if (n % 7 == 0) return 0.0;
    return (v < 0.2 ? -1.0 : 1.0) * (n % 3 == 0 ? floor(x) : x);
}

TEST(columns_are_as_wide_as_their_widest_number)
{
    for (uint64_t n = 0; n < 400; n++) {
        char want[2000] = "", text[NUMBER_BYTES];
        size_t width = 0, length;
        output out = {.form = SCREEN};
        columns c = columns_open(&out, ALL, NULL);
        for (size_t i = 0; i < 24; i++) {
            const double x = draw_number(24 * n + i);
            columns_row(&c);
            column_number(&c, ALL, "x", x);
            length = (size_t)snprintf(text, sizeof text, "%.5g", x);
            if (width < length) width = length;
        }
        snprintf(want, sizeof want, "%*s\n", (int)width, "x");
        for (size_t i = 0; i < 24; i++)
            snprintf(want + strlen(want), sizeof want - strlen(want), "%*.5g\n", (int)width,
                     draw_number(24 * n + i));
        columns_close(&c);
        CHECK_TEXT(written(&out), want);
    }
}

enum { FIELD_ROWS = 150, FIELD_WORDS = 4 };

typedef struct field_row { double x, alike, rare; uint32_t whole; unsigned word; } field_row;

static const char *const field_words[FIELD_WORDS] = {
    "a,\"b\"", "", "\xC3\xA9 and \x01 more than are copied at once, and more than that", "ok"
};

/* With what stands above, is alike within a row, is missing, and needs quotes. */
static void draw_rows(field_row *row, uint64_t n)
{
    for (size_t i = 0; i < FIELD_ROWS; i++) {
        const uint64_t k = n * FIELD_ROWS + i;
        row[i].x = draw_number(i % 3 == 0 ? k : k - i % 3);
        row[i].alike = i % 11 == 5 ? -row[i].x : row[i].x;
        row[i].rare = i % 9 == 8 ? HUGE_VAL : n % 2 == 0 ? 0.25 : draw_number(k + 7);
        row[i].whole = (uint32_t)(4294967295.0 * pow(test_uniform(12, k, 3), 6.0));
        row[i].word = (unsigned)(FIELD_WORDS * test_uniform(12, k - k % 5, 4));
    }
}

static void list_fields(const field_row *row, field *f)
{
    f[0] = field_whole("whole", &row->whole, sizeof *row);
    f[1] = field_number("x", &row->x, sizeof *row);
    f[2] = field_word("word", &row->word, sizeof *row, field_words, FIELD_WORDS);
    f[3] = field_empty("none,");
    f[4] = field_number("alike", &row->alike, sizeof *row);
    f[5] = field_text("same", &field_words[0]);
    f[6] = field_number("rare", &row->rare, sizeof *row);
    f[6].digits = 3;
}

static void add_row(const field_row *row, columns *c)
{
    columns_row(c);
    column_whole(c, ALL, "whole", row->whole);
    column_number(c, ALL, "x", row->x);
    column_text(c, ALL, "word", field_words[row->word]);
    column_missing(c, ALL, "none,");
    column_number(c, ALL, "alike", row->alike);
    column_text(c, ALL, "same", field_words[0]);
    column_round(c, ALL, "rare", 3, row->rare);
}

TEST(rows_of_fields_are_those_of_a_table)
{
    static field_row row[FIELD_ROWS];
    static char want[200 * FIELD_ROWS];
    field f[7];
    for (uint64_t n = 0; n < 8; n++) {
        const size_t first = n < 6 ? FIELD_ROWS : 1;
        draw_rows(row, n);
        list_fields(row, f);
        output out = {.form = n % 4 < 2 ? CSV : SCREEN};
        columns c = columns_open(&out, ALL, NULL);
        for (uint64_t i = 0; i < first; i++) add_row(&row[i], &c);
        columns_close(&c);
        CHECK(out.length < sizeof want);
        strcpy(want, written(&out));
        rows_table(&out, f, COUNT_OF(f), first);
        CHECK_TEXT(written(&out), want);
    }
}

/* "rare" is left out of rows whose word is the last one. */
static void want_object(const field_row *row, output *out)
{
    json_object(out, NULL);
    json_integer(out, "whole", row->whole);
    json_object(out, "in a \"name");
    json_number(out, "x", row->x);
    json_string(out, "word", field_words[row->word]);
    json_end(out);
    json_null(out, "none,");
    json_bool(out, "same", 1);
    json_number(out, "alike", row->alike);
    if (row->word != FIELD_WORDS - 1) json_number(out, "rare", row->rare);
    json_end(out);
}

static field_rows *object_of(const field *f, const field_row *row)
{
    field_rows *r = fields_object();
    field rare = f[6];
    rare.when = &row->word;
    rare.never = FIELD_WORDS - 1;
    fields_member(r, &f[0]);
    json_object(fields_output(r), "in a \"name");
    fields_member(r, &f[1]);
    fields_member(r, &f[2]);
    json_end(fields_output(r));
    fields_member(r, &f[3]);
    json_bool(fields_output(r), "same", 1);
    fields_member(r, &f[4]);
    fields_member(r, &rare);
    return r;
}

TEST(elements_of_fields_are_those_of_json)
{
    static field_row row[FIELD_ROWS];
    static char want[400 * FIELD_ROWS];
    field f[7];
    for (uint64_t n = 0; n < 4; n++) {
        const size_t rows = n == 0 ? 0 : n == 1 ? 1 : FIELD_ROWS;
        output out = {0};
        draw_rows(row, n);
        list_fields(row, f);
        json_object(&out, NULL);
        json_array(&out, "rows");
        for (uint64_t i = 0; i < rows; i++) want_object(&row[i], &out);
        json_end(&out);
        json_integer(&out, "behind", 1);
        json_end(&out);
        CHECK(out.length < sizeof want);
        strcpy(want, written(&out));
        json_object(&out, NULL);
        rows_json(&out, "rows", rows, object_of(f, row));
        json_integer(&out, "behind", 1);
        json_end(&out);
        CHECK_TEXT(written(&out), want);
    }
}

TEST(printed_csv_reads_back)
{
    static const char *const texts[] = {"#x", "two\nlines", "", "\"", "c,d", "e"};
    csv_table back;
    output out = {.form = CSV};
    columns c = columns_open(&out, ALL, NULL);
    for (size_t i = 0; i < COUNT_OF(texts); i += 2) {
        columns_row(&c);
        column_text(&c, ALL, "a,\"#", texts[i]);
        column_text(&c, ALL, "b", texts[i + 1]);
    }
    columns_close(&c);
    CHECK(parse(&back, written(&out), 0));
    CHECK_TEXT(back.header[0], "a,\"#");
    for (size_t i = 0; i < COUNT_OF(texts); i++)
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
static void grow_to_all(void)
{
    size_t room = 0;
    tool_grow(NULL, 0, &room, (size_t)-1, 1);
}
static void resize_to_all(void) { tool_resize(tool_alloc(1, 1), (size_t)-1 / 2, 4); }
static void open_deeply(void)
{
    output out = {0};
    for (;;) json_array(&out, NULL);
}
static void fail_with_delete(void) { tool_fail("a\x7f" "b\tc"); }

/* No text in any encoding. */
static const wchar_t no_text[] = {(wchar_t)0xD800, 0};
static void fail_without_text(void) { tool_fail("%ls", no_text); }
static void print_no_text(void)
{
    output out = {0};
    output_print(&out, "%ls", no_text);
}
static void check_refusal(void) { tool_check(SGDP_OVER_BUDGET, "net.csv"); }

TEST(failing_takes_one_line)
{
    const char *said = dying(fail_long);
    CHECK(strlen(said) > 400 && !strchr(said, '\n'));
    CHECK_TEXT(dying(ask_too_much), "out of memory");
    CHECK_TEXT(dying(ask_for_all), "out of memory");
    CHECK_TEXT(dying(grow_to_all), "out of memory");
    CHECK_TEXT(dying(resize_to_all), "out of memory");
    CHECK_TEXT(dying(open_deeply), "JSON nested too deeply");
    CHECK_TEXT(dying(fail_with_delete), "a?b?c");
    CHECK_TEXT(dying(fail_without_text), "");
    CHECK_TEXT(dying(print_no_text), "cannot format the results");
    CHECK(strncmp(dying(check_refusal), "net.csv: exceeds", 16) == 0);
    CHECK(tool_check(SGDP_OK, "x") == EXIT_DONE);
    CHECK(tool_check(SGDP_NOT_CONVERGED, "x") == EXIT_NOT_REACHED);
    CHECK_TEXT(tool_status_word(SGDP_OK), "ok");
    CHECK_TEXT(tool_status_word(SGDP_NOT_CONVERGED), "not_converged");
}

TEST(memory_grows_and_keeps)
{
    size_t room = 0;
    int *list = NULL;
    for (size_t i = 0; i < 1000; i++) {
        if (i == room) list = (int *)tool_grow(list, i, &room, i + 1, sizeof *list);
        list[i] = (int)i;
    }
    for (size_t i = 0; i < 1000; i++) CHECK(list[i] == (int)i);
    CHECK(tool_alloc(0, 8) != NULL);
    CHECK(tool_resize(tool_alloc(8, 1), 9, 0) != NULL);
    tool_free(NULL);
}

/* ---- Ranks, as MPI has them ----------------------------------------------------- */

static void do_all(deal *d, uint64_t print)
{
    deal_range range = deal_next(d, 1);
    (void)print;
    for (; range.from < range.to; range = deal_next(d, 1)) {
        size_t length;
        const char *batch = deal_work(d, range, &length);
        CHECK(deal_take(d, batch, length));
    }
}

static void check_ranks(void)
{
    static const deal_ranks five = {0, 5, do_all};
    char *argv[] = {NULL};
    deal_mpi = &five;
    parallel_begin(0, argv, "1.2.3");
    output_check();
    tool_print_notes();
}

static void read_parallel(const char *option, const char *value)
{
    static const option_use known[] = {PARALLEL_USES};
    static const args_command several = {"p", NULL, NULL, known, COUNT_OF(known), NULL, 0,
                                         0, 0, NULL, 0, NOTHING};
    static const deal_ranks two = {0, 2, do_all};
    char word[5][16] = {"p", "--journal", "j"}, *argv[5];
    args a;
    for (size_t i = 0; i < 5; i++) argv[i] = word[i];
    strcpy(word[3], option);
    strcpy(word[4], value);
    args_parse(&a, &several, 5, argv);
    deal_mpi = &two;
    (void)parallel_read(&a);
}
static void share_under_mpi(void) { read_parallel("--shard", "1/2"); }
static void fork_under_mpi(void) { read_parallel("--processes", "2"); }

/* Before the other tests of processes: no task has been dealt. */
TEST(ranks_have_no_shards_and_no_processes)
{
    enter_folder();
    CHECK_TEXT(notes_of(check_ranks),
               "sgdperf: note: there is only one task: each of the 5 ranks computed the whole "
               "task\n");
    leave_folder();
    CHECK_TEXT(dying(share_under_mpi), "--shard: cannot be used under mpirun, which has ranks");
    CHECK_TEXT(dying(fork_under_mpi),
                     "--processes: cannot be used under mpirun, which sets the number of "
                     "processes");
}

/* ---- Processes ------------------------------------------------------------- */

enum { TASKS = 20, PART = 512 };       /* numbers of a result: 4096 bytes */

static void fill_part(void *ctx, size_t i, void *result)
{
    double *part = (double *)result;
    for (size_t k = 0; k < PART; k++) part[k] = *(const double *)ctx + (double)(i * PART + k);
}

/* More than a pipe is sure to hold. */
static void fill_both(void *ctx, size_t i, void *result)
{
    fill_part(ctx, 2 * i, result);
    fill_part(ctx, 2 * i + 1, (double *)result + PART);
}

TEST(tasks_give_the_same_in_any_number_of_processes)
{
    static const double costs[] = {1.0, 2.0, 1.0, 1.0, 3.0};
    double first = 0.5, *parts = (double *)tool_alloc(TASKS * PART, sizeof *parts);
    for (size_t processes = 1; processes <= TASKS + 1; processes += 5) {
        memset(parts, 0, TASKS * PART * sizeof *parts);
        parallel_run(TASKS, processes, fill_part, &first, parts, PART * sizeof *parts, "parts");
        for (size_t i = 0; i < TASKS * PART; i++) CHECK_REL(parts[i], 0.5 + (double)i, 0.0);
    }
    memset(parts, 0, TASKS * PART * sizeof *parts);
    parallel_run(2, 2, fill_both, &first, parts, 2 * PART * sizeof *parts, "parts");
    for (size_t i = 0; i < 4 * PART; i++) CHECK_REL(parts[i], 0.5 + (double)i, 0.0);
    parallel_run(0, 4, fill_part, &first, parts, PART * sizeof *parts, "parts");
    parallel_expect(costs);
    parallel_run(COUNT_OF(costs), 3, fill_part, &first, parts, PART * sizeof *parts, "parts");
    for (size_t i = 0; i < COUNT_OF(costs) * PART; i++) CHECK_REL(parts[i], 0.5 + (double)i, 0.0);
    CHECK(parallel_processors() >= 1);
}

/* Task 7 does not end well, the others go on until they are told to stop. */
static void fail_or_wait(void *ctx, size_t i, void *result)
{
    (void)result;
    if (i == 7 && *(const int *)ctx == 2) _exit(0);
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
static void task_exits(void) { run_tasks(2); }

/* Task 9 fails at once, task 7 later. */
static void fail_twice(void *ctx, size_t i, void *result)
{
    const struct timespec tenth = {0, 100000000};
    (void)result;
    if (i == 7) nanosleep(&tenth, NULL);
    if (i == 7 || i == 9) tool_fail("task %d of %d", (int)i, *(const int *)ctx);
}
static void run_failing(size_t processes)
{
    int count = TASKS;
    char results[TASKS];
    parallel_run(TASKS, processes, fail_twice, &count, results, 1, "tasks");
}
static void two_refuse_alone(void) { run_failing(1); }
static void two_refuse_together(void) { run_failing(8); }

TEST(the_first_task_that_fails_says_why_in_any_number_of_processes)
{
    CHECK_TEXT(dying(two_refuse_alone), "task 7 of 20");
    CHECK_TEXT(dying(two_refuse_together), "task 7 of 20");
}

TEST(a_task_that_fails_ends_the_program)
{
    alarm(50);
    CHECK_TEXT(dying(task_refuses), "task 7 has bad input");
    CHECK_TEXT(losing(task_is_killed), "tasks: signal 9 ended the process with task 8 of 20");
    CHECK_TEXT(losing(task_exits), "tasks: a process ended early, status 0, with task 8 of 20");
    alarm(0);
}

/* Two notes of all, one of a task. */
static void note_much(void *ctx, size_t i, void *result)
{
    (void)ctx;
    *(char *)result = 'x';
    tool_note("all", "all say so");
    if (i % 7 == 3) tool_note("task", "task %d says so", (int)i);
}
static void note_in(size_t processes)
{
    char results[TASKS];
    output out = {0};
    tool_all_notes = 1;
    tool_say_notes("early before", 12); /* its end is missing */
    parallel_run(TASKS, processes, note_much, NULL, results, 1, "tasks");
    (void)output_flush(&out, EXIT_DONE);
}
static void note_alone(void) { note_in(1); }
static void note_together(void) { note_in(3); }

TEST(notes_of_tasks_come_once_and_in_their_order)
{
    const char *expected = "sgdperf: note: before\nsgdperf: note: all say so\n"
                           "sgdperf: note: task 3 says so\nsgdperf: note: task 10 says so\n"
                           "sgdperf: note: task 17 says so\n";
    enter_folder();
    CHECK_TEXT(notes_of(note_alone), expected);
    CHECK_TEXT(notes_of(note_together), expected);
    leave_folder();
}

/* Of any length, zero among them. */
static void write_blob(void *ctx, size_t i, void *result)
{
    parallel_blob *blob = (parallel_blob *)result;
    (void)ctx;
    blob->length = i * i * 100;
    blob->data = (char *)tool_alloc(blob->length, 1);
    for (size_t k = 0; k < blob->length; k++) blob->data[k] = (char)(i + k);
}

TEST(results_may_be_of_any_length)
{
    parallel_blob blob[TASKS];
    size_t i, wrong;
    for (size_t processes = 1; processes <= 4; processes += 3) {
        memset(blob, 0, sizeof blob);
        parallel_gather(TASKS, processes, write_blob, NULL, blob, "blobs");
        for (i = 0, wrong = 0; i < TASKS; i++) {
            wrong += blob[i].length != i * i * 100;
            for (size_t k = 0; k < blob[i].length; k++) wrong += blob[i].data[k] != (char)(i + k);
        }
        CHECK(wrong == 0);
    }
}

/* ---- Pictures --------------------------------------------------------------------- */

TEST(pictures_are_of_few_entries_and_need_no_names)
{
    static const double at[70] = {0.0, 1.0, 2.0}, values[70] = {1.0, 2.0, 4.0};
    output out = {0};
    svg_diagram d = {.title = "a<b\t\"c\" \xEF\xBF\xBE \xFF", .width = 400.0, .height = 300.0,
                     .left = 50.0, .right = 380.0, .top = 20.0, .bottom = 250.0, .y_high = 4.0,
                     .name = "one"};
    for (size_t i = 0; i <= SVG_MOST_LEGEND; i++) svg_legend(&d, "entry", SVG_LINE, i);
    CHECK(d.entries == SVG_MOST_LEGEND);
    svg_begin(&d, &out);
    svg_axis_x(&d);                    /* of no width */
    svg_axis_y(&d);
    svg_line(&d, at, values, 3, 0);
    svg_line(&d, at, values, 70, 0);
    svg_end(&d);
    const char *text = written(&out);
    CHECK(strstr(text, "a&lt;b &quot;c&quot; \xEF\xBF\xBD \xEF\xBF\xBD") != NULL);
    CHECK(strstr(text, "<desc id=\"d0\"></desc>") && !strstr(text, "rotate"));
}

/* ---- Numbers of JSON ---------------------------------------------------------------- */

static double json_number_of(const char *text)
{
    json_reader r;
    double value = -1.0;
    json_read(&r, text, strlen(text));
    if (json_next(&r) != JSON_NUMBER || !json_value(&r, &value)) return -1.0;
    return value;
}

static json_token token_of(const char *text, int tolerant)
{
    json_reader r;
    stream s;
    stream_of(&s, "text", text, strlen(text));
    json_read_stream(&r, &s, tolerant);
    return json_next(&r);
}

TEST(json_numbers_are_exact_and_short)
{
    char digits[80];
    CHECK_REL(json_number_of("-12.5"), -12.5, 0.0);
    CHECK_REL(json_number_of("-0.0078125"), -0.0078125, 0.0);
    CHECK_REL(json_number_of("123456789012345678901"), 123456789012345678901.0, 0.0);
    CHECK_REL(json_number_of("1E2"), 100.0, 0.0);
    memset(digits, '1', sizeof digits);
    digits[sizeof digits - 1] = '\0';
    CHECK_REL(json_number_of(digits), -1.0, 0.0);
    CHECK(token_of("nan", 1) == JSON_NULL && token_of("inf", 1) == JSON_NULL);
    CHECK(token_of("Infinity", 1) == JSON_NULL && token_of("null", 1) == JSON_NULL);
    CHECK(token_of("nil", 1) == JSON_WRONG && token_of("nan", 0) == JSON_WRONG);
    CHECK(token_of("\"a\\u00AFb\"", 0) == JSON_STRING);
    CHECK(token_of("\"a\\u00agb\"", 0) == JSON_WRONG);
}

/* Tokens, their text and lines. */
static const char *tokens_of(json_reader *r, char text[1024])
{
    json_token token;
    size_t at = 0;
    text[0] = '\0';
    do {
        token = json_next(r);
        at += (size_t)snprintf(text + at, 1024 - at, "%d@%lu", (int)token, (unsigned long)r->line);
        if (token == JSON_KEY || token == JSON_STRING || token == JSON_NUMBER)
            at += (size_t)snprintf(text + at, 1024 - at, "=%.*s", (int)r->length, r->text);
        at += (size_t)snprintf(text + at, 1024 - at, " ");
    } while (token != JSON_END && token != JSON_WRONG && at < 900);
    snprintf(text + at, 1024 - at, "%s", r->wrong ? r->wrong : "");
    return text;
}

/* What a pipe gives byte by byte, mostly. */
static void check_slow(const char *text, int tolerant)
{
    const struct timespec pause = {0, 20000};
    char fast[1024], slow[1024];
    json_reader r;
    stream s, *piped;
    stream_of(&s, "text", text, strlen(text));
    json_read_stream(&r, &s, tolerant);
    tokens_of(&r, fast);
    if (mkfifo("pipe", 0600) != 0) abort();
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        const int file = open("pipe", O_WRONLY);
        for (size_t i = 0; text[i] != '\0'; i++) {
            if (write(file, text + i, 1) != 1) _exit(1);
            nanosleep(&pause, NULL);
        }
        _exit(0);
    }
    piped = stream_open("pipe");
    json_read_stream(&r, piped, tolerant);
    CHECK_TEXT(tokens_of(&r, slow), fast);
    stream_close(piped);
    waitpid(child, NULL, 0);
    remove("pipe");
}

TEST(json_that_comes_byte_by_byte_reads_the_same)
{
    enter_folder();
    check_slow("\xEF\xBB\xBF {\"a\\u00e9\\n\": [-12.5e+3, 0.25E-2, true,\n false, null, 7], "
               "\"b\": {}}  ", 0);
    check_slow("{\"a\": [NaN, nan, Infinity, inf, -1, ], \"b\": , \"c\": {} , }\n", 1);
    check_slow("[1, nul", 0);
    check_slow("[\"\xC3", 0);
    leave_folder();
}

/* ---- Batches, as another process might send them -------------------------------- */

enum { DEALT = 3 };

typedef struct small_deal {
    deal          d;
    double        results[DEALT];
    parallel_blob notes[DEALT];
    unsigned char state[DEALT];
    size_t        order[DEALT];
} small_deal;

static deal *begin_deal(small_deal *s)
{
    *s = (small_deal){.d.what = "parts"};
    s->d.count = s->d.refused = s->d.open = s->d.left = DEALT;
    s->d.bytes = sizeof s->results[0];
    s->d.results = (char *)s->results;
    s->d.notes = s->notes;
    s->d.state = s->state;
    s->d.order = s->order;
    for (size_t i = 0; i < DEALT; i++) s->order[i] = i;
    return &s->d;
}

/* A batch of one record and what follows it. */
static int take_one(deal *d, deal_record head, size_t follow)
{
    char bytes[sizeof head + 64] = {0};
    memcpy(bytes, &head, sizeof head);
    return deal_take(d, bytes, sizeof head + follow);
}

static deal_record record_of(uint64_t task, uint64_t length, uint64_t notes, uint64_t failed)
{
    deal_record head = {0, 0, 0, 0, 0.0};
    head.task = task;
    head.length = length;
    head.notes = notes;
    head.failed = failed;
    return head;
}

TEST(a_batch_that_is_none_is_not_taken)
{
    small_deal s;
    deal *d = begin_deal(&s);
    const deal_record good = record_of(1, 8, 2, 0);
    CHECK(!deal_take(d, (const char *)&good, sizeof good - 1));
    CHECK(!take_one(d, good, 7));      /* the result is cut off, and so are its notes */
    CHECK(!take_one(d, good, 9));
    CHECK(!take_one(d, record_of(1, (uint64_t)-1, 2, 0), 10));
    CHECK(!take_one(d, record_of(DEALT, 8, 0, 0), 8));
    CHECK(!take_one(d, record_of(DEALT, 0, 8, 1), 8));
    CHECK(!take_one(d, record_of(1, 7, 0, 0), 7));
    CHECK(d->left == DEALT && d->refused == DEALT);
    CHECK(take_one(d, good, 10) && d->left == DEALT - 1 && s.notes[1].length == 2);
    CHECK(take_one(d, good, 10) && d->left == DEALT - 1);
    CHECK(take_one(d, record_of(2, 0, 3, 1), 3) && d->refused == 2);
    CHECK(take_one(d, record_of(2, 0, 3, 1), 3) && d->refused == 2);
    CHECK(take_one(d, record_of(0, 0, 3, 1), 3) && d->refused == 0 && deal_is_over(d));
}

TEST(what_a_journal_has_fits_or_is_refused)
{
    small_deal s;
    deal *d = begin_deal(&s);
    deal_record head = record_of(DEALT, 8, 0, 0);
    const double value = 2.5, other = 3.5;
    CHECK(!deal_keep(d, &head, (const char *)&value));
    head.task = 2;
    head.length = 7;
    CHECK(!deal_keep(d, &head, (const char *)&value));
    head.length = 8;
    s.state[2] = DEAL_ELSEWHERE;
    CHECK(deal_keep(d, &head, (const char *)&value) && d->left == DEALT);
    CHECK(deal_keep(d, &head, (const char *)&other));
    CHECK_REL(s.results[2], 2.5, 0.0);
}

/* Ranges whose results are large are short. */
TEST(ranges_are_of_some_milliseconds_and_some_bytes)
{
    small_deal s;
    deal *d = begin_deal(&s);
    d->open = 1000;
    d->task_s = 1e-9;
    d->bytes = 1000000;
    deal_range range = deal_next(d, 1);
    CHECK(range.from == 0 && range.to == 1);
    d->bytes = 1;
    range = deal_next(d, 1);
    CHECK(range.from == 1 && range.to == DEALT);
    range = deal_next(d, 1);
    CHECK(range.from == range.to);
}

static void lose_range(size_t from, size_t to)
{
    small_deal s;
    deal_range range = {.from = from, .to = to};
    deal_lose(begin_deal(&s), range, "it left");
}
static void lose_none(void) { lose_range(DEALT, DEALT); }
static void lose_two(void) { lose_range(1, 3); }

TEST(who_is_lost_is_said_with_its_task)
{
    CHECK_TEXT(losing(lose_none), "parts: it left with task 0 of 3");
    CHECK_TEXT(losing(lose_two), "parts: it left with task 2 or one of the next of 3");
}

/* A rank that is not the first keeps no journal. */
TEST(ranks_do_the_work_of_processes)
{
    static const deal_ranks second = {1, 2, do_all};
    double first = 0.5, parts[2 * PART];
    char program[] = "p", *argv[] = {program};
    parallel_begin(1, argv, "1.2.3");
    enter_folder();
    journal_use("journal", 1, 1);
    deal_mpi = &second;
    parallel_run(2, 4, fill_part, &first, parts, PART * sizeof *parts, "parts");
    CHECK(parallel_shared(1, 1) == NULL);
    deal_mpi = NULL;
    CHECK(parallel_shared(1, 1) == NULL);
    journal_use(NULL, 1, 1);
    for (size_t i = 0; i < 2 * PART; i++) CHECK_REL(parts[i], 0.5 + (double)i, 0.0);
    CHECK(leave_folder() == 0);
}

static void share_too_much(void) { parallel_shared((size_t)-1 / 2, 4); }
static void share_all(void) { parallel_shared((size_t)-1 / 16 * 15, 1); }

TEST(shared_memory_begins_as_zeroes)
{
    const char *none = (const char *)parallel_shared(0, 8), *one;
    one = (const char *)parallel_shared(1, 0);
    CHECK(none && one && *none == 0 && *one == 0);
    CHECK_TEXT(dying(share_too_much), "out of memory");
    CHECK_TEXT(dying(share_all), "out of memory");
}

/* ---- Progress, on a terminal ------------------------------------------------------ */

/* What body shows where stderr is a terminal; NULL: there is none. In a child: what was shown
 * last, and when, is not known to it. */
static const char *shown_by(void (*body)(void))
{
    static char text[512];
    const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
    const char *name = terminal >= 0 && grantpt(terminal) == 0 && unlockpt(terminal) == 0
                       ? ptsname(terminal) : NULL;
    const int slave = name ? open(name, O_RDWR | O_NOCTTY) : -1;
    size_t length = 0;
    ssize_t n = 1;
    if (slave < 0) return NULL;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        dup2(slave, STDERR_FILENO);
        body();
        fputs("|", stderr);
        fflush(stderr);
        _exit(0);
    }
    while (n > 0 && length < sizeof text - 1 && (length == 0 || text[length - 1] != '|')) {
        n = read(terminal, text + length, sizeof text - 1 - length);
        length += n > 0 ? (size_t)n : 0;
    }
    text[length] = '\0';
    waitpid(child, NULL, 0);
    close(slave);
    close(terminal);
    return text;
}

static double left_s;
static void show_left(void) { tool_progress_left("runs", 1, 2, left_s); }
static void show_some(void)
{
    tool_progress("runs", 0, 4);
    tool_progress("runs", 1, 4);       /* so soon that nobody could read it */
    tool_progress("runs", 4, 4);
    tool_is_quiet = 1;
    tool_progress("runs", 4, 4);
}

static size_t half(const void *ctx) { return *(const size_t *)ctx / 2; }
static size_t one_more(const void *ctx) { return *(const size_t *)ctx + 1; }
static void watch_by(size_t (*done)(const void *ctx))
{
    size_t total = 10;
    double first = 0.5, part[PART];
    parallel_watch(done, &total, total);
    parallel_run(1, 1, fill_part, &first, part, sizeof part, "parts");
}

static void watch_some(void) { watch_by(half); }
static void watch_too_many(void) { watch_by(one_more); }

TEST(on_a_terminal_what_is_left_is_shown)
{
    static const struct { double s; const char *text; } left[] = {
        {0.2, "1 s"}, {42.0, "42 s"}, {180.0, "3 min"}, {7200.0, "2 h"}, {259200.0, "3 d"}
    };
    const char *shown = shown_by(show_some);
    if (!shown) {
        puts("skipped: no terminal to show progress on");
        return;
    }
    CHECK_TEXT(shown, "\rruns: 0 of 4\033[K\r\033[K|");
    for (size_t i = 0; i < COUNT_OF(left); i++) {
        char expected[64];
        snprintf(expected, sizeof expected, "\rruns: 1 of 2, about %s left\033[K|", left[i].text);
        left_s = left[i].s;
        CHECK_TEXT(shown_by(show_left), expected);
    }
    CHECK(strncmp(shown_by(watch_some), "\rparts: 5 of 10, about ", 23) == 0);
    CHECK(strchr(shown_by(watch_too_many), ':') == NULL); /* over: the line is cleared */
}

TEST_MAIN("test_tools");
