/* fuzz_job.h - a job of sgdperf.h, a model and workers from bytes: for fuzz targets of what
 * predicts, and of what predicts again and again */
#ifndef SGDPERF_FUZZ_JOB_H
#define SGDPERF_FUZZ_JOB_H

#include "../sgdperf.h"

#include "exchange.h"
#include "fuzz_call.h"

enum { FUZZ_TYPES = 2, FUZZ_SERVERS = 3, FUZZ_SAMPLES = 4 };

/* What a job points to stands beside it. */
typedef struct fuzz_job {
    sgdp_job         job;
    sgdp_worker_type type[FUZZ_TYPES];
    double           shares[FUZZ_SERVERS], sample[FUZZ_SAMPLES];
    uint32_t         beside;
} fuzz_job;

static void fuzz_read_shares(fuzz_bytes *b, fuzz_job *in)
{
    double sum = 0.0;
    in->job.servers.count = 1 + fuzz_byte(b) % FUZZ_SERVERS;
    for (uint32_t i = 0; i < in->job.servers.count; i++)
        sum += in->shares[i] = 1.0 + fuzz_byte(b) % 7;
    for (uint32_t i = 0; i < in->job.servers.count; i++) in->shares[i] /= sum;
    if (fuzz_byte(b) >= 224) in->shares[0] = fuzz_number(b);
    in->job.servers.shares = in->shares;
}

static void fuzz_read_vary(fuzz_bytes *b, sgdp_variation *v, double *sample)
{
    const unsigned code = fuzz_byte(b);
    size_t i;
    v->cv = fuzz_number(b) / 4.0;
    v->shape = (sgdp_shape)(code % 16 < 15 ? code % 3 : SGDP_SHAPE_COUNT);
    if (code / 16 % 4 > 0) return;
    v->samples = 1 + code % FUZZ_SAMPLES;
    for (i = 0; i < v->samples; i++) sample[i] = fuzz_number(b) + (i > 0 ? sample[i - 1] : 0.0);
    v->sample = sample;
}

static void fuzz_read_types(fuzz_bytes *b, fuzz_job *in)
{
    in->job.workers.types = 1 + fuzz_byte(b) % FUZZ_TYPES;
    for (size_t t = 0; t < in->job.workers.types; t++) {
        in->type[t].count = fuzz_count(b, 4);
        in->type[t].forward_s = fuzz_number(b);
        in->type[t].backward_s = fuzz_number(b);
        in->type[t].delay_s = fuzz_byte(b) % 8 ? 0.0 : fuzz_number(b) / 8.0;
    }
    in->job.workers.type = in->type;
}

/* Of an all-reduce; an exposure mostly without what it stands in place of. */
static void fuzz_read_growth(fuzz_bytes *b, sgdp_job *j)
{
    const unsigned has = fuzz_byte(b);
    if (has & 1) j->machine.growth = fuzz_number(b) / 16.0;
    if (has & 2) j->machine.growth_between = fuzz_number(b) / 16.0;
    if ((has & 160) == 160) j->servers.message_s = fuzz_number(b) / 8.0;
    if ((has & 96) == 96) j->machine.input_examples_per_s = fuzz_number(b);
    if (!(has & 4)) return;
    j->overlap.exposure = fuzz_number(b) - 0.5;
    if ((has & 24) == 24) return;
    j->overlap.exponent = 0.0;
    j->overlap.rule = SGDP_OVERLAP_NONE;
}

/* What few jobs have: each bit of a byte or two says one thing more. */
static void fuzz_read_more(fuzz_bytes *b, fuzz_job *in)
{
    sgdp_job *j = &in->job;
    const unsigned has = fuzz_byte(b), more = fuzz_byte(b);
    if (has & 1) fuzz_read_shares(b, in);
    if (has & 2 && has & 128) fuzz_read_vary(b, &j->compute.vary, in->sample);
    if (has & 4 && has & 64) fuzz_read_types(b, in);
    if (has & 8) j->links.worker_bandwidth_bytes_per_s = fuzz_number(b);
    if (has & 16) j->links.flow_cap_bytes_per_s = fuzz_number(b);
    if (has & 32) j->compute.one_worker_step_s = 8.0 * fuzz_number(b);
    if ((has & 192) == 64) j->links.delay_s = fuzz_number(b) / 64.0;
    if (more & 1) j->threshold = fuzz_number(b) - 0.5;
    if (more & 2) j->links.latency_s = fuzz_number(b) / 64.0;
    if (more & 4) j->collective.rings = fuzz_count(b, 4);
    if (more & 8) j->overlap.exponent = fuzz_number(b);
    if ((more & 48) == 16) {
        in->beside = fuzz_count(b, 6);
        j->collective.ctx = &in->beside;
    }
    if ((more & 48) == 32) {
        j->machine.gpus = fuzz_count(b, 5);
        j->machine.local_bandwidth_bytes_per_s = 8.0 * fuzz_number(b);
    }
    if ((more & 192) == 64) j->collective.jobs = fuzz_count(b, 4);
    if ((more & 192) == 128) j->workers.backup = fuzz_count(b, 3);
    if ((more & 192) == 192) j->links.port_buffer_bytes = fuzz_number(b);
    if ((more & 48) == 48) j->collective.alltoall_bytes = fuzz_number(b);
    fuzz_read_growth(b, j);
}

static void fuzz_read_job(fuzz_bytes *b, fuzz_job *in)
{
    sgdp_job *j = &in->job;
    const unsigned how = fuzz_byte(b);
    *in = (fuzz_job){.job.collective = {.exchange = exchange_of, .alltoall = alltoall_of}};
    j->compute.forward_s = fuzz_number(b);
    j->compute.backward_s = fuzz_number(b);
    j->compute.update_s = fuzz_number(b) / 8.0;
    if (how % 4) {
        j->model_bytes = fuzz_number(b);
        j->links.bandwidth_bytes_per_s = 4.0 * fuzz_number(b);
    }
    if (how % 4 == 0 || how % 4 == 3) {
        j->links.uplink_s = fuzz_number(b);
        j->links.downlink_s = fuzz_number(b);
    }
    j->compute.batch = how / 4 % 2 ? fuzz_number(b) : 0.0;
    j->overlap.rule = (sgdp_overlap_rule)(how >= 248 ? 3 : how / 8 % 8 < 6 ? 0 : how / 8 % 8 - 5);
    j->switch_anew = how / 64 % 2;
    j->servers.separate_updates = (int)(how / 128);
    if (fuzz_byte(b) % 2) fuzz_read_more(b, in);
}

static sgdp_model fuzz_model(fuzz_bytes *b)
{
    return (sgdp_model)(fuzz_byte(b) % (SGDP_MODEL_COUNT + 1));
}

/* Not what would take more operations than a target has time for. */
static int fuzz_is_quick(const sgdp_job *job, sgdp_model model, uint32_t workers, double most)
{
    double operations = -1.0;
    const sgdp_status status = sgdp_predict_operations(job, model, workers, &operations);
    require((status == SGDP_OK) == (operations >= 0.0));
    return operations <= most;
}

#endif /* SGDPERF_FUZZ_JOB_H */
