/* fuzz_nccl.c - any bytes as a log of nccl-tests: rows of sizes and times that are numbers, or one
 * line that names the file */
#include "fuzz.h"
#include "trial.h"
#include "import/nccl.h"

typedef struct log_reading {
    const char *data;
    size_t      size;
    uint32_t    gpus;
} log_reading;

static void read_log(void *ctx)
{
    const log_reading *r = (const log_reading *)ctx;
    nccl_points points = {0};
    stream s;
    stream_of(&s, "fuzz", r->data, r->size);
    nccl_read(&points, &s, r->gpus);
    require(s.at <= s.end);
    require(points.count + points.alone + points.wrong + points.empty > 0);
    for (size_t i = 0; i < points.count; i++) {
        const nccl_point *p = &points.point[i];
        require(p->collective < SGDPAR_COLLECTIVE_COUNT);
        require(p->machines >= 1 && p->gpus >= 1);
        require((uint64_t)p->machines * p->gpus > 1);
        require(p->bytes > 0.0 && p->bytes <= DBL_MAX);
        require(p->time_s > 0.0 && p->time_s <= DBL_MAX);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char message[2048];
    log_reading r = {(const char *)data, size, 0};
    (void)nccl_recognises(r.data, size);
    for (r.gpus = 0; r.gpus <= 8; r.gpus += 4)
        if (!trial(read_log, &r, message, sizeof message))
            require(strchr(message, '\n') == NULL && strstr(message, "fuzz") != NULL);
    return 0;
}

#define HEAD "# nThread 1 nGpus 1 minBytes 8 maxBytes 1073741824 step: 2(factor)\n" \
    "#  Rank  0 Pid 63365 on node-0 device  0 [0x00] A100-SXM4-40GB\n" \
    "#  Rank  1 Pid 63366 on node-1 device  1 [0x01] A100-SXM4-40GB\n"
#define TABLE "#       size         count      type   redop     time   algbw   busbw  error\n" \
    "#        (B)    (elements)                     (us)  (GB/s)  (GB/s)\n"
FUZZ_MAIN("fuzz_nccl",
    HEAD TABLE "           8             2     float     sum     4.47    0.00    0.00  0e+00\n"
    "     1048576        262144     float     sum    40.21   26.08   26.08  0e+00\n",
    "[1,0]<stdout>:# Collective test starting: all_gather_perf\n" HEAD TABLE
    "[1,0]<stdout>:  1048576  262144  float  none  40.21  26.08  26.08  0e+00\n",
    HEAD "#  size count type redop root time algbw busbw #wrong time algbw busbw #wrong\n"
    "12:  0  0 float sum -1  1e3 0 0 0 inf 0 0 0\n  1024 256 float sum -1 nan 0 0 N/A -1 0 0 1",
    HEAD TABLE, "# nThread", "");
