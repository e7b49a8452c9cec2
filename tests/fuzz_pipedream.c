/* fuzz_pipedream.c - any bytes as a graph of PipeDream's profiler */
#include "fuzz_import.h"

#define SIZES ", activation_size=4.0, parameter_size=16.000\n"
FUZZ_IMPORT("fuzz_pipedream", import_pipedream,
    "node1 -- Input0 -- forward_compute_time=0.000, backward_compute_time=0.000" SIZES
    "node2 -- Conv2d(3, 64, kernel_size=(3, 3)) -- forward_compute_time=4.5, "
    "backward_compute_time=7.25, activation_size=[44.0; 2.0], parameter_size=353.000\r\n"
    "\n\tnode1 -- node2\n",
    "node1 -- forward_compute_time=1e3, backward_compute_time=2" SIZES "\tnode1 -- node1",
    "\t -- ", "");
