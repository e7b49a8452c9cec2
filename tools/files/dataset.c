/* dataset.c - files of measured rows: their datasets and groups */
#define _POSIX_C_SOURCE 200809L /* opendir */

#include "files/dataset.h"

#include "files/dataset_row.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Datasets and groups --------------------------------------------------- */

/* The rows while they are read, and what only reading needs to know of each. */
typedef struct dataset_reader {
    dataset_list    *list;
    dataset_columns *columns; /* [files]                                            */
    size_t          *file;    /* [rows] index of the row's file                     */
    dataset_fit     *fit;     /* [rows]                                             */
    size_t          *first;   /* [names] row where a name appears                   */
} dataset_reader;

/* A row's name of its dataset or group. */
typedef struct dataset_key {
    const char *name;
    size_t      file;         /* in which the name holds                            */
    size_t      row;          /* of the list                                        */
} dataset_key;

static int compare_names(const dataset_key *x, const dataset_key *y)
{
    if (x->file != y->file) return (x->file > y->file) - (x->file < y->file);
    return strcmp(x->name, y->name);
}

static int compare_keys(const void *a, const void *b)
{
    const dataset_key *x = (const dataset_key *)a, *y = (const dataset_key *)b;
    const int order = compare_names(x, y);
    return order != 0 ? order : (x->row > y->row) - (x->row < y->row);
}

/* Numbers the names of key[keys] in order of their first rows: id[row], and
 * first[names]. Returns how many names there are. */
static size_t number_names(dataset_key *key, size_t keys, size_t *id, dataset_reader *reader)
{
    const size_t rows = reader->list->rows;
    size_t *leader = (size_t *)tool_alloc(rows, sizeof *leader), names = 0, i;
    for (i = 0; i < rows; i++) leader[i] = id[i] = DATASET_NONE;
    qsort(key, keys, sizeof *key, compare_keys);
    for (i = 0; i < keys; i++) {
        const int again = i > 0 && compare_names(&key[i - 1], &key[i]) == 0;
        leader[key[i].row] = again ? leader[key[i - 1].row] : key[i].row;
    }
    for (i = 0; i < rows; i++) {
        if (leader[i] == DATASET_NONE) continue;
        if (leader[i] == i) reader->first[names++] = i;
        id[i] = leader[i] == i ? names - 1 : id[leader[i]];
    }
    return names;
}

static const dataset_columns *columns_of(const dataset_reader *reader, size_t row)
{
    return &reader->columns[reader->file[row]];
}

static const char *row_text(const dataset_row *r, int column)
{
    return csv_text(r->file, r->row, column);
}

static unsigned long row_line(const dataset_row *r)
{
    return (unsigned long)csv_line(r->file, r->row);
}

static void make_datasets(dataset_reader *reader)
{
    dataset_list *list = reader->list;
    dataset_key *key = (dataset_key *)tool_alloc(list->rows, sizeof *key);
    size_t *id = (size_t *)tool_alloc(list->rows, sizeof *id), i;
    for (i = 0; i < list->rows; i++) {
        key[i].name = row_text(&list->row[i], columns_of(reader, i)->dataset);
        key[i].row = i;
    }
    list->datasets = number_names(key, list->rows, id, reader);
    list->name = (const char **)tool_alloc(list->datasets, sizeof *list->name);
    for (i = 0; i < list->rows; i++) {
        const dataset_columns *c = columns_of(reader, i);
        dataset_row *r = &list->row[i];
        const dataset_row *leader = &list->row[reader->first[id[i]]];
        r->dataset = id[i];
        list->name[id[i]] = row_text(r, c->dataset);
        if (r->file != leader->file)
            csv_fail(r->file, r->row, c->dataset, "'%s' also stands in %s",
                     row_text(r, c->dataset), leader->file->name);
        if (r->mode != leader->mode)
            csv_fail(r->file, r->row, c->mode, "'%s', but dataset '%s' is %s in line %lu",
                     mode_words[r->mode], row_text(r, c->dataset),
                     mode_words[leader->mode], row_line(leader));
    }
}

