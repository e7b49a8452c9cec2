/* workloads.c - named workloads of sgdperf cluster: published networks and their curves */
#include "cmd/cluster/workloads.h"
#include "cmd/cluster/table_iii.h"

#include <string.h>

/* A curve costs the square of its nodes; these are far on its plateau, where a job runs
 * on more nodes as on its last. */
enum { CURVE_NODES = 5000 };

static const struct { const char *name, *networks; } workloads[] = {
    {"four", "NiN GoogLeNet AlexNet VGG19"}, {"large", "AlexNet VGG19"}, {"alexnet", "AlexNet"}
};

typedef struct step_model {
    sgdp_discipline links;
    void  *work;
    size_t bytes;
} step_model;

/* table_iii_model: asynchronous workers of one parameter server, Eqs. 1-4 of the paper on
 * its links, gamma of Eq. 4 being that which an arriving task finds. */
static double throughput_of(void *ctx, const table_iii_step *step, uint32_t workers)
{
    step_model *m = (step_model *)ctx;
    const double demand_s[3] = {step->uplink_s, step->update_s, step->downlink_s};
    const sgdp_discipline discipline[3] = {m->links, SGDP_PS, m->links};
    sgdp_network net = {0};
    sgdp_mva_options mva = {0};
    sgdp_mva_result out = {0};
    double throughput_per_s = 0.0;
    size_t need = 0;
    net.classes = 1;
    net.stations = COUNT_OF(demand_s);
    net.population = &workers;
    net.think_s = &step->compute_s;
    net.demand_s = demand_s;
    net.discipline = discipline;
    mva.gamma_rule = SGDP_GAMMA_EXPLICIT;
    out.throughput_per_s = &throughput_per_s;
    if (sgdp_mva_hybrid_approx_bytes(&net, &mva, &need) != SGDP_OK) return 0.0;
    if (need > m->bytes) {
        m->bytes = need * 2;
        m->work = tool_alloc(m->bytes, 1);
    }
    return sgdp_mva_hybrid_approx(&net, &mva, m->work, m->bytes, &out) == SGDP_OK
         ? throughput_per_s : 0.0;
}

size_t workload_curves(curve_set *set, const char *workload, uint32_t nodes,
                       sgdp_discipline links, int servers_apart, sgdsched_job_kind **kind)
{
    const table_iii_network *network;
    step_model m = {0};
    size_t w = 0, i, number;
    memset(set, 0, sizeof *set);
    while (w < COUNT_OF(workloads) && strcmp(workloads[w].name, workload) != 0) w++;
    if (w == COUNT_OF(workloads)) return 0;
    m.links = links;
    if (nodes > CURVE_NODES) nodes = CURVE_NODES;
    *kind = (sgdsched_job_kind *)tool_alloc(TABLE_III_NETWORKS, sizeof **kind);
    set->value = (double **)tool_alloc(TABLE_III_NETWORKS, sizeof *set->value);
    set->nodes = (uint32_t *)tool_alloc(TABLE_III_NETWORKS, sizeof *set->nodes);
    for (i = 0; (network = table_iii_at(i)) != NULL; i++) {
        if (!strstr(workloads[w].networks, network->name)) continue;
        if (names_add(&set->names, network->name, strlen(network->name), &number) == NAMES_FULL)
            tool_fail("out of memory");
        set->nodes[number] = nodes;
        set->value[number] = (double *)tool_alloc(nodes, sizeof **set->value);
        if (!table_iii_curve(network, throughput_of, &m, nodes, servers_apart,
                             set->value[number]))
            tool_fail("%s: the model has no throughput", network->name);
        (*kind)[number] = table_iii_kind(network, number);
    }
    return set->names.count;
}
