/* write.c - what was imported, as files of ours */
#include "base/digits.h"
#include "base/file.h"
#include "base/words.h"
#include "cmd/import/run.h"
#include "options/args.h"
#include "options/options.h"

#include "files/exchange.h"
#include "files/status.h"
#include "files/trace.h"
#include "import/chakra.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void put_number(FILE *to, double value, char behind)
{
    char text[NUMBER_BYTES];
    fprintf(to, "%s%c", number_write(value, text), behind);
}

/* A cell, between quotes where it must be; control characters, and bytes that are not UTF-8,
 * become blanks. */
static void put_text(FILE *to, const char *text)
{
    const int quoted = strpbrk(text, ",\"\r\n") != NULL || text[0] == '#';
    if (quoted) fputc('"', to);
    while (*text != '\0') {
        const unsigned char c = (unsigned char)*text;
        const size_t length = c < 0x20 || c == 0x7F ? 0 : utf8_length(text);
        if (c == '"') fputc('"', to);
        if (length == 0) fputc(' ', to);
        else fwrite(text, 1, length, to);
        text += length > 0 ? length : 1;
    }
    if (quoted) fputc('"', to);
}

/* ---- Profile --------------------------------------------------------------- */

typedef struct profile_cell { const char *column; double value; } profile_cell;

/* 0: all of the computation can hide an exchange. */
static double overlap_part(const sgdp_job *j)
{
    return j->overlap.rule == SGDP_OVERLAP_NONE ? 0.0 : j->compute.backward_s
               / (j->compute.forward_s + j->compute.backward_s);
}

/* The accelerators of the one machine of all traced workers, or of each of several machines; 0: of
 * the other, or not told. */
static double machine_of(const import_run *r, int several)
{
    return r->collectives > 0 && r->workers > 1 && r->found.accelerators > (several ? 1U : 0U)
        && (r->workers > r->found.accelerators) == several ? (double)r->found.accelerators : 0.0;
}

static size_t traced_cells(const import_run *r, profile_cell *cell)
{
    const sgdp_job *j = &r->job;
    const double slowest = import_slowest(r);
    const profile_cell all[] = {
        {"forward_s", j->compute.forward_s / slowest},
        {"backward_s", j->compute.backward_s / slowest},
        {"update_s", j->compute.update_s},
        {"model_bytes", j->model_bytes}, {"alltoall_bytes", j->collective.alltoall_bytes},
        {"bandwidth_bytes_per_s", j->links.bandwidth_bytes_per_s},
        {"uplink_s", j->links.uplink_s}, {"downlink_s", j->links.downlink_s},
        {"overlap_exponent", j->overlap.exponent}, {"overlap_part", overlap_part(j)},
        {"step_s", j->compute.one_worker_step_s},
        {"host_s", import_idle_s(r) / slowest}, {"vary", r->ranks ? r->ranks->cv : 0.0},
        {import_is_shared(r) ? "measured_on" : "traced_workers", (double)r->workers},
        {"machine_accelerators", machine_of(r, 0)}, {"traced_accelerators", machine_of(r, 1)},
        {"traced_step_s", r->mean.step_s}, {"replayed_step_s", import_differs(r)},
        {"overlap_error", r->overlap_error}
    };
    /* What lies between transfers of one kind is none of the three; they may take no time. */
    const int up = r->phase[SGDFIT_PHASE_UPLINK].steps > 0;
    const int down = r->phase[SGDFIT_PHASE_DOWNLINK].steps > 0, alone = r->gaps && up != down;
    size_t n = 0;
    for (size_t i = 0; i < COUNT_OF(all); i++)
        if (all[i].value > 0.0 || (alone ? i == (up ? 6U : 7U) : i < 3)) cell[n++] = all[i];
    return n;
}

static size_t layer_cells(const import_found *f, profile_cell *cell)
{
    const import_layer sum = import_sum(f);
    const profile_cell all[] = {{"forward_s", sum.forward_s}, {"backward_s", sum.backward_s},
                                {"update_s", 0.0}, {"model_bytes", sum.bytes}};
    memcpy(cell, all, sizeof all);
    return COUNT_OF(all);
}

