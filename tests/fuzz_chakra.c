/* fuzz_chakra.c - the readers of Chakra execution traces survive any bytes. */
#include "fuzz_import.h"

FUZZ_IMPORT("fuzz_chakra", import_chakra,
    "\x07\x0A\x05\x30.0.4\x19\x08\x01\x12\x01\x61\x18\x04\x38\x09R\x0E\x0A\x09is_cpu_"
    "op\xD8\x01\x01\x0C\x08\x02\x12\x01\x62\x18\x04*\x01\x01\x38\x07\x1D\x08\x03\x12"
    "\x01\x63\x18\x07*\x01\x02\x38\x05R\x0F\x0A\x09\x63omm_size\x88\x01\x9A\x01\x1E"
    "\x08\x04\x12\x01\x64\x18\x05*\x02\x03\x02\x38\x05R\x0F\x0A\x09\x63omm_size\x88"
    "\x01\x9A\x01",
    "{\"workload_graph\":[{\"Id\":1,\"Name\":\"a\",\"NodeType\":4,\"is_cpu_op\":true,\"r"
    "untime\":5,\"data_deps\":[]},{\"Id\":2,\"Name\":\"b\",\"NodeType\":\"COMM_COLL_NOD"
    "E\",\"ctrlDeps\":[\"1\"],\"data_deps\":[1],\"runtime\":7,\"is_cpu_op\":false,\"com"
    "m_type\":\"ALL_REDUCE\",\"comm_size\":9.5},{\"Id\":3,\"NodeType\":4,\"sgdperf_st"
    "ep\":1,\"sgdperf_resource\":\"server\"}]}",
    "");
