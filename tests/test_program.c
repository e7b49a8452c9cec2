/* test_program.c - a program of several commands: its help, its notes, its wrong words */
#define _XOPEN_SOURCE 700              /* fork, mkdtemp */

#include "test.h"
#include "base/csv.h"
#include "base/printers.h"
#include "base/rows.h"
#include "child.h"
#include "jobs/process.h"
#include "options/program.h"

#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

/* ---- Programs of several commands --------------------------------------------- */

static int ran(const args *a, int status)
{
    printf("ran %s\n", a->command->name);
    return status;
}

static int run_plain(args *a) { return ran(a, EXIT_DONE); }
static int run_left(args *a) { return ran(a, EXIT_CHECK); }

static int run_open(args *a)
{
    printf("opened %s\n", a->files[0]);
    return EXIT_DONE;
}

static const option_use of_plain[] = {ABOUT("usage: plain\n\nIs plain.\n\nAnd more.\n"),
                                      USE(WORKERS), USE(ALL)};
static const option_use of_left[] = {
    USE_AS(POLICY, REPEATED, "P", NULL, "a policy of no\nmeaning:\nhere\tat all, as 20 % of what "
           "a long line of many more words says, which does not end before this", "none"),
    ABOUT("left help\n")
};
static const option_use of_parted[] = {ABOUT("parted help\n")};
static const option_use of_open[] = {ABOUT("open help\n")};

static const args_command left_part = {"left", NULL, run_left, of_left, COUNT_OF(of_left), NULL, 0,
                                       0, 0, NULL, 0, ONE(POLICY)};
static const args_command right_part = {"right", NULL, run_plain, of_plain, COUNT_OF(of_plain),
                                        NULL, 0, 0, 1, NULL, 0, NOTHING};
static const args_command *const parts[] = {&left_part, &right_part};
static const args_command plain = {"plain", "the first", run_plain, of_plain, COUNT_OF(of_plain),
                                   NULL, 0, 0, 1, NULL, 0, ONE(ALL)};
static const args_command parted = {"parted", "the second", NULL, of_parted, COUNT_OF(of_parted),
                                    NULL, 0, 0, 0, parts, COUNT_OF(parts), NOTHING};
static const args_command opens = {"open", "the third", run_open, of_open, COUNT_OF(of_open),
                                   NULL, 0, 1, 1, parts, 1, NOTHING};
static const args_command *const all_commands[] = {&plain, &parted, &opens};
static const program several = {all_commands, COUNT_OF(all_commands), "1.2.3", "Tests."};

static const char *command_line;
static int program_status;

/* Runs the words of command_line; what it prints goes to "all". */
static void run_program(void)
{
    char line[128], *argv[8], *word;
    int argc = 1;
    if (!freopen("all", "wb", stdout)) abort();
    strcpy(line, command_line);
    argv[0] = line + strlen(line);
    for (word = strtok(line, " "); word; word = strtok(NULL, " ")) argv[argc++] = word;
    if (program_run(&several, argc, argv) != program_status) tool_fail("another status");
    fflush(stdout);
}

static const char *printed(const char *line, int status)
{
    command_line = line;
    program_status = status;
    const char *said = dying(run_program);
    return strcmp(said, "lived") == 0 ? file_text("all") : said;
}

TEST(a_program_runs_its_commands_and_their_parts)
{
    enter_folder();
    CHECK_TEXT(printed("plain x", EXIT_DONE), "ran plain\n");
    CHECK_TEXT(printed("parted left", EXIT_CHECK), "ran left\n");
    CHECK_TEXT(printed("parted right --all", EXIT_DONE), "ran right\n");
    CHECK_TEXT(printed("open left", EXIT_CHECK), "ran left\n");
    put_file("right", "");
    CHECK_TEXT(printed("open right", EXIT_DONE), "opened right\n");
    CHECK_TEXT(printed("-V", EXIT_DONE), "sgdperf 1.2.3\n");
    CHECK_TEXT(printed("--version", EXIT_DONE), "sgdperf 1.2.3\n");
    leave_folder();
}

