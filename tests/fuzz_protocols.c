/* fuzz_protocols.c - any bytes as a table of constants of collectives: refused in one line that
 * names a place, or a list of ways, each of which takes a time that is one. */
#include "fuzz.h"

#include <setjmp.h>

#include "model/topology.h"

static jmp_buf refused;

static void note_refusal(const char *line)
{
    require(strncmp(line, "fuzz:", 5) == 0);
    longjmp(refused, 1);
}

/* m machines of g accelerators, on links of a byte a second. */
static sgdpar_topology machines(uint32_t m, uint32_t g)
{
    return (sgdpar_topology){.machines = m, .gpus = g, .bandwidth_bytes_per_s = 1.0,
                             .local_bandwidth_bytes_per_s = 1.0};
}

static void check_way(const sgdpar_protocol *by)
{
    const sgdpar_topology many = machines(2, 2), single = machines(2, 1);
    const sgdpar_range *r = &by->range;
    double s = -1.0;
    require(r->below_bytes >= 0.0 && (r->below_bytes <= 0.0 || r->below_bytes > r->from_bytes));
    require(r->below_machines == 0 || r->below_machines > r->from_machines);
    require(by->cost.fraction > 0.0 && by->cost.fraction <= 1.0);
    if (by->cost.fraction < 1e-300) return;    /* times beyond a double: refused when asked for */
    require(sgdpar_collective_time(by->collective, by, &many, 1.0, &s) == SGDPAR_OK
            || sgdpar_collective_time(by->collective, by, &single, 1.0, &s) == SGDPAR_OK);
    require(s > 0.0 && s <= DBL_MAX);
}

/* The quickest is one of the list, holds, and takes no longer than any other. */
static void check_least(const protocol_list *list, const sgdpar_topology *on, double bytes)
{
    const sgdpar_network all = {.topology = *on, .protocol = list->protocol,
                                .protocols = list->count};
    size_t at = list->count;
    for (size_t c = 0; c < SGDPAR_COLLECTIVE_COUNT; c++) {
        const sgdpar_collective what = (sgdpar_collective)c;
        double least_s = -1.0, s = -1.0;
        if (sgdpar_best_protocol(what, &all, bytes, &at, &least_s)) continue;
        require(at < list->count && list->protocol[at].collective == what);
        require(bytes >= list->protocol[at].range.from_bytes);
        require(least_s >= 0.0 && least_s <= DBL_MAX);
        require(sgdpar_collective_time(what, &list->protocol[at], on, bytes, &s) == SGDPAR_OK);
        require(!(s < least_s) && !(s > least_s));
    }
}

static void check_list(const protocol_list *list)
{
    const sgdpar_topology pair = machines(2, 1), node = machines(1, 8), many = machines(16, 8);
    require(list->count > 0);
    for (size_t i = 0; i < list->count; i++) {
        require(list->name[i] != NULL);
        check_way(&list->protocol[i]);
    }
    check_least(list, &pair, 1.0);
    check_least(list, &node, 1e6);
    check_least(list, &many, 0.0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    csv_table table;
    char message[128];
    if (!csv_parse(&table, "fuzz", (const char *)data, size, 0, message, sizeof message)) return 0;
    tool_report = note_refusal;
    if (setjmp(refused) == 0) {
        const protocol_list list = protocols_of(&table);
        check_list(&list);
    }
    csv_free(&table);
    tool_free_all();
    return 0;
}

FUZZ_MAIN("fuzz_protocols",
    "protocol,collective,algorithm,form,from_bytes,below_bytes,from_machines,below_machines,base_s,"
    "latency_s,local_latency_s,fraction,most_bytes_per_s\n"
    "ll,all-reduce,ring,streamed,,1024,2,3,6.6e-6,2.7e-6,1e-6,0.5,20.4e9\n"
    "simple,all-reduce,double-tree,streamed,1024,,,2,,14e-6,4e-6,0.46,\n"
    "ll128,all-to-all,pairwise,flat,,,,,14e-6,4e-6,1.9e-6,0.92,1e-3\n",
    "collective,algorithm,inside,form,chunks\nall-reduce,halving,tree,pipelined,8\n"
    "broadcast,ring,ring,inside,1000000\nall-gather,tree,doubling,split,\n",
    "# c\ncollective,algorithm,form,fraction\nall-to-all,doubling,,1e-300\n"
    "reduce-scatter,halving,split,1\n",
    "algorithm,collective,form,below_bytes\nring,broadcast,flat,1e308\n",
    "collective,algorithm,from_machines,below_machines\nall-reduce,ring,3,2\n",
    "collective,algorithm,from_bytes,below_bytes\nall-gather,ring,9,8\n",
    "collective,algorithm\nbroadcast,pairwise\n",
    "");
