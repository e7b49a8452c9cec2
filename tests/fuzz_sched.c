/* fuzz_sched.c - any rules, curves and jobs are decided upon or refused; the live
 * scheduler, whatever happens to it, decides as a single decision would, and where numbers
 * are whole as the algorithms do to the letter; nodes are given once. Queues of rigid jobs,
 * simulated and live, are refused or do what their definitions say. */
#include "../sgdperf_sched.h"

#include "fuzz.h"
#include "oracle_queue.h"
#include "oracle_sched.h"

enum { CURVES = 4, LENGTH = 10, ROOM = 12, PLAIN_NODES = 24 };

/* What the scheduler should know: the jobs that are present, in order of arrival. */
typedef struct model {
    sgdsched_rules rules;
    sgdsched_curve curve[CURVES];
    double         number[CURVES][LENGTH];
    size_t         curves;
    int            plain;          /* small whole numbers: nothing is rounded         */
    sgdsched_job   job[ROOM];
    size_t         slot[ROOM], jobs;
    uint32_t       nodes[ROOM];
    sgdsched_live *s;
} model;

/* Mostly a small whole number, sometimes one that is not. */
static double value(fuzz_bytes *b, model *m)
{
    const double odd[] = {0.0,   -0.0,  -1.0,     5e-324,    1e-300,  1e-69,
                          1e-71, 1e69,  1e71,     1e300,     DBL_MAX, -DBL_MAX,
                          0.1,   1e-20, HUGE_VAL, -HUGE_VAL, (double)NAN};
    const unsigned code = fuzz_byte(b);
    if (code < 224) return (double)(code % 32 + 1);
    m->plain = 0;
    if (code < 239) return (double)(code - 223) / 16.0;
    return odd[code - 239];
}

static double option(fuzz_bytes *b)
{
    const double some[] = {0.0,  -0.0, 0.125, 0.25, 0.0625, 0.5, -0.125,   1.5,
                           1e-3, 1e9,  -1.0,  2.0,  1.0,    0.3, HUGE_VAL, (double)NAN};
    const unsigned code = fuzz_byte(b);
    return code % 4 ? 0.0 : some[code / 4 % 16];
}

static void read_curve(fuzz_bytes *b, model *m, size_t i)
{
    const unsigned code = fuzz_byte(b);
    sgdsched_curve *c = m->curve + i;
    c->nodes = code < 250 ? 1 + code % LENGTH : 0;
    c->service_s = code % 3 == 0 ? m->number[i] : NULL;
    c->throughput_per_s = code % 3 == 0 && code < 253 ? NULL : m->number[i];
    for (uint32_t w = 0; w < c->nodes; w++) m->number[i][w] = value(b, m);
}

static void read_model(fuzz_bytes *b, model *m)
{
    sgdsched_rules *r = &m->rules;
    *m = (model){.plain = 1};
    unsigned code = fuzz_byte(b);
    r->policy = (sgdsched_policy)(code < 250 ? code % SGDSCHED_JSQ : code % 16);
    require((sgdsched_policy_about(r->policy) != NULL) == (r->policy < SGDSCHED_POLICY_COUNT));
    code = fuzz_byte(b);
    r->nodes = code < 248 ? 1 + code % PLAIN_NODES : code < 254 ? UINT32_MAX - code : 0;
    code = fuzz_byte(b);
    r->fill = code % 2;
    r->head_of_line = code / 2 % 2;
    r->alpha = option(b);
    r->alpha_by_load = fuzz_byte(b) % 2;
    r->load = option(b);
    r->alpha_low = option(b);
    r->alpha_high = option(b);
    r->gamma = option(b);
    m->curves = 1 + fuzz_byte(b) % CURVES;
    for (size_t i = 0; i < m->curves; i++) read_curve(b, m, i);
}

static int is_moldable(const model *m)
{
    const sgdsched_policy_traits *row = sgdsched_policy_about(m->rules.policy);
    return row && row->family == SGDSCHED_MOLDABLE;
}

/* Whether the letter is free of rounding: powers to 0 and 1 are exact. */
static int has_letter(const model *m)
{
    const double gamma = m->rules.gamma;
    return m->plain && m->rules.nodes <= PLAIN_NODES &&
           (!(gamma > 0.0) || (gamma >= 1.0 && gamma <= 1.0));
}