static const char plain_help[] =
    "usage: plain\n\nIs plain.\n\nAnd more.\n"
    "  --workers W  numbers of workers, as 1,2,4 or 1-64:4 (step 4); required\n"
    "  --all        prints all configurations, the shortest epoch first\n";
static const char plain_brief[] =
    "usage: plain\nIs plain.\n"
    "  --all  prints all configurations, the shortest epoch first\n"
    "sgdperf plain --help has all: options, units, defaults, an example.\n";
static const char left_help[] =
    "  --policy P  a policy of no [none]\n"
    "              meaning:\n"
    "      here    at all, as 20 % of what a long line of many more words says, which\n"
    "              does not end before this\n"
    "left help\n";
static const char left_brief[] =
    "left help\n"
    "  --policy P  a policy of no [none]\n"
    "sgdperf parted left --help has all: options, units, defaults, an example.\n";
static const char parted_brief[] =
    "parted help\n"
    "sgdperf parted --help has all: options, units, defaults, an example.\n";

TEST(help_is_found_in_every_way)
{
    static const char *const all[] = {"--help", "-h", "help", "help help", "help --help"};
    static const struct { const char *line, *text; } one[] = {
        {"plain --help", plain_help}, {"plain -h", plain_brief},
        {"help plain", plain_help}, {"plain --all x -h y z", plain_brief},
        {"parted -h", parted_brief}, {"parted left -h", left_brief},
        {"help parted left", left_help},
        {"parted left --help", left_help}, {"open --help", "open help\n"},
        {"help open left", left_help}, {"--help plain", plain_help},
        {"-h parted left", left_help}, {"help -h plain", plain_help}
    };
    size_t i;
    enter_folder();
    for (i = 0; i < COUNT_OF(all); i++)
        CHECK(strncmp(printed(all[i], EXIT_DONE), "usage: sgdperf COMMAND ", 23) == 0);
    for (i = 0; i < COUNT_OF(one); i++) CHECK_TEXT(printed(one[i].line, EXIT_DONE), one[i].text);
    leave_folder();
}

TEST(what_nobody_knows_gets_the_nearest_known)
{
    static const struct { const char *line, *message; } bad[] = {
        {"", "a command is missing, see sgdperf --help"},
        {"plian", "'plian' is not a command, did you mean plain?"},
        {"help plin", "'plin' is not a command, did you mean plain?"},
        {"zebra", "'zebra' is not a command: sgdperf --help lists the commands"},
        {"plain --worker 3", "--worker: unknown option, did you mean --workers?"},
        {"plain --worker=3", "--worker: unknown option, did you mean --workers?"},
        {"plain --policy x", "--policy: unknown option of plain; these take it: parted left, "
                             "open left"},
        {"parted left --all", "--all: unknown option of parted left; these take it: plain, "
                              "parted right"},
        {"plain --zebra", "--zebra: unknown option, see sgdperf plain --help"},
        {"parted up", "parted: 'up' is not one of left, right"},
        {"parted lft", "parted: 'lft' is not one of left, right; did you mean left?"},
        {"parted", "parted: a subcommand is missing: name one of left, right"},
        {"parted --format csv", "parted: name the subcommand before the options"},
        {"open", "open: a file is missing, see --help"},
        {"open lft", "open: 'lft' is not one of left, nor a file; did you mean left?"},
        {"help open lft", "open: 'lft' is not one of left, nor a file; did you mean left?"},
        {"help open other", "open: 'other' is not one of left, nor a file"},
        {"plain --all 1", "--all: takes no value, but '1' follows"},
        {"parted right --all no", "--all: takes no value, but 'no' follows"}
    };
    enter_folder();
    for (size_t i = 0; i < COUNT_OF(bad); i++)
        CHECK_TEXT(printed(bad[i].line, EXIT_DONE), bad[i].message);
    leave_folder();
}

