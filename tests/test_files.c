/* test_files.c - files that the program writes appear whole or not at all */
#define _XOPEN_SOURCE 700              /* fork, symlink, mkfifo, SIGXFSZ */

#include "test.h"
#include "base/file.h"
#include "base/output.h"
#include "base/stream.h"
#include "child.h"
#include "jobs/journal.h"
#include "jobs/parallel.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

/* ---- Files written whole ---------------------------------------------------- */

/* What a command does at its end, here without results. */
static void commit(out_file *out)
{
    output none = {0};
    out_commit(out);
    output_flush(&none, EXIT_DONE);
}

static void write_whole(const char *path, const char *text)
{
    out_file *out = out_open("--out", path);
    fputs(text, out_stream(out));
    commit(out);
}

/* In a child: permissions do not bind the superuser, for whom a fault in what is tested
 * could put a file in the place of a device. */
static void become_user(void)
{
    if (geteuid() == 0 && setuid(65534) != 0) _exit(1);
}

TEST(a_file_appears_when_it_is_whole)
{
    struct stat about;
    output none = {0};
    enter_folder();
    put_file("old", "before");
    CHECK(chmod("old", 0640) == 0);
    out_file *out = out_open("--out", "old");
    fputs("after", out_stream(out));
    fflush(out_stream(out));
    CHECK_TEXT(file_text("old"), "before");
    out_commit(out);
    CHECK_TEXT(file_text("old"), "before"); /* results are not printed yet */
    output_flush(&none, EXIT_DONE);
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
    enter_folder();
    put_file("in", "data");
    CHECK(symlink("in", "soft") == 0 && link("in", "hard") == 0);
    CHECK(getcwd(folder, sizeof folder) != NULL);
    snprintf(other, sizeof other, "%s/in", folder);
    for (size_t i = 0; i <= COUNT_OF(paths); i++) {
        out_path = i < COUNT_OF(paths) ? paths[i] : other;
        snprintf(want, sizeof want,
                 "--out: '%s' is also an input file: name another output file", out_path);
        CHECK_TEXT(dying(read_then_write), want);
        CHECK_TEXT(dying(write_then_read), want);
    }
    out_path = "soft";
    CHECK_TEXT(dying(write_twice),
                     "--more: 'soft' is also the output of --out: name different files");
    CHECK_TEXT(dying(make_twice),
                     "--more: './x' is also the output of --out: name different files");
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
        {"-", "--out: '-' is not the name of a file"},
        {".", "--out: '.' cannot be written: Is a directory"},
        {"no/file", "--out: 'no/file' cannot be written: No such file or directory"},
        {"file/x", "--out: 'file/x' cannot be written: Not a directory"},
        {"lost", "--out: 'lost' is a link to a missing file"}
    };
    enter_folder();
    put_file("file", "");
    CHECK(symlink("gone", "lost") == 0);
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        out_path = bad[i].path;
        CHECK_TEXT(dying(open_out), bad[i].message);
    }
    CHECK(leave_folder() == 2);
}

static void open_as_user(void)
{
    become_user();
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
    for (size_t i = 0; i < 100000; i++) fputs("0123456789", out_stream(out));
}
static int unbuffered;
static void exceed_limit(void)
{
    struct rlimit limit;
    signal(SIGXFSZ, SIG_IGN);
    limit.rlim_cur = limit.rlim_max = 65536;
    setrlimit(RLIMIT_FSIZE, &limit);
    out_file *out = out_open("--out", "file");
    if (unbuffered) setvbuf(out_stream(out), NULL, _IONBF, 0);
    fill_out(out);
    commit(out);
}
static void fill_device(void)
{
    become_user();
    out_file *out = out_open("--out", "/dev/full");
    fill_out(out);
    commit(out);
}
static void write_and_close(const char *path)
{
    out_file *out = out_open("--out", path);
    fputs("after", out_stream(out));
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
    unbuffered = 1;                    /* nothing is left for fclose to notice */
    CHECK_TEXT(dying(exceed_limit), "--out: 'file' cannot be written: an error in writing");
    CHECK_TEXT(dying(fail_half_way), "bad input");
    CHECK_TEXT(dying(leave_half_way), "lived");
    CHECK_TEXT(file_text("file"), "before");
    CHECK(leave_folder() == 1);
    if (access("/dev/full", W_OK) == 0)
        CHECK_TEXT(dying(fill_device), "--out: '/dev/full' cannot be written: "
                                       "No space left on device");
}

