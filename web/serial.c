/* serial.c - parallel.h and rows.h without other processes: one after the other, in order */
#include "base/printers.h"
#include "jobs/parallel.h"

const deal_ranks *deal_mpi;            /* none here */

size_t parallel_processors(void) { return 1; }

/* Shards and journals are for what takes longer than a page can wait. */
size_t parallel_read(const args *a)
{
    static const option_id names[] = {OPTION_JOURNAL, OPTION_SHARD};
    args_refuse(a, names, COUNT_OF(names), "not in a page");
    return (size_t)args_integer(a, OPTION_PROCESSES, 1, 4096, 1);
}

void parallel_begin_here(void) { }

void parallel_expect(const double *cost) { (void)cost; }

void parallel_run(size_t count, size_t processes, parallel_task task, void *ctx,
                  void *results, size_t result_bytes, const char *what)
{
    size_t i;
    (void)processes;
    (void)what;
    for (i = 0; i < count; i++) task(ctx, i, (char *)results + i * result_bytes);
}

void parallel_gather(size_t count, size_t processes, parallel_task task, void *ctx,
                     parallel_blob *results, const char *what)
{
    parallel_run(count, processes, task, ctx, results, sizeof *results, what);
}

/* ---- Rows -------------------------------------------------------------------- */

void rows_use(size_t processes) { (void)processes; }

void *rows_alloc(size_t count, size_t size) { return tool_alloc(count, size); }

void rows_print(field_rows *fields, size_t rows, output *out)
{
    fields_write(fields, 0, rows, out);
}