/* A profile that no exchange gives a size, or a time, in place of it. */
static void note_unsized(const import_run *r, const char *path, const profile_cell *cell, size_t n)
{
    size_t i = 0;
    while (i < n && strcmp(cell[i].column, "model_bytes") != 0 &&
           strcmp(cell[i].column, "uplink_s") != 0) i++;
    if (i == n)
        tool_note("size-unknown", "%s has no exchange of a known size, so %s has no column "
                  "model_bytes: predict and advise need %s, the bytes that a step exchanges (4 per "
                  "parameter in float32)", r->found.file, path, NAME_OF(MODEL_SIZE));
}

void import_write_profile(const import_run *r, const char *path)
{
    profile_cell cell[20];
    size_t n = 0;
    if (r->found.layers > 0) n = layer_cells(&r->found, cell);
    else if (r->has_job) n = traced_cells(r, cell);
    else if (!r->found.timed) args_fail(OPTION_PROFILE, NULL, "%s has no times of phases",
                                        r->found.file);
    else if (!r->parts)
        args_fail(OPTION_PROFILE, NULL, "%s has no steps with a duration", r->found.file);
    else args_fail(OPTION_PROFILE, NULL, "needs %s", NAME_OF(MEASURED_ON));
    note_unsized(r, path, cell, n);
    out_file *out = out_open(NAME_OF(PROFILE), path);
    FILE *to = out_stream(out);
    for (size_t i = 0; i < n; i++) fprintf(to, "%s%s", cell[i].column, i + 1 < n ? "," : "\n");
    for (size_t i = 0; i < n; i++) put_number(to, cell[i].value, i + 1 < n ? ',' : '\n');
    out_commit(out);
}

/* ---- Trace ----------------------------------------------------------------- */

/* Does the trace hold exchanges among workers, and the bandwidth at which they take their time? */
static int is_joint(const import_run *r) { return r->has_job && r->workers > 1 && !r->sends; }

static int has_alltoalls(const import_run *r)
{
    for (size_t s = 0; s < r->traces; s++)
        for (size_t i = 0; i < r->traced[s].ops; i++)
            if (r->traced[s].alltoall[i]) return 1;
    return 0;
}

static void put_op(FILE *to, size_t step, size_t i, const import_traced *t)
{
    const sgdsim_op *op = &t->op[i];
    fprintf(to, "%lu,%lu,%s,%lu,", (unsigned long)step, (unsigned long)i,
            trace_resource_text(op->resource), (unsigned long)op->server);
    if (import_is_moved(op)) fputc(',', to);
    put_number(to, !import_is_moved(op) ? op->duration_s
                   : t->alltoall[i]     ? 2.0 * op->bytes : op->bytes, ',');
    if (!import_is_moved(op)) fputc(',', to);
    for (size_t k = 0; k < op->waits; k++)
        fprintf(to, "%s%lu", k > 0 ? " " : "", (unsigned long)op->waits_for[k]);
    fputc(',', to);
    put_text(to, t->name[i]);
}

/* A graph of another program may hold what no replay takes: a cycle, too long a step. */
static void check_trace(const import_run *r)
{
    const size_t steps = r->traces;
    sgdsim_step *step = tool_alloc(steps, sizeof *step);
    const sgdsim_trace trace = {.step = step, .steps = steps};
    sgdsim_fault fault = {0};
    size_t bytes = 0;
    for (size_t s = 0; s < steps; s++) {
        step[s].op = r->traced[s].op;
        step[s].ops = r->traced[s].ops;
        if (step[s].ops > TRACE_MOST_RUN)
            tool_fail("%s: a step has %lu operations, and simulate takes at most %d",
                      r->found.file, (unsigned long)step[s].ops, (int)TRACE_MOST_RUN);
    }
    sgdsim_status status = sgdsim_trace_check_bytes(&trace, &bytes);
    if (status == SGDSIM_OK)
        status = sgdsim_trace_check(&trace, r->servers, tool_alloc(bytes, 1), bytes, &fault);
    if (status == SGDSIM_BAD_TRACE)
        tool_fail("%s: '%s' of operation %lu of step %lu %s", r->found.file, fault.field,
                  (unsigned long)fault.op, (unsigned long)fault.step, fault.reason);
    tool_check_sim(status, r->found.file);
}

