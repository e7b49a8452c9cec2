/* fuzz_kineto.c - any bytes as a trace of PyTorch's Kineto */
#include "fuzz_import.h"

#define HEAD "{\"schemaVersion\": 1, \"distributedInfo\": {\"rank\": 0, \"world_size\": 2}, "
#define STEP "{\"ph\": \"X\", \"cat\": \"user_annotation\", \"name\": \"ProfilerStep#1\", " \
             "\"pid\": 1, \"tid\": 1, \"ts\": 10.5, \"dur\": 100, \"args\": {}}"
#define CALL "{\"ph\": \"X\", \"cat\": \"cuda_runtime\", \"name\": \"cudaLaunchKernel\", " \
             "\"tid\": 1, \"ts\": 11, \"dur\": 2, \"args\": {\"correlation\": 5}}"
#define RING "{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"ncclKernel_AllReduce\", " \
             "\"ts\": 20, \"dur\": 30, \"args\": {\"correlation\": 5, \"In msg nelems\": 8, " \
             "\"dtype\": \"Float\", \"Group size\": 2, \"Process Group Description\": }}"
FUZZ_IMPORT("fuzz_kineto", import_kineto,
    HEAD "\"traceEvents\": [" STEP "," CALL "," RING "]}",
    HEAD "\"traceEvents\": [" STEP ",{\"name\": \"nccl:all_reduce\", \"ph\": \"X\", \"cat\": "
         "\"user_annotation\", \"ts\": 10, \"dur\": 5, \"args\": {\"Input Dims\": [[4, 3]], "
         "\"Input type\": [\"float\"]}}," CALL "," RING ",]}",
    HEAD "\"traceEvents\": [{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"gloo:broadcast\", "
         "\"ts\": 1e3, \"dur\": NaN}, {\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"mm\", "
         "\"tid\": \"a b\", \"ts\": 3, \"dur\": 4}" ,
    "[{\"name\": \"ProfilerStep#1\", \"ph\": \"X\", \"ts\": 0, \"dur\": 9, \"tid\": 1, \"pid\": "
    "\"CPU functions\", \"args\": {}}, {\"name\": \"gloo:all_reduce\", \"ph\": \"X\", \"ts\": 1, "
    "\"dur\": 2, \"tid\": 1, \"pid\": \"CPU functions\", \"args\": {}}]",
    "{\"schemaVersion\": 1, \"distributedInfo\": {\"rank\": 1e99, \"world_size\": -1}, "
    "\"traceEvents\": [" STEP "," RING "]}",
    "{\"traceEvents\": []}", "[", "");
