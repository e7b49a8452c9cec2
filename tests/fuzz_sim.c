/* fuzz_sim.c - any trace and any configuration is simulated or refused, within the work
 * area that it asks for and the events that it is allowed, and twice alike. */
#include "../sgdperf_sim.h"

#include "fuzz.h"
#include "ring.h"

enum {
    TYPES = 3, STEPS = 2, OPS = 12, WAITS = 3, WORKERS = 3 * TYPES, RUNS = 4, EVENTS = 400
};

/* Mostly an ordinary value, sometimes one that is not. */
static double value(fuzz_bytes *b)
{
    const double odd[] = {
        0.0,   -0.0,    -1.0,     5e-324,   DBL_MIN,   1e-300,
        1e300, DBL_MAX, -DBL_MAX, HUGE_VAL, -HUGE_VAL, (double)NAN};
    const unsigned code = fuzz_byte(b);
    if (code >= 244) return odd[code - 244];
    return (double)(code % 61) / 16.0;
}

typedef struct input {
    sgdsim_config config;
    sgdsim_trace  trace[TYPES];
    sgdsim_step   step[TYPES][STEPS];
    sgdsim_op     op[TYPES][STEPS][OPS];
    uint32_t      waits[TYPES][STEPS][OPS][WAITS];
    uint32_t      workers[TYPES], order[4], sequence[WORKERS * RUNS];
    sgdsim_tcp    tcp;
    double        own[TYPES], delay_s[TYPES];
    sgdsim_overhead overhead;
    unsigned      rule;
} input;

static void read_op(fuzz_bytes *b, input *in, size_t t, size_t s, size_t i)
{
    sgdsim_op *op = &in->op[t][s][i];
    const unsigned code = fuzz_byte(b);
    op->resource = (sgdsim_resource)(code < 250 ? code % 4 : code % 8);
    op->server = code / 4 % (in->config.servers.count < 5 ? in->config.servers.count + 1 : 5);
    if (in->config.servers.count == op->server && code < 225) op->server = 0;
    op->duration_s = op->bytes = value(b);
    op->waits = code < 64 ? 0 : code % (WAITS + 1);
    op->waits_for = code == 249 ? NULL : in->waits[t][s][i];
    for (size_t k = 0; k < op->waits; k++) {
        const unsigned other = fuzz_byte(b);
        in->waits[t][s][i][k] = (uint32_t)(other < 240 && i > 0 ? other % i : other % 14);
    }
}

static void read_traces(fuzz_bytes *b, input *in)
{
    for (size_t t = 0; t < in->config.workers.types; t++) {
        in->workers[t] = fuzz_byte(b) % 4;
        if (in->workers[t] == 0 && fuzz_byte(b) < 240) in->workers[t] = 2;
        in->trace[t].step = in->step[t];
        in->trace[t].steps = 1 + fuzz_byte(b) % STEPS;
        for (size_t s = 0; s < in->trace[t].steps; s++) {
            in->step[t][s].op = in->op[t][s];
            in->step[t][s].ops = fuzz_byte(b) % (OPS + 1);
            for (size_t i = 0; i < in->step[t][s].ops; i++) read_op(b, in, t, s, i);
        }
    }
}

/* A sharing rule that answers what the input says. */
static void any_rule(void *ctx, sgdsim_flow *flow, size_t flows)
{
    const unsigned rule = *(const unsigned *)ctx;
    if (rule % 2) sgdsim_share_max_min(NULL, flow, flows);
    else for (size_t i = 0; i < flows; i++)
        flow[i].share = rule == 254 ? (double)NAN : rule == 252 ? -1.0
                      : (double)((rule >> i % 4) % 4);
}