static size_t find(const model *m, size_t slot)
{
    size_t i = 0;
    while (i < m->jobs && m->slot[i] != slot) i++;
    return i;
}

/* Is a number of nodes allowed, the least of them on the curve, and what it holds? */
static int has_limits(const model *m, const sgdsched_job *job)
{
    const uint64_t gang = job->gang_nodes ? job->gang_nodes : 1;
    const uint64_t most = job->max_nodes ? job->max_nodes : UINT32_MAX;
    uint64_t w = gang, held = job->held;
    while (w < job->min_nodes && w <= LENGTH) w += gang;
    return w <= most && w <= m->rules.nodes && w <= m->curve[job->curve].nodes &&
           (held == 0 || (held >= w && held <= most && held % gang == 0));
}

static int is_good(const model *m, const sgdsched_job *job)
{
    return job->curve < m->curves && job->remaining > 0.0 && job->remaining <= DBL_MAX &&
           job->size >= 0.0 && job->size <= DBL_MAX && job->held <= m->rules.nodes &&
           (!(job->size > 0.0) || job->size >= job->remaining) && has_limits(m, job);
}

/* Mostly none, or such as can be met. */
static void read_limits(fuzz_bytes *b, sgdsched_job *job)
{
    const uint32_t odd[] = {0, 1, 2, 3, 5, 8, 24, UINT32_MAX};
    const unsigned code = fuzz_byte(b);
    if (code % 4 != 3) return;
    job->min_nodes = odd[code / 4 % 8];
    job->max_nodes = odd[fuzz_byte(b) % 8];
    job->gang_nodes = odd[fuzz_byte(b) % 8];
}

static void arrive(fuzz_bytes *b, model *m)
{
    const size_t slot = fuzz_byte(b) % (ROOM + 1);
    const int known = find(m, slot) < m->jobs, plain = m->plain;
    unsigned code = fuzz_byte(b);
    sgdsched_job job = {.curve = code < 240 ? code % m->curves : code % (CURVES + 2),
                        .remaining = value(b, m)};
    job.size = code % 2 ? 0.0 : job.remaining + value(b, m);
    code = fuzz_byte(b);
    job.held = code < 200 ? 0 : code - 200;
    read_limits(b, &job);
    sgdsched_status status = sgdsched_live_submit(m->s, slot, &job);
    if (slot >= ROOM || !is_good(m, &job)) require(status == SGDSCHED_BAD_ARGUMENT);
    else require(status == (known ? SGDSCHED_BAD_JOB : SGDSCHED_OK));
    if (status != SGDSCHED_OK) { m->plain = plain; return; }
    require(sgdsched_live_job_nodes(m->s, slot) == 0);
    if (!(job.size > 0.0)) job.size = job.remaining;
    if (!is_moldable(m)) job.held = 0;
    m->job[m->jobs] = job;
    m->slot[m->jobs] = slot;
    m->nodes[m->jobs++] = 0;
}

static void leave(fuzz_bytes *b, model *m)
{
    const size_t slot = fuzz_byte(b) % (ROOM + 1), i = find(m, slot);
    const uint32_t idle = sgdsched_live_idle_nodes(m->s);
    const sgdsched_status status = sgdsched_live_leave(m->s, slot);
    require(status == (i < m->jobs ? SGDSCHED_OK : SGDSCHED_BAD_JOB));
    if (status != SGDSCHED_OK) return;
    require(sgdsched_live_idle_nodes(m->s) == idle + m->nodes[i] &&
            sgdsched_live_job_nodes(m->s, slot) == 0);
    m->jobs--;
    for (size_t k = i; k < m->jobs; k++) {
        m->job[k] = m->job[k + 1];
        m->slot[k] = m->slot[k + 1];
        m->nodes[k] = m->nodes[k + 1];
    }
}

