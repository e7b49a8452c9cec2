/* fuzz_trace.c - any bytes are read as a file of traced operations or refused with a
 * reason; what is accepted is well formed, and is simulated or refused with a status. */
#include "fuzz.h"
#include "files/trace.h"
#include "ring.h"
#include "trial.h"

enum { SERVERS = 2, WORKERS = 3, STEPS = 3, EVENTS = 2000 };

static void require_complete(const trace_file *trace)
{
    size_t ops = 0;
    for (size_t s = 0; s < trace->trace.steps; s++) {
        const sgdsim_step *step = trace->trace.step + s;
        require(step->ops > 0);
        ops += step->ops;
        for (size_t i = 0; i < step->ops; i++) {
            require(trace_name(trace, s, i) != NULL);
            require(trace_resource_text(step->op[i].resource) != NULL);
            for (size_t k = 0; k < step->op[i].waits; k++)
                require(step->op[i].waits_for[k] < step->ops);
        }
    }
    require(ops == trace->file->rows);
}

/* A trace that was accepted is not refused as malformed, nor for a lack of anything. */
static void simulate(const trace_file *trace, sgdsim_mode mode, sgdsim_link link)
{
    static const uint32_t workers = WORKERS;
    size_t bytes = 0;
    sgdsim_result out = {0};
    sgdsim_config config = {.workers.types = 1, .workers.trace = &trace->trace,
                            .workers.count = &workers, .servers.count = SERVERS, .mode = mode,
                            .links.rule = link, .links.exchange_s = ring_s,
                            .links.bandwidth_bytes_per_s = 1e6, .length.steps = STEPS,
                            .max_events = EVENTS};
    require(sgdsim_run_bytes(&config, &bytes) == SGDSIM_OK);
    sgdsim_status status = sgdsim_run(&config, tool_alloc(bytes, 1), bytes, &out);
    /* No window: a run that takes no time. A bad argument: past the largest double. */
    require(status == SGDSIM_OK || status == SGDSIM_OVER_BUDGET
            || status == SGDSIM_NO_WINDOW || status == SGDSIM_BAD_ARGUMENT);
    if (status != SGDSIM_OK) return;
    require(out.batches_per_s > 0.0 && out.makespan_s > 0.0);
    require(out.operations <= out.events && out.events <= EVENTS);
    require(trace->trace.steps > 1
            || out.operations == (uint64_t)WORKERS * STEPS * trace->file->rows);
}

static void read_and_simulate(void *ctx)
{
    trace_file trace;
    trace_parse(&trace, (const csv_table *)ctx, SERVERS);
    require_complete(&trace);
    simulate(&trace, SGDSIM_ASYNC, SGDSIM_LINK_EQUAL);
    simulate(&trace, SGDSIM_SYNC, SGDSIM_LINK_FCFS);
    simulate(&trace, SGDSIM_SYNC, SGDSIM_LINK_EXCHANGE);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    csv_table table;
    char message[512];
    if (!csv_parse(&table, "fuzz", (const char *)data, size, 0, message, sizeof message))
        return 0;
    fuzz_trial(read_and_simulate, &table, "fuzz:");
    csv_free(&table);
    return 0;
}

/* Two servers, quoted names, rows out of order; two steps of one graph and a third of
 * another; cycles, gaps and lines of other files. */
FUZZ_MAIN("fuzz_trace",
    "step,op,resource,server,duration_s,bytes,waits_for,name\n"
    "0,0,downlink,0,,2500,,model\n0,1,downlink,1,,1e3,,\n0,2,worker,,0.125,,0 1,forward\n"
    "0,3,uplink,0,,2500,2,\"gradients, all\"\n0,4,uplink,1,,1000,2,\n"
    "0,5,server,0,0.0625,,3,\n0,6,server,1,1e-3,,4,update\n",
    "# profiled\r\nop,step,waits_for,bytes,duration_s,resource\r\n"
    "2,1,1,7,,uplink\r\n0,1,,7,0,downlink\r\n1,1,0,,3,worker\r\n"
    "1,0,0,,2,worker\r\n0,0,,9,,downlink\r\n2,0,1,9,,uplink\r\n0,2,,,0.5,server\r\n",
    "step,op,resource,duration_s,bytes,waits_for\n0,0,worker,1,,1\n0,1,worker,1,,0\n",
    "step,op,resource,duration_s,bytes,waits_for\n0,0,worker,1e308,,\n0,1,worker,9e307,,0\n",
    "step,op,resource,duration_s,bytes,waits_for\n0,0,downlink,,0,\n1,0,server,0,,\n",
    "op\n3\n1\n2\n",
    "");