static void read_config(fuzz_bytes *b, input *in)
{
    sgdsim_config *c = &in->config;
    const unsigned code = fuzz_byte(b), more = fuzz_byte(b);
    c->workers.trace = in->trace;
    c->workers.count = in->workers;
    c->workers.types = 1 + fuzz_byte(b) % TYPES;
    c->links.rule = (sgdsim_link)(code % 4 < 3 ? code % 4 : code == 255 ? 4 : code < 192 ? 0 : 3);
    if (code != 2) c->links.exchange_s = ring_s;
    c->mode = (sgdsim_mode)(code / 4 % 2);
    c->servers.count = code / 8 % 4;
    if (more == 255) c->servers.count = fuzz_byte(b) * 16843009u;
    c->variation.service = (sgdsim_service)(more % 5 == 0);
    c->variants.fcfs_spill = more / 2 % 2;
    c->variants.two_servers_unit = more / 4 % 2;
    c->servers.updates = (sgdsim_updates)(more / 8 % 2 * (code == 253 ? 3 : 1 + code % 2));
    c->variants.steady_window = more / 16 % 2;
    c->variants.reappend_at_selection = more / 32 % 2;
    if (more / 64 % 2) c->transfers.overhead = &in->overhead;
    c->links.bandwidth_bytes_per_s = value(b);
    if (code < 250 && !(c->links.bandwidth_bytes_per_s > 0.0)) c->links.bandwidth_bytes_per_s = 1.0;
    c->transfers.window_bytes = more % 2 ? value(b) / 4.0 : 0.0;
    c->transfers.every_turn = more / 2 % 2;
    c->links.flow_cap = code % 3 ? 0.0 : value(b);
    if (c->links.rule == SGDSIM_LINK_TCP) {
        in->tcp.two_way = value(b) / 4.0;
        in->tcp.spread = value(b) / 4.0;
        c->links.tcp = more % 4 ? &in->tcp : NULL;
    }
    if (c->transfers.overhead) {
        in->overhead.s = value(b) / 4.0;
        in->overhead.s_per_byte = value(b) / 8.0;
    }
    c->length.steps = code == 254 ? 0 : 1 + fuzz_byte(b) % RUNS;
    c->length.warmup = fuzz_byte(b) % 16 / 6;
    c->max_events = EVENTS;
    c->variation.seed = fuzz_byte(b);
    in->rule = fuzz_byte(b);
    if (in->rule > 200) { c->links.share = any_rule; c->links.share_ctx = &in->rule; }
    c->transfers.ordered = fuzz_byte(b) % 16 / 3 % 5;
    c->transfers.order = in->order;
    for (size_t i = 0; i < c->transfers.ordered; i++) in->order[i] = fuzz_byte(b) % 64 / 4 % 13;
}

/* Links of the workers' own, delays, staggered starts: of what was read for others. */
static void take_ends(input *in)
{
    sgdsim_config *c = &in->config;
    const unsigned code = (unsigned)(c->variation.seed + c->length.steps);
    for (size_t t = 0; t < TYPES; t++) {
        in->own[t] = c->links.bandwidth_bytes_per_s * (0.25 + (double)((code >> t) % 4));
        in->delay_s[t] = (double)((code >> t) % 3) / 2.0;
    }
    if (code % 3 == 1) c->links.worker_bandwidth_bytes_per_s = in->own;
    if (code % 3 == 1 && code % 16 != 0) {
        c->links.share = NULL;
        c->variants.fcfs_spill = c->variants.two_servers_unit = 0;
    }
    if (code % 4 == 2) c->links.delay_s = in->delay_s;
    if (code % 5 == 2) c->variation.stagger_s = 0.5;
}

static void read_sequence(fuzz_bytes *b, input *in)
{
    if (fuzz_byte(b) % 2) return;
    in->config.variation.sequence = in->sequence;
    for (size_t i = 0; i < WORKERS * RUNS; i++) {
        const unsigned code = fuzz_byte(b);
        in->sequence[i] = code < 200 ? 0 : code < 230 ? UINT32_MAX : code % 3;
    }
}

/* Are all traces well formed? A fault that is told must be there. */
static int traces_good(const input *in)
{
    const uint32_t servers = in->config.servers.count > 0 ? in->config.servers.count : 1;
    int good = 1;
    size_t need = 0;
    for (size_t t = 0; t < in->config.workers.types; t++) {
        sgdsim_fault fault = {.field = NULL, .reason = NULL};
        require(sgdsim_trace_check_bytes(in->trace + t, &need) == SGDSIM_OK);
        void *work = fuzz_area(need, 0xff);
        sgdsim_status status = sgdsim_trace_check(in->trace + t, servers, work, need, &fault);
        require(status == SGDSIM_OK || status == SGDSIM_BAD_TRACE);
        require((status == SGDSIM_OK) == (fault.reason == NULL));
        if (fault.reason) {
            require(fault.field != NULL && fault.step < in->trace[t].steps);
            require(fault.op == 0 || fault.op < in->trace[t].step[fault.step].ops);
            good = 0;
        }
        free(work);
    }
    return good;
}

