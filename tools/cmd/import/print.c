/* print.c - what was imported: for people, as CSV and as JSON */
#include "base/columns.h"
#include "cmd/import/run.h"

#include <math.h>

/* Exchanges for which nobody waits, and while nothing computes. */
static double behind_s(const sgdfit_step_parts *p, double exposed_s)
{
    const double rest_s = p->communication_s - p->overlap_s - exposed_s;
    return rest_s < 1e-12 * p->step_s ? 0.0 : rest_s; /* by rounding                   */
}

/* ---- JSON ------------------------------------------------------------------ */

/* What each step has. */
static const struct { const char *name; size_t place; } parts[] = {
    {"step_s", offsetof(sgdfit_step_parts, step_s)},
    {"compute_s", offsetof(sgdfit_step_parts, compute_s)},
    {"communication_s", offsetof(sgdfit_step_parts, communication_s)},
    {"overlap_s", offsetof(sgdfit_step_parts, overlap_s)},
    {"exposed_s", offsetof(sgdfit_step_parts, exposed_s)}
};

static double part_of(const import_run *r, size_t step, size_t part)
{
    return *(const double *)(const void *)((const char *)&r->parts[step] + parts[part].place);
}

static void json_parts(output *out, const import_run *r, size_t part)
{
    json_array(out, parts[part].name);
    for (size_t i = 0; i < r->found.steps; i++) json_number(out, NULL, part_of(r, i, part));
    json_end(out);
}

static void json_bytes(output *out, const import_run *r)
{
    json_array(out, "bytes");
    for (size_t i = 0; i < r->found.steps; i++)
        json_number(out, NULL, known_if(!(r->bytes[i] < 0.0), r->bytes[i]));
    json_end(out);
}

static void json_collectives(output *out, const import_run *r)
{
    json_array(out, "collectives");
    for (size_t i = r->first[0]; i < r->first[1]; i++) {
        const import_op *op = &r->found.op[r->by[i]];
        if (op->kind != IMPORT_COLLECTIVE || import_goes_on(r, op)) continue;
        json_object(out, NULL);
        json_string(out, "kind", import_collective_text(op->collective));
        json_number(out, "bytes", known_if(!(op->bytes < 0.0), op->bytes));
        json_end(out);
    }
    json_end(out);
}

static void json_dropped(output *out, const import_found *f)
{
    json_object(out, "dropped");
    for (size_t i = 0; i < f->drops; i++) json_integer(out, f->dropped[i].why, f->dropped[i].count);
    json_end(out);
}

/* Means of what transfers and the times between them are. */
static void json_phases(output *out, const import_run *r)
{
    json_object(out, "phases");
    for (size_t i = 0; i < SGDFIT_PHASE_COUNT; i++)
        if (r->phase[i].steps > 0)
            json_number(out, sgdfit_phase_text((sgdfit_phase)i), r->phase[i].mean_s);
    json_end(out);
}

/* The ranks; the parts of each add up to its step. */
static void print_ranks(output *out, const import_run *r)
{
    const import_ranks *all = r->ranks;
    columns t;
    size_t i;
    t = columns_open(out, ALL, "ranks");
    for (i = 0; columns_next(&t, i < all->count); i++) {
        const import_rank *of = &all->rank[i];
        const sgdfit_step_parts *p = &of->mean;
        column_whole(&t, ALL, "rank", of->rank);
        column_number(&t, ALL, "step_s", p->step_s);
        column_number(&t, ALL, "compute_s", p->compute_s);
        column_number(&t, ALL, "waiting_s", of->waiting_s);
        column_number(&t, ALL, "transfer_s", p->exposed_s);
        column_number(&t, ALL, "behind_s", behind_s(p, p->exposed_s + of->waiting_s));
        column_number(&t, ALL, "host_s", p->host_s);
        column_whole(&t, ALL, "last", of->last);
        column_number(&t, ALL, "caused_s", of->caused_s / (double)r->found.steps);
        column_number(&t, ALL, "clock_s", of->clock_s + of->run.found.origin_s -
                                          all->rank[0].run.found.origin_s);
    }
    json_integer(out, "late_rank", all->rank[all->late].rank);
    json_number(out, "vary", all->cv);
    output_print(out, "\nlate: rank %lu, for which the other ranks wait %.4g s a step together\n"
                 "spread of the ranks' own times: %s %.4g\n\nrank %lu, an exchange from its last "
                 "rank on\n", (unsigned long)all->rank[all->late].rank,
                 all->rank[all->late].caused_s / (double)r->found.steps, NAME_OF(VARY), all->cv,
                 (unsigned long)all->rank[all->late].rank);
}

static void json_steps(output *out, const import_run *r)
{
    if (r->workers > 0) json_integer(out, "workers", r->workers);
    else json_null(out, "workers");
    json_integer(out, "steps", r->found.steps);
    json_integer(out, "operations", r->found.ops);
    for (size_t i = 0; i < COUNT_OF(parts) && r->parts; i++) json_parts(out, r, i);
    if (r->sends) json_phases(out, r);
    json_bytes(out, r);
    json_collectives(out, r);
    if (r->ranks) print_ranks(out, r);
    if (r->parts) json_string(out, "bound", import_bound_text(r));
    if (r->predicted_s > 0.0) json_number(out, "predicted_step_s", r->predicted_s);
    if (r->replayed_s > 0.0) json_number(out, "simulated_step_s", r->replayed_s);
    if (r->layers_step_s > 0.0) json_number(out, "layers_step_s", r->layers_step_s);
    if (r->collectives > 0)
        json_number(out, "bandwidth_bytes_per_s", r->bandwidth_bytes_per_s);
    else if (r->link_bytes_per_s > 0.0 && !r->nominal)
        json_number(out, "bandwidth_bytes_per_s", r->link_bytes_per_s);
    if (r->has_overhead) {
        json_object(out, "overhead");
        json_number(out, "s_per_byte", r->overhead.s_per_byte);
        json_number(out, "s", r->overhead.s);
        json_end(out);
    }
}