TEST(extra_words_are_refused)
{
    static const struct { const char *line, *message; } bad[] = {
        {"--version x", "--version: 'x' is one argument too many, see sgdperf --help"},
        {"-V x", "-V: 'x' is one argument too many, see sgdperf --help"},
        {"--options x", "--options: 'x' is one argument too many, see sgdperf --help"},
        {"help plain x", "help: 'x' is one argument too many, see sgdperf --help"},
        {"--help parted left x", "help: 'x' is one argument too many, see sgdperf --help"}
    };
    enter_folder();
    for (size_t i = 0; i < COUNT_OF(bad); i++)
        CHECK_TEXT(printed(bad[i].line, EXIT_DONE), bad[i].message);
    leave_folder();
}

TEST(every_option_of_every_command_is_listed)
{
    enter_folder();
    CHECK_TEXT(printed("--options", EXIT_DONE),
                     "command,option,kind\n"
                     "plain,--workers,value\nplain,--all,flag\nplain,--help,flag\n"
                     "plain,--format,value\nplain,--notes,flag\n"
                     "parted,--help,flag\n"
                     "parted left,--policy,repeated\nparted left,--help,flag\n"
                     "parted left,--format,value\nparted left,--notes,flag\n"
                     "parted right,--workers,value\nparted right,--all,flag\n"
                     "parted right,--help,flag\nparted right,--format,value\n"
                     "parted right,--notes,flag\n"
                     "open,--help,flag\nopen,--format,value\nopen,--notes,flag\n"
                     "open left,--policy,repeated\nopen left,--help,flag\n"
                     "open left,--format,value\nopen left,--notes,flag\n");
    leave_folder();
}

TEST(all_that_options_say_is_listed_for_scripts)
{
    enter_folder();
    CHECK_TEXT(printed("--options all", EXIT_DONE),
               "command\tplain\tthe first\n"
               "text\tusage: plain\ntext\t\ntext\tIs plain.\ntext\t\ntext\tAnd more.\n"
               "option\t--workers\tW\tnumbers of workers, as 1,2,4 or 1-64:4 (step 4); "
               "required\t\n"
               "option\t--all\t\tprints all configurations, the shortest epoch first\t\n"
               "command\tparted\tthe second\ntext\tparted help\n"
               "command\tparted left\t\n"
               "option\t--policy\tP\ta policy of no\\nmeaning:\\nhere\\tat all, as 20 % "
               "of what a long line of many more words says, which does not end before this\tnone\n"
               "text\tleft help\n"
               "command\tparted right\t\n"
               "text\tusage: plain\ntext\t\ntext\tIs plain.\ntext\t\ntext\tAnd more.\n"
               "option\t--workers\tW\tnumbers of workers, as 1,2,4 or 1-64:4 (step 4); "
               "required\t\n"
               "option\t--all\t\tprints all configurations, the shortest epoch first\t\n"
               "command\topen\tthe third\ntext\topen help\n"
               "command\topen left\t\n"
               "option\t--policy\tP\ta policy of no\\nmeaning:\\nhere\\tat all, as 20 % "
               "of what a long line of many more words says, which does not end before this\tnone\n"
               "text\tleft help\n");
    leave_folder();
}

TEST(what_may_stand_next_is_offered)
{
    enter_folder();
    CHECK_TEXT(printed("--complete p", EXIT_DONE), "\nplain\tthe first\nparted\tthe second\n");
    CHECK_TEXT(printed("--complete help o", EXIT_DONE), "\nopen\tthe third\n");
    CHECK_TEXT(printed("--complete plain --a", EXIT_DONE),
               "\n--all\tprints all configurations, the shortest epoch first\n");
    CHECK_TEXT(printed("--complete parted r", EXIT_DONE), "\nright\t\n");
    CHECK_TEXT(printed("--complete open left --f", EXIT_DONE),
               "\n--format\toutput format: table, csv or json\n");
    CHECK_TEXT(printed("--complete open --format=c", EXIT_DONE), "\n--format=csv\t\n");
    CHECK_TEXT(printed("--complete open --format j", EXIT_DONE), "\njson\t\n");
    CHECK_TEXT(printed("--complete plain x", EXIT_DONE), "files \n");
    CHECK_TEXT(printed("--complete plain --workers x", EXIT_DONE), "\n");
    CHECK_TEXT(printed("--complete none x", EXIT_DONE), "\n");
    leave_folder();
}

