/* fuzz_tensors.c - any bytes as a table of layers with what they are made of: refused in one
 * line that names a place, or tensors that are the layers' bytes and times, each once. */
#include "fuzz.h"

#include <setjmp.h>

#include "files/layers.h"

enum { ROWS_MOST = 4096 };

static jmp_buf refused;

static void note_refusal(const char *line)
{
    require(strncmp(line, "fuzz:", 5) == 0);
    longjmp(refused, 1);
}

/* What layers_read makes of a file. */
static sgdsim_layer *read_layers(const csv_table *t)
{
    const int bytes = csv_require(t, "bytes"), backward = csv_require(t, "backward_s");
    sgdsim_layer *layer = (sgdsim_layer *)tool_alloc(t->rows, sizeof *layer);
    for (size_t i = 0; i < t->rows; i++) {
        layer[i].bytes = csv_number(t, i, bytes, NUMBER_NON_NEGATIVE);
        layer[i].backward_s = csv_number(t, i, backward, NUMBER_NON_NEGATIVE);
    }
    return layer;
}

static int is_near(double a, double b)
{
    const double scale = fabs(a) + fabs(b);
    return !(fabs(a - b) > 1e-9 * scale) || scale > DBL_MAX;
}

static void check(const csv_table *t)
{
    const sgdsim_layer *layer = read_layers(t);
    double bytes = 0.0, backward_s = 0.0, in_tensors = 0.0, of_tensors_s = 0.0, tail_s = -1.0;
    size_t count = 0, i;
    const sgdpar_tensor *tensor = layers_tensors(t, layer, &count, &tail_s);
    require(count > 0 && tail_s >= 0.0);
    for (i = 0; i < t->rows; i++) {
        bytes += layer[i].bytes;
        backward_s += layer[i].backward_s;
    }
    for (i = 0; i < count; i++) {
        require(tensor[i].bytes > 0);
        in_tensors += (double)tensor[i].bytes;
        of_tensors_s += tensor[i].backward_s;
    }
    require(is_near(bytes, in_tensors) && is_near(backward_s, of_tensors_s + tail_s));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    csv_table table;
    char message[128];
    if (!csv_parse(&table, "fuzz", (const char *)data, size, 0, message, sizeof message)) return 0;
    tool_report = note_refusal;
    if (table.rows <= ROWS_MOST && setjmp(refused) == 0) check(&table);
    csv_free(&table);
    tool_free_all();
    return 0;
}

FUZZ_MAIN("fuzz_tensors",
    "layer,bytes,forward_s,backward_s,update_s,tensors\nconv,16,0.5,1,0,8+8\nfc,5,0,2,0,1+4\n",
    "tensors,bytes,backward_s\n,0,3\n9007199254740992,9007199254740992,1e300\n,0,1e-300\n",
    "bytes,backward_s,tensors\n3,0.1,1+1+1\n\"2\",0.2,\"1+1\"\n1,0.3,+1\n",
    "bytes,backward_s\n1,1\n",
    "");