static void print_into_a_full_device(void)
{
    output results = {0};
    become_user();
    if (!freopen("/dev/full", "wb", stdout)) _exit(1);
    write_and_close("file");
    output_print(&results, "results");
    output_flush(&results, EXIT_DONE);
}

TEST(a_run_that_cannot_print_leaves_what_was_there)
{
    enter_folder();
    put_file("file", "before");
    CHECK(chmod(".", 0777) == 0 && chmod("file", 0666) == 0);
    if (access("/dev/full", W_OK) == 0)
        CHECK_TEXT(dying(print_into_a_full_device),
                   "cannot write the results to standard output");
    CHECK_TEXT(file_text("file"), "before");
    CHECK(leave_folder() == 1);
}

/* An input, or another output, under the name of a standard stream. */
static void write_stdout_twice(void)
{
    if (!freopen("file", "ab", stdout)) _exit(1);
    write_and_close("/dev/stdout");
    out_open("--out", "/dev/stdout");
    out_open("--more", "/dev/stdout");
}
static void append_to_an_input(void)
{
    if (!freopen("file", "ab", stdout)) _exit(1);
    read_input("file");
    out_open("--out", "/dev/stdout");
}
static void read_what_is_appended_to(void)
{
    if (!freopen("file", "ab", stdout)) _exit(1);
    out_open("--out", "/dev/stdout");
    read_input("file");
}

TEST(a_standard_stream_is_no_way_around)
{
    struct stat about;
    enter_folder();
    put_file("file", "before");
    if (stat("/dev/stdout", &about) == 0) {
        CHECK_TEXT(dying(write_stdout_twice),
                   "--more: '/dev/stdout' is also the output of --out: name different files");
        CHECK_TEXT(dying(append_to_an_input),
                         "--out: '/dev/stdout' is also an input file: name another output file");
        CHECK_TEXT(dying(read_what_is_appended_to),
                         "--out: '/dev/stdout' is also an input file: name another output file");
    }
    leave_folder();
}

/* Ends itself by a signal with a file half written; returns the signal. */
static int end_half_way(int number, int ignored)
{
    int status = 0;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        if (ignored) signal(number, SIG_IGN);
        fill_out(out_open("--out", "file"));
        raise(number);
        _exit(0);
    }
    if (child < 0 || waitpid(child, &status, 0) != child) return -1;
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGQUIT, SIGXFSZ};

TEST(a_run_that_is_ended_leaves_what_was_there)
{
    struct rlimit none = {0, 0};
    enter_folder();
    put_file("file", "before");
    setrlimit(RLIMIT_CORE, &none);     /* SIGQUIT would leave a file of its own */
    for (size_t i = 0; i < COUNT_OF(signals); i++) CHECK(end_half_way(signals[i], 0) == signals[i]);
    CHECK_TEXT(file_text("file"), "before");
    CHECK(leave_folder() == 1);
}

/* To run first: the handlers are set by the first output of a process. */
TEST(under_nohup_a_run_goes_on)
{
    enter_folder();
    CHECK(end_half_way(SIGHUP, 1) == 0);
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
    commit(out);
}
/* Meanwhile a child ends, by itself or by a signal. */
static void write_beside_a_child(int number)
{
    out_file *out = out_open("--out", "file");
    fputs("whole", out_stream(out));
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        if (number > 0) raise(number);
        exit(EXIT_DONE);
    }
    waitpid(child, NULL, 0);
    commit(out);
}

static void write_beside_good_tasks(void) { write_beside_tasks(0); }
static void write_beside_a_bad_task(void)
{
    if (!freopen("all", "wb", stdout)) abort();
    printf("once");                    /* and not by the child as well */
    write_beside_tasks(1);
}