/* What was traced of exchanges among workers: columns with a value in one row, if it is not 0. */
static size_t link_cells(const import_run *r, int layers, profile_cell *cell)
{
    const double all[TRACE_FACTS] = {
        r->bandwidth_bytes_per_s, (double)r->workers, r->exchanged_bytes > 0.0 ? 0.0 : 1.0,
        machine_of(r, 0), r->ranks ? r->ranks->cv : 0.0,
        import_differs(r) > 0.0 ? r->mean.step_s : 0.0, import_differs(r),
        layers && r->layers_differ ? r->mean.exposed_s : 0.0,
        layers && r->layers_differ ? r->layers_exposed_s : 0.0, layers ? 0.0 : r->overlap_error,
        machine_of(r, 1)
    };
    size_t cells = 0;
    for (size_t i = 0; i < TRACE_FACTS && is_joint(r); i++)
        if (all[i] > 0.0) cell[cells++] = (profile_cell){trace_facts[i], all[i]};
    return cells;
}

/* The cells at the end of a line: their names (-1), values (1) or nothing (0). */
static void put_cells(FILE *to, const profile_cell *cell, size_t cells, int what)
{
    char number[NUMBER_BYTES];
    for (size_t k = 0; k < cells; k++)
        fprintf(to, ",%s", what < 0 ? cell[k].column
                           : what ? number_write(cell[k].value, number) : "");
    fputc('\n', to);
}

void import_write_trace(const import_run *r, const char *path)
{
    profile_cell cell[TRACE_FACTS];
    const size_t cells = link_cells(r, 0, cell);
    const int alltoalls = has_alltoalls(r);
    check_trace(r);
    out_file *out = out_open(NAME_OF(TRACE), path);
    FILE *to = out_stream(out);
    fputs("step,op,resource,server,duration_s,bytes,waits_for,name", to);
    if (alltoalls) fputs(",collective", to);
    put_cells(to, cell, cells, -1);
    for (size_t s = 0; s < r->traces; s++)
        for (size_t i = 0; i < r->traced[s].ops; i++) {
            put_op(to, s, i, &r->traced[s]);
            if (alltoalls) fputs(r->traced[s].alltoall[i] ? ",all-to-all" : ",", to);
            put_cells(to, cell, cells, s + i == 0);
        }
    out_commit(out);
}

/* Without any download, uplinks are exchanges among the workers. */
void import_write_chakra(const import_run *r, const char *path)
{
    const size_t length = strlen(path);
    const int json = length > 5 && strcmp(path + length - 5, ".json") == 0;
    out_file *out = out_open(NAME_OF(CHAKRA), path);
    chakra_writer w;
    size_t downloads = 0;
    if (has_alltoalls(r))
        tool_note("exchanges-pairwise", "%s: all-to-alls stand in %s as all-reduces of half their "
                  "bytes", r->found.file, NAME_OF(CHAKRA));
    for (size_t s = 0; s < r->traces; s++)
        for (size_t i = 0; i < r->traced[s].ops; i++)
            downloads += r->traced[s].op[i].resource == SGDSIM_DOWNLINK;
    chakra_begin(&w, out_stream(out), json, downloads == 0);
    for (size_t s = 0; s < r->traces; s++)
        chakra_step(w, r->traced[s].op, r->traced[s].name, r->traced[s].ops);
    chakra_end(w);
    out_commit(out);
}

/* ---- Layers, points -------------------------------------------------------- */

/* May each layer be one tensor? asked: fails if one may not. */
static int are_whole(const import_found *f, int asked)
{
    for (size_t i = 0; i < f->layers; i++) {
        const double bytes = f->layer[i].bytes;
        if (!(bytes > 9007199254740992.0) && !(floor(bytes) < bytes)) continue;
        if (asked)
            args_fail(OPTION_WHOLE_LAYERS, NULL, "%s: layer '%s' has %.17g bytes, which is not a "
                      "whole number up to 2^53", f->file,
                      names_text(&f->names, f->layer[i].name), bytes);
        return 0;
    }
    return 1;
}

