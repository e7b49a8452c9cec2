/* cmd_plan.c - sgdperf plan: how to split a network over machines */
#include "cmd/plan/plan.h"
#include "files/status.h"
#include "cmd/commands.h"

#include <stdio.h>
#include <string.h>

static const char help[] =
    "usage: sgdperf plan LAYERS.csv --machines N --cores K --C_muladd T --C_nbw B --N_sample S\n"
    "                    [--constants FILE] [OPTION...] [--format table|csv|json]\n"
    "       sgdperf plan TRIALS.csv --trial-order\n"
    "       sgdperf plan measure --help\n"
    "\n"
    "Finds the parameter servers, replicas, workers of a replica, and for each layer\n"
    "partitions, replications and threads, for the shortest epoch. LAYERS.csv (- is stdin)\n"
    "has one row a layer, from the first up, and the columns\n"
    "  name, kind          conv, pool, fc, softmax or recurrent; names differ\n"
    "  c_in h_in w_in      conv, pool: channels, rows, columns below\n"
    "  c_out h_out w_out   and above;  kernel stride pad  [stride 1, pad 0]\n"
    "  n_in n_out          fc, softmax, recurrent;  steps  recurrent [1]\n"
    "\n"
    "Machines, all alike, and the constants of the model:\n"
    "  --machines N       at least 2; several, as 20,50,100: what if\n"
    "  --cores K          of a machine: at most so many threads\n"
    "  --C_muladd T       time of a connection; also a table over the bytes of weights of a\n"
    "                     segment, linear in their logarithm: 1MiB:1ns,64MiB:3ns\n"
    "  --C_act T          of a neuron's activation [0];  --C_err T  of its error term [0]\n"
    "  --C_interf X       how many times longer H > 1 threads take [1]; table 2:1.1,16:1.4\n"
    "  --C_ncost T        of a message, also a table over H [0]\n"
    "  --C_nbw B          bandwidth of a machine [B/s];  --C_bits X  of a value [32]\n"
    "  --N_sample S       samples of an epoch\n"
    "  --N_read S         samples after which a replica reads all weights [70]\n"
    "  --N_write S        the same for writes, which then cost as much [free]\n"
    "  --constants FILE   what plan measure prints: rows constant, at, value, `at` empty or\n"
    "                     the point of a table, in s and bit/s; options come first\n"
    "  --compute-scale X  computation X times as fast [1];  --bandwidth-scale X  the network\n"
    "\n"
    "Choices of the model:\n"
    "  --mix M            weights are read in (1 - M) best + M worst case, 0 to 1 [0]\n"
    "  --read-full        at C_nbw instead of C_nbw / threads\n"
    "  --read-per-replica a replica reads for its own samples alone\n"
    "  --latency-always   C_ncost also where nothing is remote;  --biases  are weights\n"
    "\n"
    "Search and results:\n"
    "  --threads same|differ   in all layers, or by layer [same]\n"
    "  --max-replications R    of a layer [any]\n"
    "  --split NAME=P/R/H      of a layer; * is all layers, or a free part; repeatable\n"
    "  --config W/R/PS    workers, replicas, servers: only these are ranked; repeatable\n"
    "  --runners-up K     [10];  --all  every configuration;  --trial-order  in order of time\n"
    "  --objective sum|largest  of remote values, where the best's segments go [sum]\n"
    "  --layers           with csv: the layers of the best instead of the ranking\n"
    "  --format F         table, csv or json [table]\n"
    "Servers beyond the workers of a replica never help with --mix 0. A search takes time as\n"
    "N^4 or more, with --max-replications 1 as N^3.\n"
    "\n"
    "TRIALS.csv, columns config, epoch_s and optionally accurate (0, 1): in order of epoch_s,\n"
    "and the time until an accurate one is found, so or in random order.\n"
    "\n"
    "Example: two layers\n"
    "  $ printf '%s\\n' name,kind,n_in,n_out hidden,fc,4096,4096 out,softmax,4096,1000 |\n"
    "      sgdperf plan - --machines 4 --cores 2 --C_muladd 1ns --C_nbw 10Gbps \\\n"
    "      --N_sample 60000 --runners-up 1\n"
    "  4 machines of 2 cores, 9 configurations\n"
    "  best: 1 server, 3 replicas of 1 worker, 572.929 s an epoch\n"
    "\n"
    "  part           seconds  percent\n"
    "  forward         208.73     36.4\n"
    "  activations          0        0\n"
    "  backward         40.96     7.15\n"
    "  errors               0        0\n"
    "  update          208.73     36.4\n"
    "  read-latency         0        0\n"
    "  read-transfer    114.5       20\n"
    "  write                0        0\n"
    "\n"
    "  layer   partitions  replications  threads  activations  errors  epoch_s  on_workers\n"
    "  hidden           1             1        2            0       0   468.54  0\n"
    "  out              1             1        2            0       0   104.39  0\n"
    "  with these places an epoch takes 572.929 s\n"
    "\n"
    "  rank  workers  replicas  servers  epoch_s  slower\n"
    "     1        1         3        1  572.929       1\n"
    "     2        3         1        1  573.581   1.001\n";