static void print_layers(output *out, const import_run *r)
{
    const import_layer sum = import_sum(&r->found);
    columns t = columns_open(out, ALL, NULL);
    columns_row(&t);
    column_whole(&t, ALL, "layers", r->found.layers);
    column_round(&t, ALL, "forward_s", 6, sum.forward_s);
    column_round(&t, ALL, "backward_s", 6, sum.backward_s);
    column_round(&t, ALL, "bytes", 12, sum.bytes);
    columns_close(&t);
}

static void print_json(output *out, const import_run *r)
{
    const import_found *f = &r->found;
    json_object(out, NULL);
    json_string(out, "source", r->format->name);
    if (f->layers > 0) print_layers(out, r);
    else json_steps(out, r);
    json_dropped(out, f);
    json_end(out);
}

/* ---- Tables ---------------------------------------------------------------- */

static void print_steps(output *out, const import_run *r)
{
    columns t = columns_open(out, TABLES, NULL);
    for (size_t i = 0; columns_next(&t, i < r->found.steps); i++) {
        column_whole(&t, ALL, "step", r->found.step[i].number);
        for (size_t k = 0; k < COUNT_OF(parts); k++)
            column_number(&t, ALL, parts[k].name,
                          known_if(r->parts != NULL, r->parts ? part_of(r, i, k) : 0.0));
        column_round(&t, ALL, "bytes", 10, known_if(!(r->bytes[i] < 0.0), r->bytes[i]));
    }
}

static void print_part(output *out, const char *what, double time_s, double step_s)
{
    output_print(out, "  %-42s %9.4g s  %5.1f %%\n", what, time_s, 100.0 * time_s / step_s);
}

static void print_where(output *out, const import_run *r)
{
    const sgdfit_step_parts *p = &r->mean;
    output_print(out, "\nwhere the %.4g s of a step go (mean)\n", p->step_s);
    print_part(out, "computation", p->compute_s, p->step_s);
    print_part(out, "communication that the worker waits for", p->exposed_s, p->step_s);
    print_part(out, "communication behind the host's work", behind_s(p, p->exposed_s), p->step_s);
    print_part(out, r->processor ? "neither: gaps" : "neither: the host, launches, gaps", p->host_s,
               p->step_s);
    output_print(out, "  bound by: %s\n", import_bound_text(r));
}

static void print_step(output *out, const char *by, unsigned long workers, double got_s,
                       double step_s)
{
    const double percent = 100.0 * (got_s / step_s - 1.0);
    output_print(out, "%-9s %lu worker%s: %.6g s a step, %+.2f %% from the trace\n", by, workers,
                 workers == 1 ? "" : "s", got_s, fabs(percent) < 0.005 ? 0.0 : percent);
}

static void print_compared(output *out, const import_run *r)
{
    const double step_s = r->mean.step_s;
    const unsigned long n = r->workers > 0 ? r->workers : 1, replayed = r->sends ? 1 : n;
    output_print(out, "\n");
    if (r->predicted_s > 0.0) print_step(out, "predict,", n, r->predicted_s, step_s);
    if (r->replayed_s > 0.0) print_step(out, "simulate,", replayed, r->replayed_s, step_s);
    if (r->layers_step_s > 0.0) print_step(out, "layers,", n, r->layers_step_s, step_s);
    if (r->predicted_s > 0.0 || r->replayed_s > 0.0)
        output_print(out, "  (made from these steps: a check of what was read, no forecast)\n");
    if (r->collectives > 0 && n > 1)
        output_print(out, "bandwidth at which a ring takes the traced time: %.4g B/s%s\n",
                     r->bandwidth_bytes_per_s,
                     r->job.links.bandwidth_bytes_per_s > 0.0 ? "" : ", with sizes made up for it");
    if (r->link_bytes_per_s > 0.0 && !r->has_overhead && !r->nominal)
        output_print(out, "bandwidth at which transfers take the traced time: %.4g B/s\n",
                     r->link_bytes_per_s);
    if (r->has_overhead)
        output_print(out, "parsing at that bandwidth: %s %.4g,%.4g\n", NAME_OF(OVERHEAD),
                     r->overhead.s_per_byte, r->overhead.s);
}

static void print_phases(output *out, const import_run *r)
{
    output_print(out, "%sphases (mean)%s\n", r->gaps && !r->parts ? "" : "\n",
                 r->gaps ? ", forward and update from the gaps" : "");
    for (size_t i = 0; i < SGDFIT_PHASE_COUNT; i++)
        if (r->phase[i].steps > 0)
            output_print(out, "  %-10s %9.4g s\n", sgdfit_phase_text((sgdfit_phase)i),
                         r->phase[i].mean_s);
    if (!r->parts && r->predicted_s > 0.0)
        output_print(out, "\npredict, %lu worker%s: %.6g s a step\n",
                     import_is_shared(r) ? (unsigned long)r->workers : 1UL,
                     import_is_shared(r) ? "s" : "", r->predicted_s);
}

void import_print(output *out, const import_run *r)
{
    if (out->form == JSON) {
        print_json(out, r);
    } else if (r->found.layers > 0) {
        print_layers(out, r);
    } else {
        if (r->ranks) print_ranks(out, r);
        if (r->ranks && out->form == CSV) return;
        if (r->parts || !r->gaps || out->form == CSV) print_steps(out, r);
        if (out->form == CSV) return;
        if (r->sends) print_phases(out, r);
        if (!r->parts) return;
        print_where(out, r);
        print_compared(out, r);
    }
}