/* The all-reduces of the mean step. */
typedef struct bucket_list {
    double *bytes, *ready_s;  /* [count] in their order; what the worker has computed before */
    size_t  count;
    double  hidden_s, update_s; /* computed behind the last: waits for no exchange, or does */
    double  others;           /* bytes of other exchanges                             */
} bucket_list;

/* Does operation i wait for an exchange itself? */
static int waits_for_exchange(const import_traced *t, size_t i)
{
    for (size_t k = 0; k < t->op[i].waits; k++)
        if (import_is_moved(&t->op[t->op[i].waits_for[k]])) return 1;
    return 0;
}

/* Adds a step; 0: its all-reduces are not those of the first. */
static int add_buckets(const import_run *r, size_t step, bucket_list *b)
{
    const import_traced *t = &r->traced[step];
    const double weight = 1.0 / (double)r->traces;
    double at_s = 0.0, behind_s[2] = {0.0, 0.0};
    size_t k = 0;
    int waited = 0;
    for (size_t i = 0; i < t->ops; i++) {
        const double bytes = t->op[i].bytes;
        if (t->op[i].resource == SGDSIM_WORKER) {
            waited = waited || waits_for_exchange(t, i);
            at_s += t->op[i].duration_s;
            behind_s[waited] += t->op[i].duration_s;
        }
        if (t->op[i].resource != SGDSIM_UPLINK || !(bytes > 0.0)) continue;
        if (strcmp(t->name[i], "allreduce") != 0) { b->others += bytes; continue; }
        if (step == 0) b->bytes[b->count++] = bytes;
        if (k >= b->count || bytes < b->bytes[k] || bytes > b->bytes[k]) return 0;
        b->ready_s[k++] += at_s * weight;
        behind_s[0] = behind_s[1] = 0.0;
        waited = 0;
    }
    b->hidden_s += behind_s[0] * weight;
    b->update_s += behind_s[1] * weight;
    return k == b->count;
}

/* What a step of the buckets takes at the traced rate: each is exchanged when it is ready and the
 * one before is through. */
static void check_buckets(import_run *r, const bucket_list *b)
{
    const double s_per_byte = exchange_ring_share(r->workers) / r->bandwidth_bytes_per_s;
    const double ready_s = b->ready_s[b->count - 1] + b->hidden_s, step_s = r->mean.step_s;
    double end_s = 0.0;
    for (size_t k = 0; k < b->count; k++)
        end_s = fmax(end_s, b->ready_s[k]) + b->bytes[k] * s_per_byte;
    r->layers_exposed_s = fmax(0.0, end_s - ready_s);
    r->layers_step_s = ready_s + r->layers_exposed_s + b->update_s;
    r->layers_differ = fabs(r->layers_exposed_s - r->mean.exposed_s) > 0.03 * step_s
                       || fabs(r->layers_step_s - step_s) > 0.03 * step_s;
    if (r->layers_differ)
        tool_note("layers-differ", "%s: a step of the layers takes %.4g s and waits for exchanges "
                  "for %.4g s, that of the trace %.4g s and %.4g s: layers tell only when each "
                  "bucket is ready, not what else waits, so they differ from profile and trace, "
                  "perhaps more on other links", r->found.file, r->layers_step_s,
                  r->layers_exposed_s, step_s, r->mean.exposed_s);
}

/* The buckets of gradients of a DDP trace as layers. That which is exchanged first holds the last
 * layers, and its backward pass is what the worker computes since the one before; forward takes a
 * third up to the last of them. Behind it a layer without bytes computes what waited for no
 * exchange; update is the rest. Returns what is against it, or NULL. */