/* ---- The problem ----------------------------------------------------------- */

typedef struct plan_run {
    plan_problem p;
    uint32_t    *machines;    /* [scenarios]                                        */
    size_t       scenarios;
    size_t       runners_up;
    int          all, layers;
} plan_run;

/* The three numbers of "a/b/c"; with `free`, "*" is 0. */
static void parse_three(const char *option, const char *text, const char *three, int free,
                        uint32_t *number)
{
    char **part = NULL;
    size_t i;
    if (args_split(three, '/', &part) != 3)
        args_fail(option, text, "is not three numbers with / between them");
    for (i = 0; i < 3; i++) {
        uint64_t value = 0;
        const char *wrong = NULL;
        if (!free || strcmp(part[i], "*") != 0)
            wrong = number_whole(part[i], 1, UINT32_MAX, &value);
        if (wrong) args_fail(option, text, "has a part that %s", wrong);
        number[i] = (uint32_t)value;
    }
}

static void read_splits(plan_problem *p, const args *a)
{
    const size_t n = args_count(a, "--split");
    size_t i, l;
    p->fixed = (sgdplan_split *)tool_alloc(p->layers.count, sizeof *p->fixed);
    for (i = 0; i < n; i++) {
        const char *text = args_at(a, "--split", i), *equals = strrchr(text, '=');
        const size_t length = equals ? (size_t)(equals - text) : 0;
        uint32_t number[3];
        size_t found = 0;
        if (!equals) args_fail("--split", text, "is not NAME=P/R/H");
        parse_three("--split", text, equals + 1, 1, number);
        for (l = 0; l < p->layers.count; l++) {
            const char *name = plan_layer_name(&p->layers, l);
            if (!(length == 1 && text[0] == '*') &&
                !(strlen(name) == length && memcmp(name, text, length) == 0)) continue;
            p->fixed[l].partitions = number[0];
            p->fixed[l].replications = number[1];
            p->fixed[l].threads = number[2];
            found++;
        }
        if (found == 0) args_fail("--split", text, "names no layer");
    }
}

static void read_configurations(plan_problem *p, const args *a)
{
    const size_t n = args_count(a, "--config");
    sgdplan_resources *given = (sgdplan_resources *)tool_alloc(n, sizeof *given);
    size_t i, k;
    for (i = 0; i < n; i++) {
        const char *text = args_at(a, "--config", i);
        uint32_t number[3];
        parse_three("--config", text, text, 0, number);
        given[i].workers = number[0];
        given[i].replicas = number[1];
        given[i].servers = number[2];
        for (k = 0; k < i; k++)
            if (memcmp(&given[k], &given[i], sizeof *given) == 0)
                args_fail("--config", text, "is given twice");
    }
    p->given = n > 0 ? given : NULL;
    p->givens = n;
}