static void progress(fuzz_bytes *b, model *m)
{
    const size_t slot = fuzz_byte(b) % (ROOM + 1), i = find(m, slot);
    const int plain = m->plain;
    const double to = value(b, m);
    const sgdsched_status status = sgdsched_live_progress(m->s, slot, to);
    if (i == m->jobs) require(status == SGDSCHED_BAD_JOB);
    else require((status == SGDSCHED_OK) == (to > 0.0 && to <= m->job[i].size));
    if (status == SGDSCHED_OK) m->job[i].remaining = to;
    else m->plain = plain;
}

static void reshape(fuzz_bytes *b, model *m)
{
    const size_t i = fuzz_byte(b) % m->curves;
    const sgdsched_curve before = m->curve[i];
    const int plain = m->plain;
    double numbers[LENGTH];
    memcpy(numbers, m->number[i], sizeof numbers);
    read_curve(b, m, i);
    sgdsched_status status = sgdsched_live_set_curve(m->s, i, m->curve + i);
    if (status == SGDSCHED_OK) { require(m->curve[i].nodes == before.nodes); return; }
    require(status == SGDSCHED_BAD_ARGUMENT || status == SGDSCHED_BAD_CURVE);
    m->plain = plain;
    m->curve[i] = before;
    memcpy(m->number[i], numbers, sizeof numbers);
}

static void require_letter(const model *m, const uint32_t *nodes, uint32_t idle)
{
    oracle_task task[ROOM];
    uint32_t want[ROOM], w[ROOM];
    int done[ROOM];
    for (size_t i = 0; i < m->jobs; i++) task[i] = oracle_take(&m->rules, m->curve, m->job + i);
    require(oracle_decide(&m->rules, task, m->jobs, done, w, want) == idle);
    for (size_t i = 0; i < m->jobs; i++) require(nodes[i] == want[i]);
}

/* Decides once more from nothing: nodes[jobs]. */
static sgdsched_status decide_once(const model *m, uint32_t *nodes, uint32_t *idle)
{
    size_t need = 0;
    sgdsched_status status =
        sgdsched_allocate_bytes(&m->rules, &(sgdsched_jobs){m->curve, m->curves, NULL, m->jobs},
                                &need);
    if (status != SGDSCHED_OK) return status;
    void *work = fuzz_area(need, 0xff);
    status = sgdsched_allocate(&m->rules, &(sgdsched_jobs){m->curve, m->curves, m->job, m->jobs},
                               work, need, nodes, idle);
    free(work);
    return status;
}

static void decide(model *m)
{
    sgdsched_change change[ROOM];
    uint32_t nodes[ROOM], idle = 0;
    uint64_t given = 0;
    size_t changes = 0, differ = 0, i, k;
    require(sgdsched_live_decide(m->s, change, &changes) == SGDSCHED_OK && changes <= m->jobs);
    require(decide_once(m, nodes, &idle) == SGDSCHED_OK);
    require(sgdsched_live_idle_nodes(m->s) == idle);
    for (i = 0; i < m->jobs; i++) {
        require(sgdsched_live_job_nodes(m->s, m->slot[i]) == nodes[i]);
        given += nodes[i];
        differ += nodes[i] != m->nodes[i];
    }
    require(given + idle == m->rules.nodes && changes == differ);
    for (k = 0; k < changes; k++) {
        i = find(m, change[k].job);
        require(i < m->jobs && change[k].before == m->nodes[i] && change[k].nodes == nodes[i]);
        require(k == 0 || change[k].nodes > change[k].before ||
                change[k - 1].nodes < change[k - 1].before);
    }
    if (has_letter(m)) require_letter(m, nodes, idle);
    for (i = 0; i < m->jobs; i++) {
        m->nodes[i] = nodes[i];
        if (is_moldable(m) && m->job[i].held == 0) m->job[i].held = nodes[i];
    }
}

/* ---- Rigid jobs -------------------------------------------------------------- */

static unsigned next_byte(void *ctx) { return fuzz_byte((fuzz_bytes *)ctx); }
static int more_bytes(void *ctx) { return fuzz_more((fuzz_bytes *)ctx); }

static void play_queue(const uint8_t *data, size_t size)
{
    fuzz_bytes b = fuzz_read(data, size);
    oracle_dice d = {.next = next_byte, .more = more_bytes, .ctx = &b};
    require(oracle_queue_play(&d));
}