/* ---- Notes ----------------------------------------------------------------- */

static const char *quantity;
static number_unit quantity_unit;

static void read_quantity(void)
{
    static const option_use about[] = {USE(UNIT)};
    static const args_command sized = {"x", NULL, NULL, about, 1, NULL, 0, 0, 0, NULL, 0, NOTHING};
    char name[] = "x", option[] = "--unit", value[32], *argv[3];
    output out = {0};
    args a;
    double *list;
    argv[0] = name;
    argv[1] = option;
    argv[2] = strcpy(value, quantity);
    args_parse(&a, &sized, 3, argv);
    if (strchr(quantity, ',')) args_quantities(&a, OPTION_UNIT, quantity_unit, NUMBER_ANY, &list);
    else args_quantity(&a, OPTION_UNIT, quantity_unit, NUMBER_ANY, 0.0);
    output_flush(&out, EXIT_DONE);
}

TEST(a_quantity_that_lost_its_unit_is_noted)
{
    static const struct { const char *text; number_unit unit; const char *said; } read[] = {
        {"10", UNIT_BANDWIDTH, "sgdperf: note: --unit: '10' has no unit and is taken for bytes "
                               "per second: write 10Gbps or 10B/s\n"},
        {"98", UNIT_SIZE, "sgdperf: note: --unit: '98' has no unit and is taken for bytes: "
                          "write 98MB or 98B\n"},
        {"98MB,5", UNIT_SIZE, "sgdperf: note: --unit: '5' has no unit and is taken for bytes: "
                              "write 5MB or 5B\n"},
        {"10B/s", UNIT_BANDWIDTH, ""}, {"1.25e9", UNIT_BANDWIDTH, ""}, {"0", UNIT_SIZE, ""},
        {"1000", UNIT_BANDWIDTH, "sgdperf: note: --unit: '1000' has no unit and is taken for "
                                 "bytes per second: write 1000Gbps or 1000B/s\n"},
        {"5", UNIT_TIME, "sgdperf: note: --unit: '5' has no unit and is taken for seconds: "
                         "write 5ms or 5s\n"},
        {"5s", UNIT_TIME, ""}, {"0.03", UNIT_TIME, ""}, {"10", UNIT_NONE, ""}
    };
    enter_folder();
    for (size_t i = 0; i < COUNT_OF(read); i++) {
        quantity = read[i].text;
        quantity_unit = read[i].unit;
        CHECK_TEXT(notes_of(read_quantity), read[i].said);
    }
    leave_folder();
}

static const char *table_text_read;

/* Asks for a, role and model_bytes; b only by its number. */
static void read_columns(void)
{
    output out = {0};
    put_file("t.csv", table_text_read);
    const csv_table *t = csv_read("t.csv", 0);
    csv_column(t, "role");
    csv_column(t, "model_bytes");
    csv_column(t, "role");
    csv_column(t, "mole");
    csv_column(t, "at");
    csv_require(t, "a");
    output_flush(&out, EXIT_DONE);
}

static void note_twice(void)
{
    output out = {0};
    tool_note("small", "%s is small", "x\n");
    tool_note("other", "y");
    tool_note("small", "%s is small", "x\n");
    output_flush(&out, EXIT_DONE);
    output_flush(&out, EXIT_DONE);
}
static void note_and_fail(void) { tool_note("other", "x"); tool_fail("bad"); }

TEST(notes_come_once_and_after_the_results)
{
    enter_folder();
    CHECK_TEXT(notes_of(note_twice), "sgdperf: note: x? is small\nsgdperf: note: y\n");
    CHECK_TEXT(dying(note_and_fail), "bad");
    leave_folder();
}

/* Notes of the keys in `keys`, separated by blanks, whose texts are "0", "1" and so on. */
static const char *keys;
static void note_keys(void)
{
    const char *at = keys;
    output out = {0};
    for (int i = 0; *at != '\0'; i++) {
        char key[32];
        const size_t length = strcspn(at, " ");
        snprintf(key, sizeof key, "%.*s", (int)length, at);
        tool_note(key, "%d", i);
        at += length + (at[length] == ' ');
    }
    output_flush(&out, EXIT_DONE);
}
static void note_all_keys(void)
{
    tool_all_notes = 1;
    note_keys();
}