static void read_machines(plan_run *r, const args *a)
{
    size_t i;
    r->scenarios = args_workers(a, "--machines", &r->machines);
    if (r->scenarios == 0) tool_fail("--machines is missing");
    if (!args_given(a, "--cores")) tool_fail("--cores is missing");
    for (i = 0; i < r->scenarios; i++) {
        if (r->machines[i] < 2)
            tool_fail("--machines: %lu is below 2: a server and a worker",
                      (unsigned long)r->machines[i]);
        if (r->machines[i] > 65536)
            tool_fail("--machines: %lu is above 65536", (unsigned long)r->machines[i]);
    }
    r->p.net.cores = (uint32_t)args_integer(a, "--cores", 1, 4096, 1);
}

/* Fails where a scale has made a constant infinite. */
static void check_constants(const sgdplan_layered *net)
{
    const sgdplan_split whole = {1, 1, 1, NULL};
    sgdplan_layered alone = *net;
    sgdplan_segment t;
    alone.machines = 1;
    if (sgdplan_segment_time(&alone, 0, &whole, &t) != SGDPLAN_OK)
        tool_fail("a constant is too large, or scaled too far");
}

static void read_problem(plan_run *r, const args *a)
{
    static const char *const threads[] = {"same", "differ"};
    static const char *const objectives[] = {"sum", "largest"};
    plan_problem *p = &r->p;
    sgdplan_layered *net = &p->net;
    plan_layers_read(&p->layers, a->files[0]);
    read_machines(r, a);
    plan_constants_read(net, a, args_text(a, "--constants", NULL));
    plan_constants_scale(net,
                         args_number(a, "--compute-scale", UNIT_NONE, NUMBER_POSITIVE, 1.0),
                         args_number(a, "--bandwidth-scale", UNIT_NONE, NUMBER_POSITIVE, 1.0));
    net->mix = args_number(a, "--mix", UNIT_NONE, NUMBER_FRACTION, 0.0);
    net->read_full = args_given(a, "--read-full");
    net->read_per_replica = args_given(a, "--read-per-replica");
    net->latency_always = args_given(a, "--latency-always");
    net->biases = args_given(a, "--biases");
    plan_layers_check(&p->layers, net->biases);
    net->layer = p->layers.layer;
    net->layers = p->layers.count;
    check_constants(net);
    read_splits(p, a);
    read_configurations(p, a);
    p->threads_differ = (int)args_choice(a, "--threads", threads, 2, 0);
    p->objective = (sgdplan_objective)args_choice(a, "--objective", objectives, 2, 0);
    p->max_replications = (uint32_t)args_integer(a, "--max-replications", 1, UINT32_MAX, 0);
    r->runners_up = (size_t)args_integer(a, "--runners-up", 0, 1000000, 10);
    r->all = args_given(a, "--all") || args_given(a, "--trial-order");
    r->layers = args_given(a, "--layers");
    if (r->layers && r->all) tool_fail("--layers shows the best alone, not --all");
    p->keep_all = r->all;
    p->room = p->given ? p->givens : r->runners_up + 1;
}

/* What a given split of layer l breaks with so many workers. */
static sgdplan_fault broken_split(const plan_problem *p, size_t l, uint64_t workers)
{
    const sgdplan_split *s = &p->fixed[l];
    const uint32_t P = s->partitions > 0 ? s->partitions : 1;
    const uint32_t R = s->replications > 0 ? s->replications : 1;
    const sgdplan_split alone = {P, 1, 1, NULL};
    sgdplan_layered wide = p->net;
    sgdplan_segment t;
    wide.machines = 1u << 30;
    if (s->threads > p->net.cores) return SGDPLAN_FAULT_CORES;
    if ((uint64_t)P * R > workers) return SGDPLAN_FAULT_WORKERS;
    return sgdplan_segment_time(&wide, l, &alone, &t) == SGDPLAN_OK ? SGDPLAN_FAULT_NONE
                                                             : SGDPLAN_FAULT_STRIPES;
}

