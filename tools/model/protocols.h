/* protocols.h - a table of constants: how a library does its collectives, and at what cost */
#ifndef TOOLS_MODEL_PROTOCOLS_H
#define TOOLS_MODEL_PROTOCOLS_H

#include "sgdperf_parallel.h"

#include "base/csv.h"

typedef struct protocol_list {
    sgdpar_protocol *protocol; /* [count]                                            */
    const char   **name;      /* [count] of the column protocol; "" where there is none */
    size_t         count;
} protocol_list;

/* The rows of the file at `path`, in its order. Columns collective and algorithm; if they
 * are there protocol, inside, form, chunks, from_bytes, below_bytes, from_machines,
 * below_machines, base_s, latency_s, local_latency_s, fraction and most_bytes_per_s, whose
 * empty cells are the defaults of sgdpar_protocol. Fails like all that reads files. */
protocol_list protocols_read(const char *path);

/* The same of a table that was read. */
protocol_list protocols_of(const csv_table *table);

/* Every way that sgdperf_parallel.h knows but form streamed, at no cost but its messages. */
protocol_list protocols_plain(void);

/* The same of way[count], at no cost but their messages and on links as fast as they are. */
sgdpar_protocol *protocols_quick(const sgdpar_protocol *way, size_t count);

/* Keeps those of the list that are done by this algorithm and in this form. */
void protocols_keep(protocol_list *list, sgdpar_algorithm algorithm, sgdpar_form form);

/* The words of the enumerations, in their order, for csv_choice and args_choice. */
extern const char *const protocol_collectives[SGDPAR_COLLECTIVE_COUNT];
extern const char *const protocol_algorithms[SGDPAR_ALGORITHM_COUNT];
extern const char *const protocol_forms[SGDPAR_FORM_COUNT];

#endif /* TOOLS_MODEL_PROTOCOLS_H */