TEST(notes_of_the_highest_rank_come_and_the_others_are_counted)
{
    static const struct { const char *keys, *shown, *all; } noted[] = {
        {"found", "0", "0"},
        {"found few-rows none left-out", "3 1 0 +1", "3 1 0 2"},
        {"found few-rows left-out", "2 1 0", "2 1 0"},
        {"found few-rows left-out found none few-rows", "2 1 5 +3", "2 1 5 0 3 4"},
        {"found missing-unit nothing-fits file-cut", "2 1 3 +1", "2 1 3 0"},
        /* What may make the answer wrong is never left out. */
        {"found missing-unit left-out missing-unit missing-unit missing-unit", "1 3 4 5 +2",
         "1 3 4 5 2 0"}
    };
    enter_folder();
    for (size_t i = 0; i < COUNT_OF(noted); i++) {
        for (int all = 0; all < 2; all++) {
            char text[512] = "", line[64];
            for (const char *at = all ? noted[i].all : noted[i].shown; *at != '\0';) {
                const int n = atoi(at + (*at == '+'));
                if (*at != '+') snprintf(line, sizeof line, "sgdperf: note: %d\n", n);
                else snprintf(line, sizeof line, "sgdperf: %d more note%s: --notes prints all "
                              "notes\n", n,
                              n == 1 ? "" : "s");
                strcat(text, line);
                at += strcspn(at, " ");
                at += *at == ' ';
            }
            keys = noted[i].keys;
            CHECK_TEXT(notes_of(all ? note_all_keys : note_keys), text);
        }
    }
    leave_folder();
}

TEST(each_key_has_one_rank_and_keys_of_one_effect_stand_together)
{
    note_effect before = NOTE_ANSWER, effect, other;
    size_t i = 0;
    for (const char *key; (key = tool_note_rank(i, &effect)) != NULL; i++) {
        CHECK(strlen(key) < 32 && strspn(key, "abcdefghijklmnopqrstuvwxyz-") == strlen(key));
        CHECK(effect >= before);
        before = effect;
        for (size_t k = 0; k < i; k++) CHECK(strcmp(tool_note_rank(k, &other), key) != 0);
    }
    CHECK(i > 90);
}

TEST(columns_nearly_called_like_missing_ones_are_noted)
{
    static const struct { const char *text, *said; } files[] = {
        {"a,rol\n1,2\n", "sgdperf: note: t.csv:1: column 'rol' is not known; "
                         "did you mean 'role'?\n"},
        {"#\na,model_byte\n1,2\n", "sgdperf: note: t.csv:2: column 'model_byte' is not known; "
                                   "did you mean 'model_bytes'?\n"},
        {"a,model-byts\n1,2\n", "sgdperf: note: t.csv:1: column 'model-byts' is not known; "
                                "did you mean 'model_bytes'?\n"},
        {"a,role,b\n1,2,3\n", ""},     /* mole is missing, but role was asked for */
        {"a, MODEL_BYTES\n1,2\n", "sgdperf: note: t.csv:1: column ' MODEL_BYTES' is not known; "
                                  "did you mean 'model_bytes'?\n"},
        {"a,model\n1,2\n", "sgdperf: note: t.csv:1: column 'model' is not known; "
                           "did you mean 'model_bytes'?\n"},
        {"a,Model_MB\n1,2\n", "sgdperf: note: t.csv:1: column 'Model_MB' is not known; "
                              "did you mean 'model_bytes'?\n"},
        {"a,it,ratio,bytes,model_name\n1,2,3,4,5\n", ""}
    };
    enter_folder();
    for (size_t i = 0; i < COUNT_OF(files); i++) {
        table_text_read = files[i].text;
        CHECK_TEXT(notes_of(read_columns), files[i].said);
    }
    table_text_read = "aa,role\n1,2\n";
    CHECK_TEXT(dying(read_columns), "t.csv:1: column 'a' is missing");
    leave_folder();
}