/* Fails where what is given breaks a constraint on so many machines. */
static void check_given(const plan_problem *p)
{
    const uint32_t N = p->net.machines;
    size_t i, l;
    for (i = 0; i < p->givens; i++) {
        const sgdplan_resources *g = &p->given[i];
        if (g->servers >= N || (uint64_t)g->replicas * g->workers > N - g->servers)
            tool_fail("--config: '%lu/%lu/%lu' on %lu machines: %s", (unsigned long)g->workers,
                      (unsigned long)g->replicas, (unsigned long)g->servers, (unsigned long)N,
                      sgdplan_fault_text(SGDPLAN_FAULT_MACHINES));
    }
    for (l = 0; l < p->layers.count; l++) {
        uint64_t workers = N - 1;
        sgdplan_fault fault;
        for (i = 0; i < p->givens; i++)
            if (i == 0 || p->given[i].workers < workers) workers = p->given[i].workers;
        fault = broken_split(p, l, workers);
        if (fault != SGDPLAN_FAULT_NONE)
            tool_fail("--split: layer '%s' on %lu workers: %s", plan_layer_name(&p->layers, l),
                      (unsigned long)workers, sgdplan_fault_text(fault));
    }
}

/* ---- Results --------------------------------------------------------------- */

/* "read_latency_s" */
static const char *part_key(size_t part, char *key, size_t bytes)
{
    char *at;
    snprintf(key, bytes, "%s_s", sgdplan_epoch_text((sgdplan_epoch_part)part));
    for (at = key; *at != '\0'; at++)
        if (*at == '-') *at = '_';
    return key;
}

static void json_parts(output *out, const sgdplan_epoch *e)
{
    char key[32];
    size_t i;
    json_object(out, "parts");
    for (i = 0; i < SGDPLAN_EPOCH_PARTS; i++)
        json_number(out, part_key(i, key, sizeof key), e->part_s[i]);
    json_end(out);
}

static void json_layers(output *out, const plan_problem *p, const sgdplan_plan *plan,
                        const sgdplan_epoch *by_layer)
{
    size_t l;
    json_array(out, "layers");
    for (l = 0; l < p->layers.count; l++) {
        json_object(out, NULL);
        json_string(out, "name", plan_layer_name(&p->layers, l));
        json_integer(out, "partitions", plan->state[l].partitions);
        json_integer(out, "replications", plan->state[l].replications);
        json_integer(out, "threads", plan->state[l].threads);
        if (by_layer) {
            json_integer(out, "activations", by_layer[l].activations);
            json_integer(out, "errors", by_layer[l].errors);
            json_number(out, "epoch_s", by_layer[l].epoch_s);
            json_parts(out, &by_layer[l]);
        }
        json_end(out);
    }
    json_end(out);
}

static void json_mapping(output *out, const plan_problem *p, const plan_mapping *m)
{
    size_t l, i;
    json_object(out, "mapping");
    json_string(out, "objective", p->objective == SGDPLAN_LEAST_SUM ? "sum" : "largest");
    json_number(out, "epoch_s", m->epoch.epoch_s);
    json_bool(out, "contiguous", m->contiguous);
    json_array(out, "layers");
    for (l = 0; l < p->layers.count; l++) {
        json_object(out, NULL);
        json_string(out, "name", plan_layer_name(&p->layers, l));
        json_number(out, "sum", m->cost[l].sum);
        json_number(out, "largest", m->cost[l].largest);
        json_number(out, "greedy_sum", m->cost[l].greedy_sum);
        json_number(out, "greedy_largest", m->cost[l].greedy_largest);
        json_bool(out, "conflict", m->cost[l].conflict);
        json_end(out);
    }
    json_end(out);
    json_array(out, "segments");
    for (l = 0; l < p->layers.count; l++) {
        const sgdplan_split *s = &m->split[l];
        for (i = 0; i < (size_t)s->partitions * s->replications; i++) {
            json_object(out, NULL);
            json_string(out, "layer", plan_layer_name(&p->layers, l));
            json_integer(out, "segment", i % s->partitions);
            json_integer(out, "replication", i / s->partitions);
            json_integer(out, "worker", s->worker[i]);
            json_end(out);
        }
    }
    json_end(out);
    json_end(out);
}