TEST(processes_leave_the_outputs_of_their_parent)
{
    enter_folder();
    CHECK_TEXT(dying(write_beside_good_tasks), "lived");
    CHECK_TEXT(file_text("file"), "one,two");
    CHECK_TEXT(dying(write_beside_a_bad_task), "bad task");
    CHECK_TEXT(file_text("file"), "one,two");
    CHECK_TEXT(file_text("all"), "once");
    write_beside_a_child(0);
    CHECK_TEXT(file_text("file"), "whole");
    remove("file");
    write_beside_a_child(SIGTERM);
    CHECK_TEXT(file_text("file"), "whole");
    CHECK(leave_folder() == 2);
}

static void use_null_twice(void)
{
    become_user();
    write_whole("/dev/null", "x");
    read_input("/dev/null");
    write_whole("/dev/null", "x");
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
    enter_folder();
    CHECK_TEXT(dying(use_null_twice), "lived");
    CHECK_TEXT(dying(write_to_stdout), "lived");
    CHECK_TEXT(file_text("all"), "abc");
    CHECK(mkfifo("pipe", 0600) == 0);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        write_whole("pipe", "through");
        _exit(0);
    }
    CHECK_TEXT(file_text("pipe"), "through");
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    CHECK(leave_folder() == 2);
}

/* ---- At the limits ---------------------------------------------------------------- */

static void open_many(void)
{
    static char name[17][4];
    for (size_t i = 0; i < 17; i++) {
        snprintf(name[i], sizeof name[i], "o%u", (unsigned)i);
        out_open("--out", name[i]);
    }
}

/* Where others have taken all names of a temporary. */
static void take_all_names(void)
{
    char name[64];
    for (unsigned i = 0; i < 100; i++) {
        snprintf(name, sizeof name, ".sgdperf-%ld-%u", (long)getpid(), i);
        put_file(name, "");
    }
    out_open("--out", "out");
}

static void open_a_socket(void)
{
    const int file = socket(AF_UNIX, SOCK_STREAM, 0);
    struct sockaddr_un address = {0};
    address.sun_family = AF_UNIX;
    strcpy(address.sun_path, "socket");
    if (bind(file, (struct sockaddr *)&address, sizeof address) != 0) abort();
    out_open("--out", "socket");
}

/* Two that are whole, and one that is still open when the program ends. */
static void leave_one_open(void)
{
    output none = {0};
    out_file *out = out_open("--out", "/dev/null");
    out_open("--more", "open");
    read_input("in");
    close(STDOUT_FILENO);
    out_discard(out);
    out = out_open("--out", "one");
    out_commit(out);
    out_discard(out);
    out = out_open("--out", "two");
    fputs("2", out_stream(out));
    out_commit(out);
    output_flush(&none, EXIT_DONE);
}

static void write_silently(void)
{
    file_is_silent = 1;
    write_whole("silent", "x");
}

TEST(outputs_are_few_and_end_in_any_order)
{
    enter_folder();
    put_file("in", "input");
    CHECK_TEXT(dying(open_many), "--out: 'o16' is one output file too many");
    CHECK_TEXT(dying(open_a_socket),
               "--out: 'socket' cannot be written: No such device or address");
    CHECK_TEXT(dying(leave_one_open), "lived");
    CHECK_TEXT(file_text("two"), "2");
    CHECK_TEXT(file_text("one"), "?");
    CHECK_TEXT(file_text("open"), "?");
    CHECK_TEXT(dying(write_silently), "lived");
    CHECK(leave_folder() == 4);        /* the temporary of "open" stays: it ended by _exit */
    enter_folder();
    CHECK_TEXT(dying(take_all_names), "--out: 'out' cannot be written: File exists");
    CHECK(leave_folder() == 100);
}

static void write_the_last_input(void) { out_open("--out", "in39"); }

TEST(every_input_is_remembered)
{
    char name[8];
    enter_folder();
    for (unsigned i = 0; i < 40; i++) {
        snprintf(name, sizeof name, "in%u", i);
        put_file(name, "x");
        read_input(name);
    }
    CHECK_TEXT(dying(write_the_last_input),
                     "--out: 'in39' is also an input file: name another output file");
    CHECK(file_is_input(-1) == 0);
    CHECK(leave_folder() == 40);
}

/* ---- Streams ------------------------------------------------------------------------ */

