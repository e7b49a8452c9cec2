/* workload.c - sgdperf cluster: jobs that arrive at random, of kinds in a file or of published
 * networks */
#include "cmd/cluster/cluster.h"
#include "cmd/cluster/table_iii.h"
#include "sgdperf.h"

#include <string.h>

/* ---- Named workloads --------------------------------------------------------- */

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
    sgdp_mva_options mva = {0};
    sgdp_mva_result out = {0};
    double throughput_per_s = 0.0;
    size_t need = 0;
    sgdp_network net = {.classes = 1, .stations = COUNT_OF(demand_s), .population = &workers,
                        .think_s = &step->compute_s, .demand_s = demand_s,
                        .discipline = discipline};
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

/* Curves of the networks of a named workload, and their kinds of jobs; 0: there is none of
 * that name. */
static int read_named(cluster *c, const args *a, const char *name)
{
    static const sgdp_discipline links[] = {SGDP_HYBRID, SGDP_PS, SGDP_FCFS};
    const uint32_t all = c->base.rules.nodes, nodes = all < CURVE_NODES ? all : CURVE_NODES;
    const table_iii_network *network;
    size_t w = 0, number;
    while (w < COUNT_OF(workloads) && strcmp(workloads[w].name, name) != 0) w++;
    if (w == COUNT_OF(workloads)) return 0;
    step_model m = {.links = links[args_word(a, OPTION_MODEL, 0)]};
    sgdsched_job_kind *kind = (sgdsched_job_kind *)tool_alloc(TABLE_III_NETWORKS, sizeof *kind);
    c->curves.value = (double **)tool_alloc(TABLE_III_NETWORKS, sizeof *c->curves.value);
    c->curves.nodes = (uint32_t *)tool_alloc(TABLE_III_NETWORKS, sizeof *c->curves.nodes);
    for (size_t i = 0; (network = table_iii_at(i)) != NULL; i++) {
        if (!strstr(workloads[w].networks, network->name)) continue;
        if (names_add(&c->curves.names, network->name, strlen(network->name), &number) ==
            NAMES_FULL)
            tool_fail("out of memory");
        c->curves.nodes[number] = nodes;
        c->curves.value[number] = (double *)tool_alloc(nodes, sizeof **c->curves.value);
        if (!table_iii_curve(network, throughput_of, &m, nodes, args_given(a, OPTION_NO_PS_NODES),
                             c->curves.value[number]))
            tool_fail("%s: the throughput of this network is out of range", network->name);
        kind[number] = table_iii_kind(network, number);
    }
    c->base.workload.kind = kind;
    c->base.workload.kinds = c->curves.names.count;
    return 1;
}

/* ---- Kinds of a file --------------------------------------------------------- */

/* Rows curve,weight,size_mean,size_deviation. */
static void read_kinds(cluster *c, const char *path, const args *a)
{
    const csv_table *t = csv_read(path, 0);
    CSV_REQUIRE(t, "curve", "weight", "size_mean", "size_deviation");
    const int curve = csv_require(t, "curve"), weight = csv_require(t, "weight");
    const int mean = csv_require(t, "size_mean");
    const int deviation = csv_require(t, "size_deviation");
    sgdsched_job_kind *kind = (sgdsched_job_kind *)tool_alloc(t->rows, sizeof *kind);
    csv_unique(t, &curve, 1);
    for (size_t i = 0; i < t->rows; i++) {
        kind[i].curve = curves_of_row(&c->curves, t, i, curve, args_text(a, OPTION_CURVES, ""));
        kind[i].weight = csv_number(t, i, weight, NUMBER_POSITIVE);
        kind[i].size_mean = csv_number(t, i, mean, NUMBER_POSITIVE);
        kind[i].size_deviation = csv_number(t, i, deviation, NUMBER_NON_NEGATIVE);
        kind[i].law = SGDSCHED_NORMAL;
    }
    c->base.workload.kind = kind;
    c->base.workload.kinds = t->rows;
}

void cluster_read_workload(cluster *c, const args *a)
{
    const char *name = args_text(a, OPTION_WORKLOAD, "four");
    if (!args_given(a, OPTION_CURVES) && read_named(c, a, name)) return;
    if (!args_given(a, OPTION_CURVES))
        args_fail(OPTION_WORKLOAD, name, "is not one of four, large, alexnet; a file of jobs needs "
                  "%s", NAME_OF(CURVES));
    cluster_read_curves(c, a, c->base.rules.nodes);
    read_kinds(c, name, a);
}