static void json_plan(output *out, const char *key, const plan_problem *p,
                      const sgdplan_plan *plan, int whole)
{
    sgdplan_epoch *by_layer = (sgdplan_epoch *)tool_alloc(p->layers.count, sizeof *by_layer);
    plan_mapping mapping;
    sgdplan_epoch epoch;
    plan_evaluate(p, plan, by_layer, &epoch);
    json_object(out, key);
    json_integer(out, "servers", plan->resources.servers);
    json_integer(out, "replicas", plan->resources.replicas);
    json_integer(out, "workers", plan->resources.workers);
    json_number(out, "epoch_s", plan->epoch_s);
    json_parts(out, &epoch);
    json_layers(out, p, plan, whole ? by_layer : NULL);
    if (whole) {
        plan_map(p, plan, &mapping);
        json_mapping(out, p, &mapping);
    }
    json_end(out);
}

static void json_scenario(output *out, const plan_run *r, const plan_answer *answer)
{
    const plan_problem *p = &r->p;
    size_t i;
    json_integer(out, "machines", p->net.machines);
    json_integer(out, "configurations", answer->looked_at);
    json_plan(out, "best", p, &answer->ranked[0], 1);
    json_array(out, "runners_up");
    for (i = 1; i < answer->ranks; i++) json_plan(out, NULL, p, &answer->ranked[i], 0);
    json_end(out);
    if (!r->all) return;
    json_array(out, "all");
    for (i = 0; i < answer->count; i++) json_plan(out, NULL, p, &answer->all[i], 0);
    json_end(out);
}

/* ---- Tables ---------------------------------------------------------------- */

/* For CSV all columns, for a reader those that fit. */
static result_table *ranking_new(int human)
{
    static const table_column first[] = {{"machines", 0}, {"rank", 0}, {"workers", 0},
                                         {"replicas", 0}, {"servers", 0}, {"epoch_s", 6}};
    table_column column[COUNT_OF(first) + SGDPLAN_EPOCH_PARTS + 1];
    char key[SGDPLAN_EPOCH_PARTS][32];
    size_t i, n = 0;
    for (i = (size_t)human; i < COUNT_OF(first); i++) column[n++] = first[i];
    for (i = 0; i < SGDPLAN_EPOCH_PARTS; i++) {
        if (human) continue;
        column[n].name = part_key(i, key[i], sizeof key[i]);
        column[n++].digits = 0;
    }
    column[n].name = human ? "slower" : "splits";
    column[n++].digits = 4;
    return table_new(column, n);
}

static const char *splits_text(const plan_problem *p, const sgdplan_plan *plan)
{
    enum { ONE = 36 };
    char *text = (char *)tool_alloc(p->layers.count, ONE);
    size_t l, used = 0;
    for (l = 0; l < p->layers.count; l++)
        used += (size_t)snprintf(text + used, ONE, "%s%lu/%lu/%lu", l > 0 ? " " : "",
                                 (unsigned long)plan->state[l].partitions,
                                 (unsigned long)plan->state[l].replications,
                                 (unsigned long)plan->state[l].threads);
    return text;
}

static void ranking_add(result_table *t, const plan_run *r, const plan_answer *answer,
                        int human)
{
    const sgdplan_plan *plan = r->all ? answer->all : answer->ranked;
    const size_t n = r->all ? answer->count : answer->ranks;
    size_t i, part;
    for (i = 0; i < n; i++) {
        if (!human) table_integer(t, r->p.net.machines);
        table_integer(t, i + 1);
        table_integer(t, plan[i].resources.workers);
        table_integer(t, plan[i].resources.replicas);
        table_integer(t, plan[i].resources.servers);
        table_number(t, plan[i].epoch_s);
        if (human) {
            table_number(t, plan[0].epoch_s > 0.0 ? plan[i].epoch_s / plan[0].epoch_s : 1.0);
        } else {
            sgdplan_epoch epoch;
            plan_evaluate(&r->p, &plan[i], NULL, &epoch);
            for (part = 0; part < SGDPLAN_EPOCH_PARTS; part++)
                table_number(t, epoch.part_s[part]);
            table_text(t, splits_text(&r->p, &plan[i]));
        }
    }
}