/* "hello, hello, hello" and a line's end. */
static const char packed[] =
    "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\xcb\x48\xcd\xc9\xc9\xd7\x51\xc8\x40\xa2"
    "\xb8\x00\xe7\x42\x6e\x52\x14\x00\x00\x00";

static void put_bytes(const char *path, const char *bytes, size_t length)
{
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(bytes, 1, length, file) != length) abort();
    fclose(file);
}

static void read_packed(void)
{
    stream *s = stream_open("packed");
    while (stream_more(s, s->end) > 0) continue;
    stream_close(s);
}
static void read_without_gzip(void)
{
    setenv("PATH", "nowhere", 1);
    read_packed();
}
/* A gzip of the test's own. */
static void read_with_gzip(const char *does)
{
    char here[4096];                   /* a relative folder would not count */
    put_file("gzip", does);
    if (chmod("gzip", 0700) != 0 || !getcwd(here, sizeof here)) abort();
    setenv("PATH", here, 1);
    read_packed();
}
static void read_with_killed(void) { read_with_gzip("#!/bin/sh\nkill -9 $$\n"); }
static void read_with_talking(void)
{
    read_with_gzip("#!/bin/sh\nprintf '%0400d' 0 >&2\nexit 1\n");
}
static struct rlimit room;

/* A leak checker wants files at the end. */
static void give_room(void) { setrlimit(RLIMIT_NOFILE, &room); }

static void read_a_pipe_without_room(void)
{
    int ends[2];
    if (pipe(ends) != 0) abort();
    if (write(ends[1], packed, sizeof packed - 1) < 0 || dup2(ends[0], 0) < 0) abort();
    close(ends[0]);
    close(ends[1]);
    if (getrlimit(RLIMIT_NOFILE, &room) != 0 || atexit(give_room) != 0) abort();
    struct rlimit none = room;
    none.rlim_cur = 3;
    if (setrlimit(RLIMIT_NOFILE, &none) != 0) abort();
    stream_open("-");
}
static void read_long_text(void)
{
    stream *s = stream_open("long");
    while (stream_more(s, s->at) > 0) continue;
}

TEST(a_stream_is_of_any_file_or_says_why_not)
{
    char want[100];
    stream s, *of;
    enter_folder();
    stream_of(&s, "text", "abc", 3);
    CHECK(stream_peek(&s, 4) == 3);
    stream_close(&s);
    put_bytes("packed", packed, sizeof packed - 1);
    of = stream_open("packed");
    CHECK(stream_peek(of, 5) >= 5 && memcmp(of->at, "hello", 5) == 0);
    stream_close(of);                  /* before gzip has told its end */
    stream_close(of);
    CHECK_TEXT(dying(read_without_gzip),
                     "packed: the file is compressed, but gzip -dc cannot be run");
    CHECK_TEXT(dying(read_with_killed),
                     "packed: the file is compressed, but gzip -dc cannot be run");
    CHECK_TEXT(dying(read_with_talking), "packed: the gzip file is damaged");
    snprintf(want, sizeof want, "stdin: gzip -dc: %s", strerror(EMFILE));
    CHECK_TEXT(dying(read_a_pipe_without_room), want);
    put_bytes("half", "\x1f" "x", 2);
    of = stream_open("half");
    CHECK(stream_peek(of, 3) == 2);
    stream_close(of);
    put_file("long", "");
    CHECK(truncate("long", 2 * (off_t)STREAM_MOST) == 0);
    CHECK_TEXT(dying(read_long_text), "long: a text value is longer than 16 MiB");
    CHECK(leave_folder() == 4);
}

/* ---- Journals ------------------------------------------------------------------------- */

static const char journal_head_text[] =
    "sgdperf journal 2\nversion 1.2.3\nbuild 1-2-3\nshard 1/2\nformat csv\nwords 2\n"
    "7:cluster\n3:a b\nend\n";

static journal loaded;

static int load_journal(const char *text, size_t length)
{
    put_bytes("journal", text, length);
    int file = open("journal", O_RDONLY);
    memset(&loaded, 0, sizeof loaded);
    loaded.path = "journal";
    int whole = journal_load(&loaded, file);
    close(file);
    return whole;
}

static char changed[sizeof journal_head_text + 16];

