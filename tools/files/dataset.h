/* dataset.h - files of measured rows, as sgdperf validate replays them
 *
 * Rows of several files stand one after the other. A row belongs to a dataset, by
 * name; perhaps to a group, by name within its file; and to a curve of a dataset, by the
 * column curve or its point's name. */
#ifndef TOOLS_FILES_DATASET_H
#define TOOLS_FILES_DATASET_H

#include "base/csv.h"
#include "base/names.h"
#include "files/modes.h"
#include "files/networks.h"

#define DATASET_NONE NAMES_NONE    /* no group                                        */

typedef enum dataset_role {
    ROLE_NONE = 0,            /* predicted from known inputs alone, scored          */
    ROLE_FIT,                 /* determines what is fitted, or is an input          */
    ROLE_SCORE,               /* predicted after a fit, scored                      */
    ROLE_COUNT
} dataset_role;

typedef enum dataset_fit {
    FIT_NONE = 0, FIT_SERVER, FIT_BANDWIDTH, FIT_LATENCY, FIT_THRESHOLD,
    FIT_EXPOSURE,             /* and growth                                         */
    FIT_COUNT
} dataset_fit;

extern const char *const dataset_role_names[ROLE_COUNT]; /* "" for ROLE_NONE          */
extern const char *const dataset_fit_names[FIT_COUNT]; /* "" for FIT_NONE             */

typedef struct dataset_row {
    const csv_table *file;
    size_t       row;         /* of the file                                        */
    size_t       dataset;     /* index of the dataset                               */
    size_t       group;       /* index of the group, or DATASET_NONE                */
    const char  *point;
    const char  *pool;        /* rows of several groups that share what is fitted   */
                              /*   with --pool of calibrate; "" or NULL: none       */
    const char  *curve;       /* the cell; where it is empty the point's name less  */
                              /*   the number of workers at its end and "-k" before */
                              /*   it; the dataset's if nothing is left             */
    const char  *source;      /* who measured it, and with what: rows of one source err */
                              /*   alike; the dataset's name where the cell is empty */
    const char  *kind;        /* its line of the pooled table; NULL: by its inputs  */
    const network *network;   /* kind of the links between machines; NULL: not named */
    uint32_t     machines;    /* on which it ran; 0: not told                       */
    double       rival;       /* batches_per_s as its source predicts them; 0: not  */
    train_mode mode;
    dataset_role role;
    uint32_t     workers;
    double       batches_per_s; /* measured, > 0                                     */
    sgdp_job     job;         /* 0 where nothing is known                           */
    int          declared;    /* an input is what somebody states, not measured     */
    int          varies;      /* it is known how the compute time does               */
    size_t       steps;       /* of each worker while it was measured, 0: unknown   */
    const char  *layers;      /* path of a table of layers, or NULL                 */
    const char  *foreign;     /* a column that tells of a run that no model knows,  */
                              /*   or NULL                                          */
    const char  *foreign_is;  /* what such a run is, in words                       */
    int          placed;      /* whole layers are on servers: for replays only      */
    const char  *lacks;       /* a column whose empty cell keeps the models away    */
                              /*   that need a profile; NULL: none                  */
} dataset_row;

/* The model that predict takes by itself for the row. */
sgdp_model dataset_usual(const dataset_row *r);

typedef struct dataset_group {
    const char  *name;
    dataset_fit  fit;         /* what its rows with ROLE_FIT determine              */
    train_mode mode;
    int          one_surface; /* its rows differ in workers, servers and batch only */
    int          one_curve;   /*   and not in servers                               */
} dataset_group;

typedef struct dataset_list {
    dataset_row   *row;       /* [rows] file by file, in the order of the file      */
    size_t         rows;
    const char   **name;      /* [datasets] in order of appearance                  */
    size_t         datasets;
    dataset_group *group;     /* [groups]                                           */
    size_t         groups;
} dataset_list;

/* Reads and checks the files, or fails. */
void dataset_read(dataset_list *list, char *const *path, size_t files);

/* Says on stderr how many rows of a mode no model knows, and what they are; MODE_COUNT: of
 * all modes. */
void dataset_note_foreign(const dataset_list *list, train_mode mode);

/* Those of `folder` that end in .csv, sorted; fails if there are none. */
size_t dataset_files(const char *folder, char ***path);

#endif /* TOOLS_FILES_DATASET_H */
