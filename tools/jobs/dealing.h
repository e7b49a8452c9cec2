/* dealing.h - the parts of those who work and who deal: see deal.h */
#ifndef TOOLS_JOBS_DEALING_H
#define TOOLS_JOBS_DEALING_H

#include "base/tool.h"
#include "jobs/deal.h"

/* The next range for one of so many who work. O(1) amortized. */
deal_range deal_next(deal *d, size_t workers);

/* Is all done, or all before the first that failed? Then deal_end. */
int deal_is_over(const deal *d);

/* Says on a terminal how far it is. */
void deal_show(const deal *d);

/* Does a range, also behind a task that fails. The batch is valid until the next. */
const char *deal_work(deal *d, deal_range range, size_t *length);

/* Takes a batch, which goes into the journal as well: 0 if it is none. */
int deal_take(deal *d, const char *batch, size_t length);

/* Takes what a journal has of one task: 0 if that is no result. */
int deal_keep(deal *d, const deal_record *head, const char *data);

/* Fails over a process that had this range. */
TOOL_NORETURN void deal_lose(const deal *d, deal_range range, const char *how);

#endif /* TOOLS_JOBS_DEALING_H */