static void load_changed(void) { (void)load_journal(changed, strlen(changed)); }

/* What is said of the text with `to` in place of `from`. */
static const char *without(const char *from, const char *to)
{
    const char *at = strstr(journal_head_text, from);
    if (!at) return "?";
    snprintf(changed, sizeof changed, "%.*s%s%s", (int)(at - journal_head_text),
             journal_head_text, to, at + strlen(from));
    return dying(load_changed);
}

static void load_a_folder(void)
{
    const int file = open(".", O_RDONLY);
    loaded.path = ".";
    (void)journal_load(&loaded, file);
}

TEST(a_journal_begins_whole_or_cut_off_or_is_refused)
{
    const size_t whole = sizeof journal_head_text - 1;
    char zeroes[sizeof journal_head_text] = {0};
    enter_folder();
    for (size_t length = 0; length < whole; length++)
        CHECK(!load_journal(journal_head_text, length) && loaded.length == 0);
    CHECK(load_journal(journal_head_text, whole) && loaded.records == whole);
    CHECK(loaded.shard == 1 && loaded.shards == 2 && loaded.word_count == 2);
    CHECK_TEXT(loaded.version, "1.2.3");
    CHECK_TEXT(loaded.build, "1-2-3");
    CHECK_TEXT(loaded.format, "csv");
    CHECK_TEXT(loaded.words[1], "a b");
    memcpy(zeroes, journal_head_text, 60);
    CHECK(!load_journal(zeroes, whole));     /* as a machine that goes down may leave it */
    CHECK_TEXT(without("journal 2", "journal 1"),
               "journal: the journal was written by another version and cannot be read: name "
               "another file");
    CHECK_TEXT(without("perf", "pref"),
               "journal: the file is not a journal of sgdperf: name another file");
    CHECK_TEXT(without("version", "Version"), "journal: damaged at byte 18");
    CHECK_TEXT(without("build", "built"), "journal: damaged at byte 32");
    CHECK_TEXT(without("shard", "share"), "journal: damaged at byte 44");
    CHECK_TEXT(without("1/2", "x/2"), "journal: damaged at byte 44");
    CHECK_TEXT(without("1/2", "0/2"), "journal: damaged at byte 44");
    CHECK_TEXT(without("1/2", "3/2"), "journal: damaged at byte 44");
    CHECK_TEXT(without("format", "Format"), "journal: damaged at byte 54");
    CHECK_TEXT(without("words", "Words"), "journal: damaged at byte 65");
    CHECK_TEXT(without("words 2", "words x"), "journal: damaged at byte 65");
    CHECK_TEXT(without("words 2", "words 999"), "journal: damaged at byte 65");
    CHECK_TEXT(without("7:", "7;"), "journal: damaged at byte 73");
    CHECK_TEXT(without("7:", "6:"), "journal: damaged at byte 73");
    CHECK_TEXT(without("end", "ens"), "journal: damaged at byte 89");
    CHECK_TEXT(dying(load_a_folder), ".: Is a directory");
    CHECK(leave_folder() == 1);
}

/* A run of two deals, of three tasks and of two. */
static unsigned ran;
static char     last_word[] = "x";

static void do_one(void *ctx, size_t i, void *result)
{
    ran++;
    *(double *)result = (double)i;
    if (!ctx || i != 1) return;
    fflush(NULL);
    if (fork() == 0) {                 /* no child says what its parent has */
        journal_at_signal();
        _exit(0);
    }
    wait(NULL);
    journal_at_signal();
    close(STDERR_FILENO);
    journal_at_signal();
}

static void begin_run(void)
{
    static char program[] = "sgdperf", word[] = "p", end[] = "--", option[] = "--processes=3";
    static char *argv[] = {program, word, option, end, last_word};
    parallel_begin((int)COUNT_OF(argv), argv, "1.2.3");
}

