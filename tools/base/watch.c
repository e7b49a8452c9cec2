/* watch.c - how far the tasks of parallel.c are */
#define _DEFAULT_SOURCE         /* mmap without a file                                */
#define _DARWIN_C_SOURCE

#include "base/deal.h"
#include "base/parallel.h"
#include "base/progress.h"
#include "base/tool.h"

#include <sys/mman.h>

static size_t (*watch)(const void *ctx); /* the next deal, as parallel_watch has it  */
static const void *watch_ctx;
static size_t watch_total;

void parallel_watch(size_t (*done)(const void *ctx), const void *ctx, size_t total)
{
    watch = tool_shows_progress() ? done : NULL;
    watch_ctx = ctx;
    watch_total = total;
}

void *parallel_shared(size_t count, size_t size)
{
    const size_t bytes = count > 0 && size > 0 ? count * size : 1;
    void *made;
    if (deal_mpi || journal_is_used()) return NULL;
    if (size > 0 && count > (size_t)-1 / size) tool_fail("out of memory");
    made = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (made == MAP_FAILED) tool_fail("out of memory");
    return made;
}

void deal_watch(deal *d)
{
    d->watch = watch;
    d->watch_ctx = watch_ctx;
    d->watch_total = watch_total;
    watch = NULL;
}

void deal_show(const deal *d)
{
    const double spent_s = tool_clock_s() - d->began_s;
    const size_t done = d->watch                   ? d->watch(d->watch_ctx)
                        : d->began_left > d->left ? d->began_left - d->left : 0;
    const size_t all = d->watch ? d->watch_total : d->all;
    const size_t left = !d->watch ? d->left : done < all ? all - done : 0;
    if (!tool_shows_progress()) return;
    tool_progress_left(d->what, all - left, all,
                       done > 0 ? spent_s / (double)done * (double)left : -1.0);
}