/* "0 1 2 3": workers by partition, replications with | between them. */
static const char *workers_text(const sgdplan_split *s)
{
    const size_t n = (size_t)s->partitions * s->replications;
    enum { ONE = 14 };
    char *text = (char *)tool_alloc(n, ONE);
    size_t i, used = 0;
    for (i = 0; i < n; i++)
        used += (size_t)snprintf(text + used, ONE, "%s%lu",
                                 i == 0 ? "" : i % s->partitions == 0 ? "|" : " ",
                                 (unsigned long)s->worker[i]);
    return text;
}

static void print_layers(output *out, const plan_run *r, const sgdplan_plan *plan,
                         output_format format)
{
    static const table_column first[] = {
        {"layer", 0}, {"partitions", 0}, {"replications", 0}, {"threads", 0},
        {"activations", 0}, {"errors", 0}, {"epoch_s", 0}};
    const plan_problem *p = &r->p;
    sgdplan_epoch *by_layer = (sgdplan_epoch *)tool_alloc(p->layers.count, sizeof *by_layer), epoch;
    table_column column[COUNT_OF(first) + SGDPLAN_EPOCH_PARTS + 1];
    char key[SGDPLAN_EPOCH_PARTS][32];
    plan_mapping mapping;
    result_table *t;
    size_t l, i, n = 0;
    for (i = 0; i < COUNT_OF(first); i++) column[n++] = first[i];
    for (i = 0; format == FORMAT_CSV && i < SGDPLAN_EPOCH_PARTS; i++) {
        column[n].name = part_key(i, key[i], sizeof key[i]);
        column[n++].digits = 0;
    }
    column[n].name = "on_workers";
    column[n++].digits = 0;
    t = table_new(column, n);
    plan_evaluate(p, plan, by_layer, &epoch);
    plan_map(p, plan, &mapping);
    for (l = 0; l < p->layers.count; l++) {
        table_text(t, plan_layer_name(&p->layers, l));
        table_integer(t, plan->state[l].partitions);
        table_integer(t, plan->state[l].replications);
        table_integer(t, plan->state[l].threads);
        table_integer(t, by_layer[l].activations);
        table_integer(t, by_layer[l].errors);
        table_number(t, by_layer[l].epoch_s);
        for (i = 0; format == FORMAT_CSV && i < SGDPLAN_EPOCH_PARTS; i++)
            table_number(t, by_layer[l].part_s[i]);
        table_text(t, workers_text(&mapping.split[l]));
    }
    table_print(t, out, format);
    if (format == FORMAT_CSV) return;
    output_print(out, "with these places an epoch takes %.6g s\n\n", mapping.epoch.epoch_s);
}

static void print_parts(output *out, const plan_run *r, const sgdplan_plan *plan)
{
    static const table_column columns[] = {{"part", 0}, {"seconds", 0}, {"percent", 3}};
    result_table *t = table_new(columns, COUNT_OF(columns));
    sgdplan_epoch epoch;
    size_t i;
    plan_evaluate(&r->p, plan, NULL, &epoch);
    for (i = 0; i < SGDPLAN_EPOCH_PARTS; i++) {
        table_text(t, sgdplan_epoch_text((sgdplan_epoch_part)i));
        table_number(t, epoch.part_s[i]);
        table_number(t, epoch.epoch_s > 0.0 ? 100.0 * epoch.part_s[i] / epoch.epoch_s : 0.0);
    }
    table_print(t, out, FORMAT_TABLE);
    output_print(out, "\n");
}