static void run_deals(size_t shards, void *ctx)
{
    double results[3];
    begin_run();
    journal_use("journal", 1, shards);
    parallel_run(3, 1, do_one, ctx, results, sizeof results[0], "runs");
    parallel_run(2, 1, do_one, NULL, results, sizeof results[0], "more");
}
static void run_all(void)
{
    run_deals(1, NULL);
    if (ran != 5) tool_fail("%u ran", ran);
}
static void run_none(void)
{
    run_deals(1, NULL);
    if (ran != 0) tool_fail("%u ran", ran);
}
static void run_a_third(void) { run_deals(3, NULL); }
static void run_told(void) { run_deals(1, &ran); }
static void run_without_value(void)
{
    static char program[] = "sgdperf", option[] = "--processes";
    static char *argv[] = {program, option};
    parallel_begin(2, argv, "1.2.3");
}

/* Adds a record of a task that is done: where it begins. */
static unsigned add_record(uint32_t number, uint64_t task)
{
    const int file = open("journal", O_WRONLY | O_APPEND);
    const off_t at = lseek(file, 0, SEEK_END);
    const double value = 0.0;
    journal_head head = {.kind = JOURNAL_DONE, .number = number, .task = task,
                         .length = sizeof value};
    journal_write(&loaded, file, head, (const char *)&value);
    close(file);
    return (unsigned)at;
}

/* A journal of this run whose first record is of a task. */
static unsigned begin_with_a_task(void)
{
    static char word[] = "p", end[] = "--";
    static char *words[] = {word, end, last_word};
    static char version[] = "1.2.3";
    const int file = open("journal", O_WRONLY | O_CREAT | O_TRUNC, 0666);
    memset(&loaded, 0, sizeof loaded);
    loaded.path = "journal";
    loaded.version = version;
    loaded.build = journal_build();
    loaded.shard = loaded.shards = 1;
    loaded.format = "";
    loaded.words = words;
    loaded.word_count = COUNT_OF(words);
    journal_write_text(&loaded, file);
    close(file);
    return add_record(0, 0);
}

static void merge_files(const char *one, const char *two)
{
    char names[2][16], *files[2], **argv;
    strcpy(names[0], one);
    strcpy(names[1], two ? two : "");
    files[0] = names[0];
    files[1] = names[1];
    begin_run();
    if (parallel_merge(files, two ? 2 : 1, "json", &argv) != 5) tool_fail("other words");
    if (strcmp(argv[1], "--format") != 0 || strcmp(argv[2], "json") != 0 ||
        strcmp(argv[3], "--") != 0)
        tool_fail("words in another order");
}
static void merge_whole(void) { merge_files("journal", NULL); }
static void merge_empty(void) { merge_files("empty", NULL); }
static void merge_others(void) { merge_files("journal", "other"); }

static void check_damage(unsigned at)
{
    char expected[64];
    snprintf(expected, sizeof expected, "journal: damaged at byte %u", at);
    CHECK_TEXT(dying(run_none), expected);
}

TEST(a_journal_is_of_one_run_and_one_process)
{
    struct flock whole = {0};
    enter_folder();
    CHECK_TEXT(dying(run_without_value), "lived");
    CHECK_TEXT(dying(run_all), "lived");
    CHECK_TEXT(dying(run_none), "lived");
    CHECK_TEXT(dying(run_a_third), "journal: the journal is of shard 1/1, not 1/3");
    int file = open("journal", O_RDWR);
    whole.l_type = F_WRLCK;
    whole.l_whence = SEEK_SET;
    CHECK(fcntl(file, F_SETLK, &whole) == 0);
    CHECK_TEXT(dying(run_none), "--journal: 'journal' is being written by another run");
    close(file);
    put_file("empty", "");
    CHECK_TEXT(dying(merge_whole), "lived");
    CHECK_TEXT(dying(merge_empty), "empty: is empty");
    CHECK(rename("journal", "other") == 0);
    last_word[0] = 'y';
    CHECK_TEXT(notes_of(run_told), "sgdperf: ended by a signal: 1 of 3 runs are in journal, "
                                   "from which the same command continues\n");
    CHECK_TEXT(dying(merge_others), "other: the journal belongs to another run: sgdperf p -- x");
    check_damage(add_record(1, 9));
    check_damage(begin_with_a_task());
    CHECK(leave_folder() == 4);
}

/* What ran the tests in the background may have ignored some signals. */
int main(void)
{
    for (size_t i = 0; i < COUNT_OF(signals); i++) signal(signals[i], SIG_DFL);
    return test_all("test_files");
}