/* Mostly whole seconds. */
static double span(fuzz_bytes *b, int *good)
{
    const double odd[] = {-1.0, 1e-71, 1e71, HUGE_VAL, (double)NAN};
    const unsigned code = fuzz_byte(b);
    if (code < 251) return (double)(code % 25 + 1);
    *good = 0;
    return odd[code - 251];
}

/* A trace, simulated and from the definitions. */
static void run_rigid(const uint8_t *data, size_t size)
{
    enum { TRACE = 40 };
    fuzz_bytes b = fuzz_read(data, size);
    sgdsched_rigid_job job[TRACE];
    oracle_rigid_job want[TRACE];
    sgdsched_stay stay[TRACE];
    double at = 0.0;
    size_t need = 0, i;
    int good = 1;
    memset(want, 0, sizeof want);
    sgdsched_rigid in = {.policy = (sgdsched_queueing)(fuzz_byte(&b) % SGDSCHED_QUEUEING_COUNT)};
    require(sgdsched_queueing_about(in.policy) != NULL);
    in.nodes = 1 + fuzz_byte(&b) % PLAIN_NODES;
    in.kill = (int)(fuzz_byte(&b) % 2);
    in.job = job;
    for (in.jobs = 0; in.jobs < TRACE && (in.jobs == 0 || fuzz_more(&b)); in.jobs++) {
        sgdsched_rigid_job *j = job + in.jobs;
        const unsigned code = fuzz_byte(&b);
        j->arrival_s = at += code % 8;
        j->nodes = code < 254 ? 1 + fuzz_byte(&b) % in.nodes : in.nodes + 1;
        j->run_s = span(&b, &good);
        j->walltime_s = code % 16 == 0 ? 0.0 : span(&b, &good);
        good = good && code < 254;
        want[in.jobs].arrive = at;
        want[in.jobs].nodes = (long)j->nodes;
        want[in.jobs].run = j->run_s;
        want[in.jobs].asked = j->walltime_s > 0.0 ? j->walltime_s : j->run_s;
        if (want[in.jobs].asked < j->run_s) {
            if (in.kill) want[in.jobs].run = j->walltime_s;
            else want[in.jobs].asked = j->run_s;
        }
    }
    require((sgdsched_rigid_run_bytes(&in, &need) == SGDSCHED_OK) == good);
    if (!good) return;
    void *work = fuzz_area(need, 0xff);
    require(sgdsched_rigid_run(&in, work, need, stay, NULL) == SGDSCHED_OK);
    free(work);
    oracle_rigid_run(want, in.jobs, (oracle_rigid_policy)in.policy, (long)in.nodes);
    for (i = 0; i < in.jobs; i++)
        require(stay[i].start_s <= want[i].start && stay[i].start_s >= want[i].start);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static model m;
    fuzz_bytes b = fuzz_read(data, size);
    size_t need = 0;
    uint32_t idle = 0;
    sgdsched_status status;
    read_model(&b, &m);
    status =
        sgdsched_live_open_bytes(&m.rules, &(sgdsched_jobs){m.curve, m.curves, NULL, ROOM}, &need);
    void *work = fuzz_area(need, 0xff);
    if (status == SGDSCHED_OK)
        status = sgdsched_live_open(&m.rules, &(sgdsched_jobs){m.curve, m.curves, NULL, ROOM}, work,
                                    need, &m.s);
    require(status == decide_once(&m, NULL, &idle));
    while (status == SGDSCHED_OK && fuzz_more(&b)) {
        const unsigned code = fuzz_byte(&b) % 16;
        if (code < 6) arrive(&b, &m);
        else if (code < 9) leave(&b, &m);
        else if (code < 11) progress(&b, &m);
        else if (code < 12) reshape(&b, &m);
        else decide(&m);
    }
    if (status == SGDSCHED_OK) decide(&m);
    free(work);
    play_queue(data, size);
    run_rigid(data, size);
    return 0;
}

