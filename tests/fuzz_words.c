/* fuzz_words.c - any number has a word in every table of words, and any name a size in every
 * table of structs, which is 0 for no struct; random numbers are what they were */
#include "../sgdperf.h"
#include "../sgdperf_balance.h"
#include "../sgdperf_fit.h"
#include "../sgdperf_forecast.h"
#include "../sgdperf_parallel.h"
#include "../sgdperf_plan.h"
#include "../sgdperf_sched.h"
#include "../sgdperf_sim.h"

#include "fuzz.h"

/* The word of `value`; "no such value" and the like for one outside the table. */
static const char *word(unsigned table, unsigned value)
{
    switch (table) {
    case 0: return sgdp_status_text((sgdp_status)value);
    case 1: return sgdp_model_text((sgdp_model)value);
    case 2: return sgdp_resource_text((sgdp_resource)value);
    case 3: return sgdp_shape_text((sgdp_shape)value);
    case 4: return sgdpar_collective_text((sgdpar_collective)value);
    case 5: return sgdpar_algorithm_text((sgdpar_algorithm)value);
    case 6: return sgdpar_form_text((sgdpar_form)value);
    case 7: return sgdpar_sharding_text((sgdpar_sharding)value);
    case 8: return sgdfit_blackbox_text((sgdfit_blackbox)value);
    case 9: return sgdfit_phase_text((sgdfit_phase)value);
    case 10: return sgdfit_bound_text((sgdfit_bound)value);
    case 11: return sgdp_remedy_text((sgdp_remedy)value);
    case 12: return sgdsched_verdict_text((sgdsched_verdict)value);
    case 13: return sgdbal_status_text((sgdbal_status)value);
    case 14: return sgdplan_status_text((sgdplan_status)value);
    case 15: return sgdplan_layer_text((sgdplan_layer_kind)value);
    case 16: return sgdplan_fault_text((sgdplan_fault)value);
    case 17: return sgdplan_epoch_text((sgdplan_epoch_part)value);
    case 18: return sgdsched_status_text((sgdsched_status)value);
    case 19: return sgdsim_status_text((sgdsim_status)value);
    case 20: return sgdfc_status_text((sgdfc_status)value);
    case 21: return sgdpar_status_text((sgdpar_status)value);
    case 22: return sgdpar_remedy_text((sgdpar_remedy)value);
    case 23: return sgdbal_fault_text((sgdbal_fault)value);
    case 24: return sgdfit_status_text((sgdfit_status)value);
    case 25: return sgdpar_pipelining_text((sgdpar_pipelining)value);
    case 26: return sgdpar_optimizer_text((sgdpar_optimizer)value);
    default: return NULL;
    }
}

enum { TABLES = 27, MOST = 40 };

/* The same pointer for all that are none, another for each that is one. */
static void try_word(unsigned table, unsigned value)
{
    const char *none = word(table, UINT32_MAX), *said = word(table, value);
    require(none != NULL && said != NULL && said[0] != '\0');
    require(value < MOST || strcmp(said, none) == 0);
    require(table == 8 || strcmp(word(table, 0), none) != 0);
}

static size_t struct_bytes(unsigned header, const char *name)
{
    switch (header % 8) {
    case 0: return sgdp_struct_bytes(name);
    case 1: return sgdbal_struct_bytes(name);
    case 2: return sgdplan_struct_bytes(name);
    case 3: return sgdsched_struct_bytes(name);
    case 4: return sgdfc_struct_bytes(name);
    case 5: return sgdpar_struct_bytes(name);
    case 6: return sgdfit_struct_bytes(name);
    default: return sgdsim_struct_bytes(name);
    }
}

static void try_struct(unsigned header, const uint8_t *data, size_t size)
{
    char *name = (char *)fuzz_area(size + 1, 0);
    if (size > 0) memcpy(name, data, size);
    require(struct_bytes(header, name) <= 1u << 16);
    require(strchr(name, '_') != NULL || struct_bytes(header, name) == 0);
    free(name);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_bytes b = fuzz_read(data, size);
    const unsigned table = fuzz_byte(&b) % TABLES, code = fuzz_byte(&b);
    const uint64_t seed = code * UINT64_C(0x0101010101010101), at = fuzz_byte(&b);
    double utilization = code / 64.0, threshold = (double)(at % 16) / 15.0, gamma;
    try_word(table, code);
    try_word(table, code << 24 | (unsigned)at);
    try_struct(table, data + b.at, size - b.at);
    require(sgdsim_random(seed, at, 1, 2) == sgdsim_random(seed, at, 1, 2));
    require(sgdsched_random(seed, at, 1) != sgdsched_random(seed, at, 2));
    gamma = sgdp_gamma_threshold(code % 2 ? &threshold : NULL, utilization);
    require(gamma >= 0.0 && gamma <= 1.0);
    require(sgdp_version() == sgdbal_version() && sgdp_version() == sgdplan_version());
    require(sgdp_version() == sgdsched_version() && sgdp_version() == sgdsim_version());
    require(sgdp_version() == sgdfc_version() && sgdp_version() == sgdpar_version());
    require(sgdp_version() == sgdfit_version());
    return 0;
}

FUZZ_MAIN("fuzz_words",
    "\x01\x02\x03sgdp_job", "\x06\x01\x02sgdbal_worker", "\x02\x11\x02sgdplan_layer",
    "\x03\x01\x07sgdsched_curve", "\x04\xff\x01sgdsim_op", "");
