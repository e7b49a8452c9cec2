/* test_import.c - what the readers of foreign traces share */
#define _POSIX_C_SOURCE 200809L        /* fork */

#include "test.h"
#include "child.h"
#include "import/import.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---- Collectives ----------------------------------------------------------- */

TEST(each_collective_is_told_by_its_own_text)
{
    for (int i = 0; i < IMPORT_COLLECTIVES; i++) {
        const char *text = import_collective_text((import_collective)i);
        CHECK(import_collective_named(text) == (import_collective)i);
        for (int k = 0; k < i; k++)
            CHECK(strcmp(text, import_collective_text((import_collective)k)) != 0);
    }
    CHECK_TEXT(import_collective_text(IMPORT_COLLECTIVES), "other");
}

TEST(collectives_are_told_by_the_names_of_kernels_and_calls)
{
    static const struct { const char *name; import_collective collective; } known[] = {
        {"ncclKernel_AllReduce_RING_LL_Sum_float(ncclWorkElem)", IMPORT_ALLREDUCE},
        {"ncclDevKernel_AllGather_RING_LL(ncclDevComm*, unsigned long)", IMPORT_ALLGATHER},
        {"ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL", IMPORT_REDUCESCATTER},
        {"ncclKernel_Broadcast_RING_LL_Sum_int8_t", IMPORT_BROADCAST},
        {"ncclKernel_Reduce_RING_LL_Sum_float", IMPORT_REDUCE},
        {"ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t", IMPORT_SENDRECV},
        {"nccl:all_reduce", IMPORT_ALLREDUCE}, {"nccl:_all_gather_base", IMPORT_ALLGATHER},
        {"nccl:_reduce_scatter_base", IMPORT_REDUCESCATTER}, {"_allgather_base", IMPORT_ALLGATHER},
        {"nccl:all_to_all", IMPORT_ALLTOALL}, {"all_to_allv", IMPORT_ALLTOALL},
        {"gloo:all_reduce", IMPORT_ALLREDUCE}, {"mpi:barrier", IMPORT_BARRIER},
        {"nccl:send 0->1", IMPORT_SENDRECV}, {"nccl:recv 0<-1", IMPORT_SENDRECV},
        {"all-reduce.7", IMPORT_ALLREDUCE}, {"%reduce-scatter.3 = f32[8]", IMPORT_REDUCESCATTER},
        {"collective-permute-start.1", IMPORT_SENDRECV}, {"reduce_oop", IMPORT_REDUCE},
        {"{All~Reduce}", IMPORT_ALLREDUCE},
        {"nccl:gather", IMPORT_OTHER_COLLECTIVE}, {"", IMPORT_OTHER_COLLECTIVE},
        {"ncclDevKernel_Generic", IMPORT_OTHER_COLLECTIVE}
    };
    for (size_t i = 0; i < COUNT_OF(known); i++)
        CHECK_TEXT(import_collective_text(import_collective_named(known[i].name)),
                   import_collective_text(known[i].collective));
}

TEST(a_name_without_end_is_no_fault)
{
    char name[4096];
    memset(name, 'x', sizeof name);
    memcpy(name, "AllReduce", 9);
    name[sizeof name - 1] = '\0';
    CHECK(import_collective_named(name) == IMPORT_ALLREDUCE);
}

/* ---- What a reader hands on ------------------------------------------------- */

static double start_s, end_s, bytes;   /* of the next step or operation */

static void add_step(void)
{
    import_found found = {.file = "file"};
    import_add_step(&found, 0, start_s, end_s);
}

static void add_op(void)
{
    import_found found = {.file = "file"};
    import_op op = {.start_s = start_s, .end_s = end_s, .bytes = bytes};
    import_add_op(&found, &op, "op", 2);
}

TEST(times_and_sizes_that_are_none_are_refused)
{
    const struct { double start_s, end_s; } none[] = {
        {HUGE_VAL, HUGE_VAL}, {-HUGE_VAL, 0.0}, {(double)NAN, 0.0}, {0.0, HUGE_VAL},
        {0.0, (double)NAN}, {-DBL_MAX, DBL_MAX}
    };
    for (size_t i = 0; i < COUNT_OF(none); i++) {
        start_s = none[i].start_s;
        end_s = none[i].end_s;
        CHECK_TEXT(dying(add_step), "file: the time of a step is too large, or not a number");
        CHECK_TEXT(dying(add_op), "file: the time of an operation is too large, or not a number");
    }
    start_s = 2.5;
    end_s = 2.0;
    CHECK_TEXT(dying(add_step), "file: a step ends 0.5 s before it starts");
    CHECK_TEXT(dying(add_op), "file: an operation ends 0.5 s before it starts");
    end_s = 2.5;
    bytes = 2.0 * IMPORT_MOST_BYTES;
    CHECK_TEXT(dying(add_step), "lived");
    CHECK_TEXT(dying(add_op), "file: an operation sends too many bytes");
    bytes = IMPORT_MOST_BYTES;
    CHECK_TEXT(dying(add_op), "lived");
}

/* ---- Decimals ---------------------------------------------------------------- */

static int is_same(double a, double b) { return !(a < b) && !(a > b); }

TEST(sums_of_decimals_that_should_be_equal_are)
{
    const double tenth = 1e-1, large = 1e280;
    size_t i, differ = 0, wrong = 0;
    for (i = 1; i < 2000; i++) {
        const double start = (double)i / 1e3, length = (double)(7 * i % 1000) / 1e3;
        const double next = (double)(i + 7 * i % 1000) / 1e3;
        differ += !is_same(start + length, next);
        wrong += !is_same(import_on_grid(start + length, 1e3), next);
    }
    CHECK(differ > 0);                 /* else this tests nothing                     */
    CHECK(wrong == 0);
    CHECK(is_same(import_on_grid(-tenth - 2.0 * tenth, 1e6), -0.3));
    CHECK(is_same(import_on_grid(12345.678, 1e3), 12345.678));
    CHECK(is_same(import_on_grid(0.0004, 1e3), 0.0));
    CHECK(is_same(import_on_grid(large, 1e6), large));
    CHECK(is_same(import_on_grid(-large, 1e6), -large));
    CHECK(is_same(import_on_grid(1e15 + 0.125, 1e6), 1e15 + 0.125)); /* too long for it   */
}

TEST_MAIN("test_import");
