/* rows.c - a dataset's rows as points to calibrate with */
#include "cmd/calibrate/calibrate.h"
#include "files/dataset.h"
#include "files/status.h"

#include <stdio.h>
#include <string.h>

int calibrate_is_dataset(const char *path)
{
    const csv_table *t = csv_read(path, 0);
    return csv_column(t, "dataset") != CSV_NONE && csv_column(t, "point") != CSV_NONE;
}

static int is_fitted(const calibration *c, sgdp_input input)
{
    size_t i;
    for (i = 0; i < c->count && c->input[i] != input; i++) {}
    return i < c->count;
}

/* Does a row lack nothing but what is to be fitted? */
static int is_complete(const calibration *c, const dataset_row *r)
{
    if (!r->lacks) return 1;
    return (strcmp(r->lacks, "bandwidth_bytes_per_s") == 0 &&
            is_fitted(c, SGDP_INPUT_BANDWIDTH)) ||
           (strcmp(r->lacks, "update_s") == 0 && is_fitted(c, SGDP_INPUT_UPDATE));
}

/* The first row that shares a row's pool; rows of no pool share one. */
static size_t first_of_pool(const dataset_list *list, const dataset_row *r)
{
    const char *name = r->pool ? r->pool : "";
    size_t row;
    for (row = 0; strcmp(name, list->row[row].pool ? list->row[row].pool : "") != 0; row++) {}
    return row;
}

/* Number of a row's group, below that of rows; with `pool` its pool. DATASET_NONE if the row
 * takes no part. */
static size_t group_of(const dataset_list *list, const dataset_row *r, train_mode mode, int pool)
{
    if (r->mode != mode || (list->groups > 0 && r->group == DATASET_NONE)) return DATASET_NONE;
    if (pool) return first_of_pool(list, r);
    return list->groups == 0 ? 0 : r->group;
}

/* Room for all rows, which then are counted as they take part. */
static void make_room(calibration *c, const dataset_list *list)
{
    const size_t n = list->rows;
    point_set *p = &c->points;
    p->file = list->row[0].file;
    p->workers = (uint32_t *)tool_alloc(n, sizeof *p->workers);
    p->batches_per_s = (double *)tool_alloc(n, sizeof *p->batches_per_s);
    p->role = (point_role *)tool_alloc(n, sizeof *p->role);
    c->job = (size_t *)tool_alloc(n, sizeof *c->job);
    c->name = (const char **)tool_alloc(n, sizeof *c->name);
    c->group = (size_t *)tool_alloc(n, sizeof *c->group);
    c->jobs.job = (sgdp_job *)tool_alloc(n, sizeof *c->jobs.job);
    c->groups = list->groups > n ? list->groups : n;
    c->of = (calibrated_group *)tool_alloc(c->groups, sizeof *c->of);
}

/* Says which rows are not scored, as their group has none to be fitted. */
static void note_unfitted(const calibration *c, const dataset_list *list, int pool)
{
    int *seen = (int *)tool_alloc(c->groups, sizeof *seen);
    const dataset_row *first = NULL;
    size_t rows = 0, groups = 0, row;
    char of[160], more[60] = "";
    for (row = 0; row < list->rows; row++) {
        const dataset_row *r = &list->row[row];
        const size_t group = group_of(list, r, c->jobs.mode, pool);
        if (group == DATASET_NONE || r->foreign || r->placed || c->of[group].points > 0) continue;
        if (!first) first = r;
        if (!seen[group]) groups++;
        seen[group] = 1;
        rows++;
    }
    if (rows == 0 || (!pool && list->groups == 0)) return;
    if (!pool) snprintf(of, sizeof of, "group '%s'", list->group[first->group].name);
    else if (first->pool) snprintf(of, sizeof of, "pool '%s'", first->pool);
    else snprintf(of, sizeof of, "those without a pool");
    if (groups > 1) snprintf(more, sizeof more, ", or of %lu more,", (unsigned long)groups - 1);
    tool_note("rows-left-out",
              "%s:%lu: %lu row%s with role score %s left out: no row of %s%s is to be fitted",
              first->file->name, (unsigned long)csv_line(first->file, first->row),
              (unsigned long)rows, rows == 1 ? "" : "s", rows == 1 ? "is" : "are", of, more);
}