static void require_result(const input *in, const sgdsim_result *out)
{
    size_t workers = 0;
    for (size_t t = 0; t < in->config.workers.types; t++) workers += in->workers[t];
    require(out->batches_per_s > 0.0 && out->makespan_s > 0.0);
    require(out->makespan_s <= DBL_MAX && out->operations <= out->events);
    require(out->events <= EVENTS);
    for (size_t i = 0; i < workers; i++) {
        const sgdsim_waiting *w = out->waiting + i;
        double before_s = 0.0, sum_s = 0.0;
        for (uint64_t k = 0; k < in->config.length.steps; k++) {
            require(out->step_end_s[i * in->config.length.steps + k] >= before_s);
            before_s = out->step_end_s[i * in->config.length.steps + k];
        }
        require(before_s <= out->makespan_s);
        sum_s = w->computing_s + w->downlink_s + w->uplink_s + w->server_s + w->barrier_s;
        require(fabs(sum_s - out->makespan_s) <= 1e-9 * out->makespan_s);
    }
}

/* ---- Groups -------------------------------------------------------------------- */

enum { GROUPS = 2 };

/* What a collective costs, whatever it is; `kind` says how the links go together. */
typedef struct any_price { sgdsim_cost cost; unsigned kind; } any_price;

static int any_cost(void *ctx, sgdsim_resource what, double bytes, sgdsim_cost *cost)
{
    const any_price *price = (const any_price *)ctx;
    require(what == SGDSIM_UPLINK || what == SGDSIM_DOWNLINK);
    require(bytes >= 0.0 && bytes <= DBL_MAX);
    *cost = price->cost;
    if (price->kind % 2) cost->alone_s += cost->latency_s[0] + cost->busy_s[0];
    if (price->kind % 4 / 2) cost->alone_s += cost->latency_s[1] + cost->busy_s[1];
    return price->kind != 255;
}

static void read_price(fuzz_bytes *b, any_price *price)
{
    for (size_t l = 0; l < SGDSIM_LEVELS; l++) {
        price->cost.latency_s[l] = value(b);
        price->cost.busy_s[l] = value(b);
        price->cost.share[l] = fuzz_byte(b) < 128 ? 0.0 : value(b) / 4.0;
    }
    price->kind = fuzz_byte(b);
    price->cost.alone_s = price->kind < 128 ? 0.0 : value(b);
    if (price->kind < 200) price->kind |= 3;
}

/* Of each type the first step of a trace, once or twice with other durations. */
static void read_group(fuzz_bytes *b, input *in, size_t g, sgdsim_group *to,
                       sgdsim_trace *trace, sgdsim_step *step, sgdsim_op *again)
{
    const unsigned code = fuzz_byte(b);
    memset(to, 0, sizeof *to);
    memcpy(again, in->op[g][0], sizeof in->op[g][0]);
    for (size_t t = 0; t < OPS; t++)
        if (again[t].resource == SGDSIM_WORKER) again[t].duration_s = value(b);
    step[0] = step[1] = in->step[g][0];
    step[1].op = again;
    for (size_t t = 0; t < 2; t++) {
        trace[t].step = step;
        trace[t].steps = 1 + code / 4 % 2 * (1 - t);
    }
    to->workers.types = 1 + code % 2;
    to->workers.trace = trace;
    to->workers.count = in->workers;
    if (to->workers.types == 2 && in->config.workers.types == 1) to->workers.types = 1;
    to->gathers = code / 2 % 2;
    to->streams = code / 8 % 4;
    to->bucket_bytes = code / 32 % 2 ? value(b) : 0.0;
    to->first_bucket_bytes = code / 64 % 2 ? value(b) : 0.0;
    to->length.steps = in->config.length.steps;
    to->length.warmup = in->config.length.warmup;
    to->seed = in->config.variation.seed;
    to->cost = any_cost;
}

