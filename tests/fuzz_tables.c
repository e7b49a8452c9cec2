/* fuzz_tables.c - any bytes as a table of ours: layers, points, curves or measured rows. It is
 * read, and then its numbers are in their domains, or refused in one line that names the file. */
#define FUZZ_RUNS 1000 /* each writes a file */
#include "fuzz.h"
#include "files/curves.h"
#include "files/dataset.h"
#include "files/layers.h"
#include "files/points.h"

#include <setjmp.h>
#include <unistd.h>

/* Readers that take a path are given a file of these bytes. */
static char path[512];

static jmp_buf refused;

static void note_refusal(const char *line)
{
    require(strncmp(line, path, strlen(path)) == 0 && strchr(line, '\n') == NULL);
    longjmp(refused, 1);
}

static int is_size(double x) { return x >= 0.0 && x <= DBL_MAX; }
static int is_rate(double x) { return x > 0.0 && x <= DBL_MAX; }

static void read_layers(void)
{
    sgdsim_layer *layer;
    int column = CSV_NONE;
    double tail_s = -1.0;
    size_t count = 0;
    const csv_table *t = layers_read(path, &layer, &column);
    require(layers_are(t) && t->rows <= LAYERS_MOST && column >= 0);
    for (size_t i = 0; i < t->rows; i++) {
        require(is_size(layer[i].bytes) && is_size(layer[i].forward_s));
        require(is_size(layer[i].backward_s) && is_size(layer[i].update_s));
    }
    sgdpar_tensor *tensor = layers_tensors(t, layer, &count, &tail_s);
    require(tail_s >= 0.0 && count > 0);
    for (size_t i = 0; i < count; i++) require(tensor[i].backward_s >= 0.0);
}

static void read_points(void)
{
    point_set p;
    points_read(&p, path);
    require(p.count > 0 && p.in_role[0] + p.in_role[1] == p.count);
    for (size_t i = 0; i < p.count; i++) require(p.workers[i] >= 1 && is_rate(p.batches_per_s[i]));
}

static curve_set set; /* its names are freed whatever comes */

static void read_curves(void)
{
    curves_read(&set, path, 0, "curve", "batches_per_s");
    require(set.names.count > 0);
    for (size_t i = 0; i < set.names.count; i++) {
        require(set.nodes[i] >= 1 && set.row[i] < set.file->rows);
        for (uint32_t k = 0; k < set.nodes[i]; k++) require(is_rate(set.value[i][k]));
    }
}

static void read_rows(void)
{
    char *paths[1];
    dataset_list list = {0};
    paths[0] = path;
    dataset_read(&list, paths, 1);
    require(list.rows > 0 && list.datasets > 0);
    for (size_t i = 0; i < list.rows; i++) {
        const dataset_row *row = &list.row[i];
        require(row->dataset < list.datasets && row->role < ROLE_COUNT);
        require(row->group == DATASET_NONE || row->group < list.groups);
        require(row->workers >= 1 && is_rate(row->batches_per_s) && row->curve != NULL);
        require(is_size(row->job.compute.forward_s) && is_size(row->job.model_bytes));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static void (*const reader[])(void) = {read_layers, read_points, read_curves, read_rows};
    const char *place = getenv("TMPDIR");
    FILE *file;
    if (size == 0) return 0;
    snprintf(path, sizeof path, "%s/fuzz_tables.%ld.csv", place && *place ? place : "/tmp",
             (long)getpid());
    file = fopen(path, "wb");
    require(file != NULL);
    (void)fwrite(data + 1, 1, size - 1, file);
    require(fclose(file) == 0);
    memset(&set, 0, sizeof set);
    tool_report = note_refusal;
    tool_begin_task();
    if (setjmp(refused) == 0) reader[data[0] % 4]();
    csv_end_task();
    names_free(&set.names);
    tool_free_all();
    (void)remove(path);
    return 0;
}

/* The first byte is the reader: layers @, points A, curves B, rows C. */
FUZZ_MAIN("fuzz_tables",
    "@layer,bytes,forward_s,backward_s,update_s,tensors\na,512,1e-3,2e-3,0,256+256\n"
    "\"b\",8,0.5,1,2,8\n",
    "Aworkers,batches_per_s,role,servers,curve\n1,2.5,fit,1,x\n2,4.5,score,2,x\n",
    "Bcurve,nodes,batches_per_s\na,1,1\na,2,1.9\nb,1,3\n",
    "Cdataset,point,mode,workers,batches_per_s,role,fit,group,forward_s,backward_s,update_s,"
    "model_bytes,bandwidth_bytes_per_s,servers,shares,overlap,gpus,batch,steps,jobs\n"
    "d,p-1,async,1,10,,,,0.01,0.02,0.001,1e6,1e9,1,,0,1,32,100,1\n"
    "d,p-2,async,2,18,,,,0.01,0.02,0.001,1e6,1e9,2,0.5;0.5,0,1,32,,\n",
    "Cdataset,point,mode,workers,batches_per_s,fit,role,group\nd,a,allreduce,2,1,latency,fit,g\n"
    "d,b,allreduce,4,1.5,latency,score,g\n",
    "");