static void print_human(output *out, const plan_run *r, const plan_answer *answer)
{
    const sgdplan_plan *best = &answer->ranked[0];
    const sgdplan_resources *b = &best->resources;
    result_table *t = ranking_new(1);
    output_print(out, "%lu machines of %lu cores, %lu configurations\n"
                 "best: %lu server%s, %lu replica%s of %lu worker%s, %.6g s an epoch\n\n",
                 (unsigned long)r->p.net.machines, (unsigned long)r->p.net.cores,
                 (unsigned long)answer->looked_at, (unsigned long)b->servers,
                 b->servers == 1 ? "" : "s", (unsigned long)b->replicas,
                 b->replicas == 1 ? "" : "s", (unsigned long)b->workers,
                 b->workers == 1 ? "" : "s", best->epoch_s);
    print_parts(out, r, best);
    print_layers(out, r, best, FORMAT_TABLE);
    ranking_add(t, r, answer, 1);
    table_print(t, out, FORMAT_TABLE);
}

/* ---- The command ----------------------------------------------------------- */

static void print_scenarios(output *out, plan_run *r, output_format format)
{
    result_table *ranking = ranking_new(0);
    size_t i;
    if (format == FORMAT_JSON) json_object(out, NULL);
    if (format == FORMAT_JSON && r->scenarios > 1) json_array(out, "scenarios");
    for (i = 0; i < r->scenarios; i++) {
        plan_answer answer = {0};
        r->p.net.machines = r->machines[i];
        check_given(&r->p);
        plan_search(&r->p, &answer);
        if (format == FORMAT_JSON) {
            if (r->scenarios > 1) json_object(out, NULL);
            json_scenario(out, r, &answer);
            if (r->scenarios > 1) json_end(out);
        } else if (format == FORMAT_TABLE) {
            if (i > 0) output_print(out, "\n");
            print_human(out, r, &answer);
        } else if (r->layers) {
            print_layers(out, r, &answer.ranked[0], FORMAT_CSV);
        } else {
            ranking_add(ranking, r, &answer, 0);
        }
    }
    if (format == FORMAT_JSON && r->scenarios > 1) json_end(out);
    if (format == FORMAT_JSON) json_end(out);
    if (format == FORMAT_CSV && !r->layers) table_print(ranking, out, FORMAT_CSV);
}

int cmd_plan(int argc, char **argv)
{
    static const args_option options[] = {
        {"--machines", ARGS_VALUE}, {"--cores", ARGS_VALUE}, {"--constants", ARGS_VALUE},
        {"--C_muladd", ARGS_VALUE}, {"--C_act", ARGS_VALUE}, {"--C_err", ARGS_VALUE},
        {"--C_interf", ARGS_VALUE}, {"--C_ncost", ARGS_VALUE}, {"--C_nbw", ARGS_VALUE},
        {"--C_bits", ARGS_VALUE}, {"--N_sample", ARGS_VALUE}, {"--N_read", ARGS_VALUE},
        {"--N_write", ARGS_VALUE}, {"--compute-scale", ARGS_VALUE},
        {"--bandwidth-scale", ARGS_VALUE}, {"--mix", ARGS_VALUE}, {"--read-full", ARGS_FLAG},
        {"--read-per-replica", ARGS_FLAG}, {"--latency-always", ARGS_FLAG},
        {"--biases", ARGS_FLAG}, {"--threads", ARGS_VALUE}, {"--max-replications", ARGS_VALUE},
        {"--split", ARGS_REPEAT}, {"--config", ARGS_REPEAT}, {"--runners-up", ARGS_VALUE},
        {"--all", ARGS_FLAG}, {"--trial-order", ARGS_FLAG}, {"--objective", ARGS_VALUE},
        {"--layers", ARGS_FLAG}};
    static const args_command command = {help, options, COUNT_OF(options), 1, 1};
    static const args_part parts[] = {{"measure", plan_measure}};
    plan_run r = {0};
    output out = {0};
    args a;
    int status;
    if (args_run_part(&command, parts, COUNT_OF(parts), argc, argv, &status)) return status;
    args_parse(&a, &command, argc, argv);
    if (args_given(&a, "--trial-order") && !args_given(&a, "--machines"))
        return plan_trials(&a);
    read_problem(&r, &a);
    if (r.layers && (r.scenarios > 1 || args_format(&a) != FORMAT_CSV))
        tool_fail("--layers is for --format csv and one number of --machines");
    print_scenarios(&out, &r, args_format(&a));
    return output_flush(&out, EXIT_DONE);
}