static void require_group(const sgdsim_group *group, const sgdsim_group_result *out)
{
    const double end_s = out->makespan_s;
    size_t workers = 0;
    for (size_t t = 0; t < group->workers.types; t++) workers += group->workers.count[t];
    require(out->batches_per_s > 0.0 && end_s > 0.0 && end_s <= DBL_MAX);
    require(out->step_end_s[0] >= 0.0);
    for (size_t i = 1; i < group->length.steps; i++)
        require(out->step_end_s[i] >= out->step_end_s[i - 1]);
    require(out->step_end_s[group->length.steps - 1] <= end_s);
    for (size_t i = 0; i < SGDSIM_LEVELS; i++)
        require(out->link_utilization[i] <= 1.0 + 1e-6 || end_s < 1e-280);
    for (size_t i = 0; i < workers; i++) {
        const sgdsim_waiting *w = out->waiting + i;
        const double sum_s = w->computing_s / end_s + w->downlink_s / end_s
            + w->uplink_s / end_s + w->server_s / end_s + w->barrier_s / end_s;
        require(fabs(sum_s - 1.0) <= 1e-6 || end_s < 1e-280);
    }
}

static void fuzz_groups(fuzz_bytes *b, input *in)
{
    static sgdsim_op again[GROUPS][OPS];
    sgdsim_group group[GROUPS];
    sgdsim_trace trace[GROUPS][2];
    sgdsim_step step[GROUPS][2];
    any_price price[GROUPS];
    sgdsim_group_result out[2][GROUPS];
    sgdsim_waiting waiting[2][GROUPS][WORKERS];
    double end_s[2][GROUPS][RUNS];
    sgdsim_status status[2];
    const size_t groups = 1 + fuzz_byte(b) % GROUPS;
    size_t need = 0;
    if (in->config.length.steps == 0 || in->config.workers.types < groups) return;
    memset(price, 0, sizeof price);
    memset(out, 0, sizeof out);
    for (size_t g = 0; g < groups; g++) {
        read_group(b, in, g, &group[g], trace[g], step[g], again[g]);
        read_price(b, &price[g]);
        group[g].cost_ctx = &price[g];
    }
    status[0] = sgdsim_run_groups_bytes(group, groups, &need);
    if (status[0] != SGDSIM_OK) return;
    for (int i = 0; i < 2; i++) {
        void *work = fuzz_area(need, i ? 0xff : 0);
        for (size_t g = 0; g < groups; g++) {
            out[i][g].step_end_s = end_s[i][g];
            out[i][g].waiting = waiting[i][g];
        }
        status[i] = sgdsim_run_groups(group, groups, work, need, out[i]);
        free(work);
    }
    require(status[0] == status[1]);
    for (size_t g = 0; g < groups && status[0] == SGDSIM_OK; g++) {
        require_group(&group[g], &out[0][g]);
        require(memcmp(&out[0][g].link_utilization, &out[1][g].link_utilization,
                       sizeof out[0][g].link_utilization) == 0);
        require(!(out[0][g].makespan_s < out[1][g].makespan_s)
                && !(out[1][g].makespan_s < out[0][g].makespan_s));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static input in;
    double end_s[2][WORKERS * RUNS];
    sgdsim_waiting waiting[2][WORKERS];
    sgdsim_result out[2];
    sgdsim_status status[2] = {SGDSIM_OK, SGDSIM_OK};
    fuzz_bytes b = fuzz_read(data, size);
    size_t need = 0;
    memset(&in, 0, sizeof in);
    memset(out, 0, sizeof out);
    read_config(&b, &in);
    take_ends(&in);
    read_traces(&b, &in);
    read_sequence(&b, &in);
    fuzz_groups(&b, &in);
    int good = traces_good(&in);
    status[0] = sgdsim_run_check(&in.config, NULL);
    status[1] = sgdsim_run_bytes(&in.config, &need);
    require(status[0] == SGDSIM_OK || status[0] == status[1]);
    require(sgdsim_reason_text((sgdsim_reason)status[0]) != NULL);
    status[0] = status[1];
    if (status[0] != SGDSIM_OK || need > 1 << 20) return 0;
    for (int i = 0; i < 2; i++) {
        void *work = fuzz_area(need, i ? 0xff : 0);
        out[i].step_end_s = end_s[i];
        out[i].waiting = waiting[i];
        status[i] = sgdsim_run(&in.config, work, need, out + i);
        free(work);
    }
    require(status[0] == status[1] && (status[0] == SGDSIM_BAD_TRACE) == !good);
    if (status[0] != SGDSIM_OK) return 0;
    require_result(&in, out);
    out[1].step_end_s = out[0].step_end_s;
    out[1].waiting = out[0].waiting;
    require(memcmp(out, out + 1, sizeof out[0]) == 0);
    return 0;
}

/* Runs of 100 and more events: equal sharing and FCFS, both modes, 1 to 3 servers. */
FUZZ_MAIN("fuzz_sim",
    "@sUsB=:6]4@FiNw(+)4<:(BJRMy1RM'[L4:^}/v,!lUL<syL#{iyE!q5)]5g6~hSadg2H%mAaT[25JDs"
    "AtDSiS@ZIEN.+A|H@qn@]5UWSt<OvC}Key%yp^wb`<5=R{{aVNHmAJ@yWH9M*vjU*D6o3K),gzhUUEv)"
    "JA]V^i+x5P/gpg)'xKKDO;D-rJ~9.$OY'>{y^Vk@",
    "P+TG>caVP'Lg30~*R|sI.9)LbEMHCT#SMp^QB<JvL'b5hLPWmjfSSQ9)oX$XU`,Mv9/LL]&yujZX=Bll"
    "+!0i&7ZT8's2{/hrS$7;@#)X)=h^t5M{):.=LnW8",
    "L&Xu3u|R^i){XCTtew9`OAe+9aHB)2<5AybDRx^8jNO'm`d2n6;A~`z1ivm$(}2XMF>PESKL7s%rvYRp"
    "#r.:%ekMV`-A[Bj}8ic5Z+{U}QNlw8l21q9|={GltDk1>Ap$+q56kaX34Sc6zd]e;~N6'@wG(+$fdE&K"
    "v,~IC-UR71c/^swW#@&]COmMa,=]S@#N2Ei6a*p&kY2I!Gr5&wz3->LXzrjn$favl8X03V~j@'Q'wsRJ"
    "#F&{5Y8'N=*~VSi|67:0",
    "_Nrx!v7emK$Ecpz>O228cX*-TGrlx{.&^(rs2HZ;>{LjHLKZ/en;qmG/Kv>5Nx:WGvobrh@[&Y`F}(3M"
    "XL%>fdcm.uLVwoB:R+8X:5~NBH!ef!gsRla=>D]m",
    "!z9NT+R2/9]u:WdK/n;PZ~t}G&{b.IQ,4(-59A@2hyj/c>9eLHb3YZ0'jQ*E3`|GuQcdOY`LB8SUCF91"
    ",qYNBj6~if8BRQ9q1&W%'uPxo-CS2chn>)TV&=v_",
    "5tBjG%3^]w>R@Ce|yys]E%Yx1*}~KTg5'd|VRS'AtU6K>kt:z`(&wlx|wg+%#Jxd+nh11@}kr~y1)ecF"
    "hTO&:ag2@ad4/;*C9kbfe`!46btOAEa7^dgDup6fqYZ}<`OpzM7B!pK&z3Jlr9z[qs6usMgma$K<Qq}("
    ",8Yt)afSCRyZ=}0g,Paz#6QFaq$G32vt@F_g-%lu%]A-RRq}eR%j*+GC%r6G8NX%VbER!Fi,ljiHR}ki"
    "AahO5|7a=qRVMmw8_Y:'",
    "rQLf*=8P2H[w#RBp3h/%Q1^b#/s)>immPs=<<Aw@C#u+75o4d(K5dpvM]#UspvG,#`/kEcy5U@bFCGZ#"
    "Nl!H2#yTJ)ymp/uY>LAeQe(^F)rme0z)U'/3pUt/",
    "");