/* Groups without a row to be fitted go, the others move up. */
static void drop_empty_groups(calibration *c)
{
    size_t *place = (size_t *)tool_alloc(c->groups, sizeof *place), kept = 0, points = 0, i;
    for (i = 0; i < c->groups; i++) {
        place[i] = c->of[i].points > 0 ? kept : c->groups;
        if (c->of[i].points > 0) c->of[kept++] = c->of[i];
    }
    for (i = 0; i < c->points.count; i++) {
        if (place[c->group[i]] == c->groups) {
            c->points.in_role[c->points.role[i]]--;
            continue;
        }
        c->points.workers[points] = c->points.workers[i];
        c->points.batches_per_s[points] = c->points.batches_per_s[i];
        c->points.role[points] = c->points.role[i];
        c->job[points] = c->job[i];
        c->name[points] = c->name[i];
        c->group[points++] = place[c->group[i]];
    }
    c->points.count = points;
    c->groups = kept;
}

void calibrate_read_dataset(calibration *c, const args *a, const char *path, int pool)
{
    char *name = (char *)tool_alloc(strlen(path) + 1, 1);
    dataset_list list;
    size_t row, left_out = 0, placed = 0, i;
    strcpy(name, path);
    dataset_read(&list, &name, 1);
    c->jobs.mode = mode_read(a);
    c->jobs.model = mode_read_model(a, c->jobs.mode, &c->jobs.chosen);
    make_room(c, &list);
    for (row = 0; row < list.rows; row++) {
        const dataset_row *r = &list.row[row];
        const size_t group = group_of(&list, r, c->jobs.mode, pool), at = c->points.count;
        if (r->mode == c->jobs.mode && r->foreign) continue;
        if (group == DATASET_NONE) { left_out++; continue; }
        if (r->placed) { placed++; continue; }
        if (!is_complete(c, r))
            csv_fail(r->file, r->row, CSV_NONE, "the cell of column '%s' is empty", r->lacks);
        c->jobs.job[at] = r->job;
        for (i = 0; i < c->count; i++)
            tool_check(sgdp_set_input(&c->jobs.job[at], c->input[i], 0.0), "an unknown");
        c->job[at] = at;
        c->name[at] = r->point;
        c->group[at] = group;
        c->points.workers[at] = r->workers;
        c->points.batches_per_s[at] = r->batches_per_s;
        c->points.role[at] = r->role == ROLE_SCORE ? POINT_SCORE : POINT_FIT;
        c->points.in_role[c->points.role[at]]++;
        if (c->points.role[at] == POINT_FIT) c->of[group].points++;
        c->of[group].name = pool ? r->pool : list.groups > 0 ? list.group[group].name : NULL;
        c->points.count++;
    }
    dataset_note_foreign(&list, c->jobs.mode);
    if (placed > 0)
        tool_note("rows-left-out",
                  "%lu row%s left out: no model of whole layers on servers", (unsigned long)placed,
                  placed == 1 ? " is" : "s are");
    note_unfitted(c, &list, pool);
    drop_empty_groups(c);
    c->jobs.count = c->points.count;
    if (c->points.count == 0) tool_fail("%s: no row of mode %s to be fitted", path,
                                        mode_words[c->jobs.mode]);
    if (left_out > 0)
        tool_note("rows-left-out", "%s: %lu row%s of another mode or of no group %s left out", path,
                  (unsigned long)left_out, left_out == 1 ? "" : "s",
                  left_out == 1 ? "is" : "are");
}
