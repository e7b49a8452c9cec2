/* printers.c - rows printed in parts, by several processes: see rows.h
 *
 * Rows are made and written in pieces. With P processes piece k is that of process k mod P,
 * which makes it, waits for its turn, writes it, and gives the turn to the next: they stand
 * in a ring of sockets. Process 0 is this one, the others are its children. */
#define _DEFAULT_SOURCE        /* madvise, socketpair beside POSIX                    */
#define _DARWIN_C_SOURCE

#include "base/printers.h"

#include "base/forks.h"

#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

/* Rows of a piece; so many rows that they are many, and very many. */
enum { PIECE_ROWS = 1024, MANY_ROWS = 2048, FORK_ROWS = 8192, MOST_PROCESSES = 8 };

static size_t printers = 1;

void rows_use(size_t processes) { printers = processes > 0 ? processes : 1; }

typedef struct row_list {
    field_rows *fields;
    size_t      rows;
    output     *out;          /* of the piece; its brackets are those around        */
} row_list;

/* ---- Memory ------------------------------------------------------------------ */

void *rows_alloc(size_t count, size_t size)
{
    void *const made = tool_alloc(count, size);
#ifdef MADV_HUGEPAGE
    const uintptr_t page = 4096, from = ((uintptr_t)made + page - 1) & ~(page - 1);
    const uintptr_t end = (uintptr_t)made + count * size, large = (uintptr_t)4 << 20;
    if (end > from && end - from >= large)
        (void)madvise((void *)from, end - from, MADV_HUGEPAGE);
#endif
    return made;
}

/* ---- A piece ---------------------------------------------------------------- */

static void make_piece(const row_list *l, size_t piece)
{
    const size_t from = piece * PIECE_ROWS, left = l->rows - from;
    fields_write(l->fields, from, left < PIECE_ROWS ? l->rows : from + PIECE_ROWS, l->out);
}

/* ---- Turns ------------------------------------------------------------------ */

typedef struct ring {
    size_t processes;
    int    from[MOST_PROCESSES]; /* of each, where its turn is told; -1: closed here  */
    int    to[MOST_PROCESSES];   /* the other end                                     */
} ring;

static void close_end(int *end)
{
    if (*end >= 0) close(*end);
    *end = -1;
}

static void close_ends(ring *r)
{
    for (size_t i = 0; i < r->processes; i++) {
        close_end(&r->from[i]);
        close_end(&r->to[i]);
    }
}

/* Leaves process `self` what it needs: it sees the end of the one before it. */
static void keep_ends(ring *r, size_t self)
{
    for (size_t i = 0; i < r->processes; i++) {
        if (i != self) close_end(&r->from[i]);
        if (i != (self + 1) % r->processes) close_end(&r->to[i]);
    }
}

/* Writes the pieces of process `self`: 0 where the turn does not come. */
static int print_own(const row_list *l, const ring *r, size_t self)
{
    const size_t pieces = (l->rows + PIECE_ROWS - 1) / PIECE_ROWS;
    char turn = 0;
    for (size_t k = self; k < pieces; k += r->processes) {
        make_piece(l, k);
        if (k > 0 && r->processes > 1 && !forks_receive(r->from[self], &turn, 1)) return 0;
        output_send(l->out);
        if (k + 1 < pieces && r->processes > 1 &&
            !forks_send(r->to[(self + 1) % r->processes], &turn, 1))
            return 0;
    }
    return 1;
}

/* In a child, in place of tool_report: its parent says why. */
TOOL_NORETURN static void end_child(const char *line)
{
    (void)line;
    _exit(EXIT_LOST);
}

/* Ends as a child has ended. */
static void end_as(int status)
{
    if (status == 0) return;
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGPIPE) raise(SIGPIPE);
    if (WIFSIGNALED(status))
        tool_lose("signal %d ended a process that printed", WTERMSIG(status));
    tool_fail("cannot write the results to standard output");
}

/* 0 where sockets or processes have run out: then there is none but this one. */
static int start_others(const row_list *l, ring *r, size_t wanted)
{
    size_t i = 0;
    for (r->processes = 0; r->processes < wanted; r->processes++) {
        int ends[2];
        if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) break;
        r->from[r->processes] = ends[0];
        r->to[r->processes] = ends[1];
    }
    while (r->processes == wanted && ++i < wanted) {
        const int started = forks_start(i);
        if (started < 0) break;
        if (started > 0) continue;
        tool_report = end_child;
        keep_ends(r, i);
        _exit(print_own(l, r, i) ? EXIT_DONE : EXIT_LOST);
    }
    if (i == wanted) {
        keep_ends(r, 0);
        return 1;
    }
    close_ends(r);                     /* which ends those that have started          */
    while (i-- > 1) (void)forks_wait(i);
    return 0;
}

static void print_pieces(const row_list *l)
{
    const size_t most = printers < MOST_PROCESSES ? printers : MOST_PROCESSES;
    const int many = l->rows >= FORK_ROWS && most > 1;
    ring r = {1, {-1}, {-1}};
    int done, worst = 0;
    output_send(l->out);               /* what stands before                          */
    if (!many || !start_others(l, &r, most)) r.processes = 1;
    done = print_own(l, &r, 0);
    if (r.processes == 1) return;
    close_ends(&r);
    for (size_t i = 1; i < r.processes; i++) { /* others then end early                       */
        const int status = forks_wait(i);
        if (WIFSIGNALED(status) || worst == 0) worst = status;
    }
    end_as(worst != 0 || done ? worst : EXIT_LOST);
}

void rows_print(field_rows *fields, size_t rows, output *out)
{
    row_list l = {.fields = fields, .rows = rows, .out = out};
    if (rows < MANY_ROWS) fields_write(fields, 0, rows, out);
    else print_pieces(&l);
}