static void require_near(void)
{
    put_file("t.csv", "think\n1\n");
    csv_require(csv_read("t.csv", 0), "thinks");
}

TEST(a_required_column_is_found_by_its_misspelt_name)
{
    enter_folder();
    CHECK_TEXT(dying(require_near), "t.csv:1: column 'thinks' is missing; did you mean 'think'?");
    leave_folder();
}

/* ---- Schema ----------------------------------------------------------------- */

static const char *flush_schema;
static int flush_members;
static void flush_object(void)
{
    output out = {0};
    if (!freopen("all", "wb", stdout)) abort();
    output_schema(flush_schema);
    json_object(&out, NULL);
    if (flush_members) json_object(&out, "inner");
    if (flush_members) json_end(&out);
    json_end(&out);
    output_flush(&out, EXIT_DONE);
}
static void flush_array(void)
{
    output out = {0};
    if (!freopen("all", "wb", stdout)) abort();
    output_schema(flush_schema);
    json_array(&out, NULL);
    json_object(&out, NULL);
    json_end(&out);
    json_end(&out);
    output_flush(&out, EXIT_DONE);
}

TEST(a_json_object_on_stdout_begins_with_its_schema)
{
    enter_folder();
    flush_schema = "balance gpu";
    CHECK_TEXT(dying(flush_object), "lived");
    CHECK_TEXT(file_text("all"), "{\"schema\":\"sgdperf.balance.gpu/1\"}\n");
    CHECK_TEXT(dying(flush_array), "lived");
    CHECK_TEXT(file_text("all"), "[{}]\n");
    flush_members = 1;
    CHECK_TEXT(dying(flush_object), "lived");
    CHECK_TEXT(file_text("all"), "{\"schema\":\"sgdperf.balance.gpu/1\",\"inner\":{}}\n");
    flush_schema = NULL;
    CHECK_TEXT(dying(flush_object), "lived");
    CHECK_TEXT(file_text("all"), "{\"inner\":{}}\n");
    CHECK(leave_folder() == 1);
}

/* ---- Other programs ------------------------------------------------------------- */

static process_answer answer;

static int run_shell(const char *script, size_t input)
{
    static char zeroes[20000];
    const char *words[] = {"sh", "-c", "", NULL};
    words[2] = script;
    return process_run(words, zeroes, input, &answer);
}

static void limit(int what, rlim_t most)
{
    struct rlimit r = {most, most};
    signal(SIGXFSZ, SIG_IGN);
    if (setrlimit(what, &r) != 0) abort();
}
/* So many descriptors beyond those of stdin, stdout and stderr, whatever was inherited. */
static void limit_files(rlim_t left)
{
    for (int i = STDERR_FILENO + 1; i < 256; i++) (void)close(i);
    limit(RLIMIT_NOFILE, STDERR_FILENO + 1 + left);
}
static void run_without_files(void)
{
    limit_files(1);
    if (run_shell("exit 3", 0) != PROCESS_NONE) tool_fail("ran");
}
static void run_without_room(void)
{
    limit(RLIMIT_FSIZE, 16);
    if (run_shell("exit 3", 100) != PROCESS_NONE) tool_fail("ran on little");
    if (run_shell("exit 3", 20000) != PROCESS_NONE) tool_fail("ran on much");
}

TEST(another_program_answers_or_is_said_to_fail)
{
    const char *many[] = {"echo", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12",
                          "13", "14", "15", NULL};
    const char *none[] = {"./no such program", NULL};
    CHECK(run_shell("wc -c; echo first >&2; echo last >&2; exit 3", 100) == 3);
    CHECK(strstr(answer.text, "100") && strcmp(answer.said, "last") == 0);
    CHECK(run_shell("printf '%0400d' 0 >&2", 0) == 0 && answer.length == 0);
    CHECK(strlen(answer.said) == sizeof answer.said - 1);
    CHECK(run_shell("kill -9 $$", 0) == PROCESS_SIGNAL + 9);
    CHECK(process_run(many, "", 0, &answer) == PROCESS_NONE);
    many[15] = NULL;
    CHECK(process_run(many, "", 0, &answer) == 0 && strstr(answer.text, "14"));
    CHECK(process_run(none, "", 0, &answer) == PROCESS_NONE);
    CHECK_TEXT(dying(run_without_files), "lived");
    CHECK_TEXT(dying(run_without_room), "lived");
}