/* A row's group, like that of the group's first row in what all must share. */
static void join_group(dataset_reader *reader, size_t row)
{
    dataset_row *r = &reader->list->row[row];
    dataset_group *g = &reader->list->group[r->group];
    const size_t first = reader->first[r->group];
    const dataset_row *leader = &reader->list->row[first];
    const dataset_columns *c = columns_of(reader, row);
    if (row == first) {
        g->name = row_text(r, c->group);
        g->fit = reader->fit[row];
        g->mode = r->mode;
        g->one_surface = g->one_curve = 1;
    }
    if (reader->fit[row] != g->fit)
        csv_fail(r->file, r->row, c->fit, "'%s', but group '%s' has '%s' in line %lu",
                 dataset_fit_names[reader->fit[row]], g->name, dataset_fit_names[g->fit],
                 row_line(leader));
    if (r->mode != g->mode)
        csv_fail(r->file, r->row, c->mode, "'%s', but group '%s' is %s in line %lu",
                 mode_words[r->mode], g->name, mode_words[g->mode],
                 row_line(leader));
    if (!dataset_same_surface(r, leader)) g->one_surface = g->one_curve = 0;
    if (r->job.servers != leader->job.servers) g->one_curve = 0;
}

static void make_groups(dataset_reader *reader)
{
    dataset_list *list = reader->list;
    dataset_key *key = (dataset_key *)tool_alloc(list->rows, sizeof *key);
    size_t *id = (size_t *)tool_alloc(list->rows, sizeof *id), keys = 0, i;
    unsigned char *fitted;
    for (i = 0; i < list->rows; i++) {
        const dataset_row *r = &list->row[i];
        if (csv_is_empty(r->file, r->row, columns_of(reader, i)->group)) continue;
        key[keys].name = row_text(r, columns_of(reader, i)->group);
        key[keys].file = reader->file[i];
        key[keys++].row = i;
    }
    list->groups = number_names(key, keys, id, reader);
    list->group = (dataset_group *)tool_alloc(list->groups, sizeof *list->group);
    fitted = (unsigned char *)tool_alloc(list->groups, 1);
    for (i = 0; i < list->rows; i++) {
        list->row[i].group = id[i];
        if (id[i] == DATASET_NONE) continue;
        join_group(reader, i);
        if (list->row[i].role == ROLE_FIT) fitted[id[i]] = 1;
    }
    for (i = 0; i < list->rows; i++) {
        const dataset_row *r = &list->row[i];
        if (r->role == ROLE_SCORE && !fitted[r->group])
            csv_fail(r->file, r->row, columns_of(reader, i)->group,
                     "no row of '%s' has the role fit", list->group[r->group].name);
    }
}

/* ---- Files ----------------------------------------------------------------- */

void dataset_read(dataset_list *list, char *const *path, size_t files)
{
    dataset_reader reader;
    size_t i, row, n = 0;
    reader.list = list;
    reader.columns = (dataset_columns *)tool_alloc(files, sizeof *reader.columns);
    list->rows = 0;
    for (i = 0; i < files; i++) {
        reader.columns[i] = dataset_find_columns(csv_read(path[i], 0));
        list->rows += reader.columns[i].file->rows;
    }
    reader.file = (size_t *)tool_alloc(list->rows, sizeof *reader.file);
    reader.fit = (dataset_fit *)tool_alloc(list->rows, sizeof *reader.fit);
    reader.first = (size_t *)tool_alloc(list->rows, sizeof *reader.first);
    list->row = (dataset_row *)tool_alloc(list->rows, sizeof *list->row);
    for (i = 0; i < files; i++)
        for (row = 0; row < reader.columns[i].file->rows; row++, n++) {
            reader.file[n] = i;
            list->row[n].file = reader.columns[i].file;
            list->row[n].row = row;
            reader.fit[n] = dataset_read_row(&list->row[n], &reader.columns[i]);
        }
    make_datasets(&reader);
    make_groups(&reader);
}

static int compare_paths(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

size_t dataset_files(const char *folder, char ***path)
{
    static const char ending[] = ".csv";
    DIR *entries = opendir(folder);
    const struct dirent *entry;
    size_t count = 0, room = 0;
    *path = NULL;
    if (!entries) tool_fail("%s: %s", folder, strerror(errno));
    while ((entry = readdir(entries)) != NULL) {
        const size_t length = strlen(entry->d_name);
        char *text;
        if (length < sizeof ending || *entry->d_name == '.' ||
            strcmp(entry->d_name + length - (sizeof ending - 1), ending) != 0)
            continue;
        text = (char *)tool_alloc(strlen(folder) + length + 2, 1);
        sprintf(text, "%s/%s", folder, entry->d_name);
        if (count == room)
            *path = (char **)tool_grow(*path, count, &room, count + 1, sizeof **path);
        (*path)[count++] = text;
    }
    closedir(entries);
    if (count == 0) tool_fail("%s: no file ends in %s", folder, ending);
    qsort(*path, count, sizeof **path, compare_paths);
    return count;
}