static const char *find_bucket_layers(import_run *r)
{
    bucket_list b = {0};
    double third_s, total = 0.0;
    if (r->collectives > 0 && r->exchanged_bytes < 0.0)
        return "the sizes of its exchanges are missing";
    if (!r->traced || r->sends || !r->parts || !(r->exchanged_bytes > 0.0)) return NULL;
    b.bytes = tool_alloc(r->traced[0].ops, sizeof *b.bytes);
    b.ready_s = tool_alloc(r->traced[0].ops, sizeof *b.ready_s);
    for (size_t s = 0; s < r->traces; s++)
        if (!add_buckets(r, s, &b)) return "its steps exchange different buckets";
    for (size_t k = 0; k < b.count; k++) total += b.bytes[k];
    if (b.others > 0.01 * total * (double)r->traces) /* but flags and buffers */
        return "its steps have exchanges that are not all-reduces, which a table of layers cannot "
               "hold";
    if (b.count == 0) return NULL;
    check_buckets(r, &b);
    third_s = b.ready_s[b.count - 1] / 3.0;
    if (third_s > b.ready_s[0]) third_s = b.ready_s[0];
    if (b.hidden_s > 0.0) {
        const import_layer first = {.output_bytes = -1.0, .backward_s = b.hidden_s};
        import_add_layer(&r->found, &first, "behind the buckets", strlen("behind the buckets"));
    }
    for (size_t k = b.count; k-- > 0;) {
        const double part = b.bytes[k] / total;
        char name[32];
        const import_layer l = {
            .bytes = b.bytes[k], .output_bytes = -1.0, .forward_s = third_s * part,
            .backward_s = b.ready_s[k] - (k > 0 ? b.ready_s[k - 1] : third_s),
            .update_s = b.update_s * part
        };
        snprintf(name, sizeof name, "bucket %lu", (unsigned long)k + 1);
        import_add_layer(&r->found, &l, name, strlen(name));
    }
    return NULL;
}

/* A row, up to its end. */
static void put_layer(FILE *to, const import_found *f, const import_layer *l, int whole)
{
    put_text(to, names_text(&f->names, l->name));
    fputc(',', to);
    put_number(to, l->bytes, ',');
    put_number(to, l->forward_s, ',');
    put_number(to, l->backward_s, ',');
    put_number(to, l->update_s, ',');
    if (!(l->output_bytes < 0.0)) {
        char number[NUMBER_BYTES];
        fputs(number_write(l->output_bytes, number), to);
    }
    /* A layer's parameters as one tensor; the cell is empty if the layer has none. */
    if (whole) fputc(',', to);
    if (whole && l->bytes > 0.0) fprintf(to, "%llu", (unsigned long long)l->bytes);
}

void import_write_layers(import_run *r, const char *path, int whole, int alone)
{
    const import_found *f = &r->found;
    const size_t layers = f->layers;
    profile_cell cell[TRACE_FACTS];
    const char *why = layers == 0 ? find_bucket_layers(r) : NULL;
    if (f->layers == 0 && !why) why = "the file has no layers";
    if (why && alone) args_fail(OPTION_LAYERS, NULL, "%s: %s", f->file, why);
    if (why) {
        tool_note("layers-not-written", "%s %s is not written: %s: %s", NAME_OF(LAYERS), path,
                  f->file, why);
        return;
    }
    whole = (whole || layers == 0) && are_whole(f, whole);   /* a bucket is a tensor anyway */
    const size_t cells = layers == 0 ? link_cells(r, 1, cell) : 0;
    out_file *out = out_open(NAME_OF(LAYERS), path);
    FILE *to = out_stream(out);
    fputs("layer,bytes,forward_s,backward_s,update_s,output_bytes", to);
    fputs(whole ? ",tensors" : "", to);
    put_cells(to, cell, cells, -1);
    for (size_t i = 0; i < f->layers; i++) {
        put_layer(to, f, &f->layer[i], whole);
        put_cells(to, cell, cells, i == 0);
    }
    r->found.layers = layers;          /* what else is told is of the steps */
    out_commit(out);
}

/* One measured point: all workers complete one mini-batch each in a step. */
void import_write_points(const import_run *r, const char *path)
{
    if (r->view == IMPORT_VIEW_GPU)
        args_fail(OPTION_POINTS, NULL, "cannot be combined with %s gpu, whose steps are computed, "
                  "not measured", NAME_OF(VIEW));
    if (!r->parts)
        args_fail(OPTION_POINTS, NULL, "%s has no steps with a duration", r->found.file);
    if (r->workers == 0) args_fail(OPTION_POINTS, NULL, "needs %s", NAME_OF(MEASURED_ON));
    out_file *out = out_open(NAME_OF(POINTS), path);
    fprintf(out_stream(out), "workers,batches_per_s\n%lu,", (unsigned long)r->workers);
    put_number(out_stream(out), (double)r->workers / r->mean.step_s, '\n');
    out_commit(out);
}