/* A file of the test's folder, named from that of the program. */
static const char *beside(const char *name)
{
    static char path[600];
    char here[512];
    if (!getcwd(here, sizeof here)) abort();
    snprintf(path, sizeof path, "../../../../../../../../../../../..%s/%s", here, name);
    return process_file(path);
}
static void look_as_user(void)
{
    if (geteuid() == 0 && setuid(65534) != 0) _exit(1);
    if (beside("closed")) tool_fail("found what cannot be read");
}
static void look_as_other(void)
{
    if (beside("other")) tool_fail("found what is another's");
    if (setuid(65533) != 0) _exit(1);
    if (!beside("good")) return;       /* the program is where others may not look    */
    if (!beside("other")) tool_fail("did not find its own");
}

TEST(a_file_beside_the_program_is_nobody_elses)
{
    enter_folder();
    put_file("good", "x");
    CHECK(beside("good") != NULL && beside("none") == NULL && beside(".") == NULL);
    put_file("open", "x");
    CHECK(chmod("open", 0666) == 0 && beside("open") == NULL);
    put_file("closed", "x");
    CHECK(chmod("closed", 0) == 0);
    put_file("other", "x");
    CHECK(chmod(".", 0755) == 0);
    CHECK_TEXT(dying(look_as_user), "lived");
    if (chown("other", 65533, 65533) == 0) CHECK_TEXT(dying(look_as_other), "lived");
    CHECK(leave_folder() == 4);
}

/* ---- Rows, by several processes ----------------------------------------------------- */

enum { ROWS = 9000 };
enum { NO_FAULT = 0, KILLED, FAILED };

static int fault_of_child;

/* In a child of fork, at once. */
static void spoil_child(void)
{
    if (fault_of_child == KILLED) raise(SIGKILL);
    if (fault_of_child == FAILED) close(STDOUT_FILENO);
}

static void print_rows(int fault)
{
    static uint32_t row[ROWS];
    for (uint32_t i = 0; i < ROWS; i++) row[i] = i;
    field one = field_whole("row", row, sizeof row[0]);
    fault_of_child = fault;
    if (pthread_atfork(NULL, NULL, spoil_child) != 0) abort();
    rows_use(3);
    if (!freopen("rows", "wb", stdout)) abort();
    output out = {.form = CSV};
    rows_table(&out, &one, 1, ROWS);
    (void)output_flush(&out, EXIT_DONE);
}
static void print_all_rows(void) { print_rows(NO_FAULT); }
static void print_until_killed(void) { print_rows(KILLED); }
static void print_until_failed(void) { print_rows(FAILED); }
static void print_without_sockets(void)
{
    limit_files(1);
    print_rows(NO_FAULT);
}

static void check_rows(void)
{
    FILE *file = fopen("rows", "rb");
    char line[32];
    unsigned lines = 0, row, wrong = 0;
    while (file && fgets(line, sizeof line, file)) {
        wrong += lines > 0 && (sscanf(line, "%u", &row) != 1 || row != lines - 1);
        lines++;
    }
    CHECK(file && wrong == 0 && lines == ROWS + 1);
    if (file) fclose(file);
}

TEST(rows_are_whole_or_why_not_is_said)
{
    enter_folder();
    CHECK_TEXT(dying(print_all_rows), "lived");
    check_rows();
    CHECK_TEXT(dying(print_without_sockets), "lived");
    check_rows();
    CHECK_TEXT(losing(print_until_killed), "signal 9 ended a process that printed");
    CHECK_TEXT(dying(print_until_failed), "cannot write the results to standard output");
    rows_use(0);
    CHECK(leave_folder() == 1);
}

TEST_MAIN("test_program");