/* For each policy decisions about jobs some of which wait, on curves that change. */
FUZZ_MAIN("fuzz_sched",
    "CAy+*M3+Vg%:jJL@0^Fb{sfJx!_Z@|h/<hemYBma=q6=A+;O/p+uT*^TEeGRRF}$$7`:|U>.=M%|_rK)"
    "4])PO4%K^0WAxZ*-,beF-;_}1>,z$WXoPI#Lih$RSjY6_3)@1A:3H,7->$.=e&k)ochuTN/]w[.iHr|`"
    "A:i-c6efy4-Q}8ZG'-W[1W7FEFczt%(%q_0jG8XV9HAP%w`F9U(YU8..t/a`rCUP|r<rjjeq!@Na_XMU",
    "7S.&bQ2M9ge+~#z7p.]sLW&WRKx0(br9NSE#DZMG'sr9_I()f+k1)x4:_q~X.ynW[ZK1*90Ruo']Te;8"
    "/jby|>Z:JpHG0w2d}y7,e1z'A>wR+F4w66)F2UwW1pUWi(VK7gKF^{5jbt)M$N*>EkbJ/[X8IZ4M-('5"
    "ARO{+9QQMU1((Y5*n=(ZmwJE21Mp{$p)_)<IDsMFCAOgN!f4cooID<oD)`}Ea(_N`qLKz{I@~RTvVG:t",
    "l*#}GsrT7KNunQ:^<fIPFN2-eteNsST^(h5Q^WFeA!X><lA&>vYh~|8+>z_w`bf9jTe1`uGI$S.1t%Ov"
    "2w:h3Cw-F{:S;Ap8Nh1xWH3H@AJ&[K%YiJKX>a85-~b27+e7*xEa1bD>S]]fw_vja#v$=[xx]-MRYJY3"
    "~&39Hu4Xzhh'Ls$hZp-r'(+K:-Y!6,~50zmCPOKK;FNIpWx]9!!ddyJf(]ZT_eg$0J1Zhj_HQt4,d*j4",
    "dA)_pXR6K$TRBE$X/v@/~)oy=4J$5-Kmv<#a8Zo98}>E[Y|6'eu-u94]AEF^:aM%&5z/uKG.V6ZN>VEm"
    "3E/z7;:G}UG'7$2Hb&Mx8X6~Q40!~o>G(L1p$Kk}.+KpE29Vc*9*z7v`.-+M8rVt*H;%w#X!o.c88K41"
    "@O<PJBYN=u^5n!H*YTIQrvN>wQNeHy6:<M<yZtvpg^%}_sS)umNMI3^J46sbAd8iNuR8t/FlyO$]4<[$",
    "FU$:cZ&w}A.3ZU(-t+5DO3DAu:x9]>Sp6GSK>4;AzJgB8AhLFx}[TL{P,l(r[<a]hu=MB`j,IK@CrZp}"
    "J@5h(28:U5TDSj@YMSrWxG;S'[0ivwpjUiVg%|jO^{YSVXtkVEGbe=qQ52.X}50)$ZKyhtu+Kj0X'QT!"
    "}jT8u'1X:RUDZ8hZHH2FF(>oLHT5U)_.nYLfMZ$qC/gUSm%L-i4OH|lcz9w/Bk[$3:E;dRq5La*u#0>~",
    "j)=[)wqW*.}b)lz/,rV`+AaeRokoo_VO<Dd=C&avz$Ar63t)XnQUG}]E[mwgd9>I$)A9K)q=:v0IbB~<"
    "4}WFRVTpN5UGrn}@1*7]*j__6Le#]`fV&t~N5HpF,7JOFl;j=xJ+03pI%R+m.$Z%dhRjy@E:W:`Q<6Cv"
    "h>7_j[#(u{Gw3.nx>w:<1QJTdyTh{n2q!ED'>M@q{s)ck]VUW!$4'gSIaAi2|/),!@!cS=lw(-_n;VNj",
    "(gSs+)3RRE%M+Qbky&]-vhtc4N=j3r)6*H-imfxB3L'EXOWGAX|:4WJQJgh#>2=G'HjjH5^C!W)Phi4~"
    "|qyDmq({eVH,lE.(mF6O++qoTo(]H,lk@*}b^R(WC=6ysQ43tz~F~;AZ%bl3x6m<6}K1p|*3B`U6{ap."
    "'m!_QEVgwR!2dg=z@~>ND%EAB|3!lBF#4^D/QoP]`kGHdDa(7>T7d}C|x9][zOrq33zHajqX$5/:jK!S",
    "");
