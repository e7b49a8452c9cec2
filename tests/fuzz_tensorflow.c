/* fuzz_tensorflow.c - the readers of TensorFlow's profiles survive any bytes. */
#include "fuzz_import.h"

FUZZ_IMPORT("fuzz_tensorflow", import_tensorflow,
    "\x0A\xAA\x01\x0A\"/job:worker/replica:0/task:0/cpu:0\x12\x1F\x0A\x07_SOURCE\x10"
    "\x05(\x01\x42\x10_SOURCE = NoOp()\x12\x45\x0A\x0ARecvTensor\x10\x05(\x09\x42+[9B"
    "] edge_1_w from /job:ps/task:1 to /job:w:\x06\x1A\x04\"\x02\x08\x09\x12\x1C\x0A"
    "\x01\x66\x10\x0F(\x09\x42\x13\x66 = MatMul(x, w/_1)\x0A\x91\x01\x0A\x1E/job:ps/r"
    "eplica:0/task:1/cpu:0\x12\x12\x0A\x01w\x10\x05(\x01\x42\x09w = Var()\x12>\x0A"
    "\x0ARecvTensor\x10\x05(\x19\x42$[9B] edge_2_f from /job:w to /job:ps:\x06\x1A"
    "\x04\"\x02\x08\x09\x12\x1B\x0A\x01u\x10\x1F(\x03\x42\x12u = Apply(w, f/_2)",
    "\x0A\xC1\x02\x0A\xAA\x01\x0A\"/job:worker/replica:0/task:0/cpu:0\x12\x1F\x0A\x07"
    "_SOURCE\x10\x05(\x01\x42\x10_SOURCE = NoOp()\x12\x45\x0A\x0ARecvTensor\x10\x05("
    "\x09\x42+[9B] edge_1_w from /job:ps/task:1 to /job:w:\x06\x1A\x04\"\x02\x08\x09"
    "\x12\x1C\x0A\x01\x66\x10\x0F(\x09\x42\x13\x66 = MatMul(x, w/_1)\x0A\x91\x01\x0A"
    "\x1E/job:ps/replica:0/task:1/cpu:0\x12\x12\x0A\x01w\x10\x05(\x01\x42\x09w = Var("
    ")\x12>\x0A\x0ARecvTensor\x10\x05(\x19\x42$[9B] edge_2_f from /job:w to /job:ps:"
    "\x06\x1A\x04\"\x02\x08\x09\x12\x1B\x0A\x01u\x10\x1F(\x03\x42\x12u = Apply(w, f/_"
    "2)\x12\x02\x61\x62",
    "{\"traceEvents\":[{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":1,\"args\":{\"name\""
    ":\"/job:worker/replica:0/task:0/cpu:0 Compute\"}},{\"ph\":\"M\",\"name\":\"proc"
    "ess_name\",\"pid\":3,\"args\":{\"name\":\"/job:ps/replica:0/task:0/cpu:0 Compu"
    "te\"}},{\"ph\":\"O\",\"cat\":\"Tensor\",\"name\":\"RecvTensor\",\"pid\":2,\"tid\":1,\"ts"
    "\":19,\"args\":{\"snapshot\":{\"tensor_description\":\"requested_bytes: 7\"}}},"
    "{\"ph\":\"X\",\"cat\":\"Op\",\"name\":\"RecvTensor\",\"pid\":1,\"tid\":1,\"ts\":10,\"dur\""
    ":10,\"args\":{\"name\":\"RecvTensor\",\"op\":\"RecvTensor\"}},{\"ph\":\"X\",\"cat\":\"O"
    "p\",\"name\":\"MatMul\",\"pid\":1,\"tid\":0,\"ts\":21,\"dur\":5,\"args\":{\"name\":\"f\","
    "\"op\":\"MatMul\",\"input0\":\"w/_1\"}},{\"ph\":\"X\",\"cat\":\"Op\",\"name\":\"Var\",\"pid"
    "\":3,\"tid\":0,\"ts\":9,\"dur\":1,\"args\":{\"name\":\"w\",\"op\":\"Var\"}}]}",
    "{\"traceEvents\":[{\"ph\":\"M\",\"pid\":1,\"name\":\"process_name\",\"args\":{\"name\""
    ":\"/device:GPU:0\"}},{\"ph\":\"M\",\"pid\":1,\"tid\":2,\"name\":\"thread_name\",\"arg"
    "s\":{\"name\":\"stream #1\"}},{\"ph\":\"M\",\"pid\":1,\"tid\":1,\"name\":\"thread_name"
    "\",\"args\":{\"name\":\"Steps\"}},{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"name\":\"0\",\"ts\":1"
    ".5,\"dur\":9},{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"name\":\"ncclAllReduce\",\"ts\":2,\"d"
    "ur\":3}]}",
    "\x0A\x1B\x12\x09/host:CPU\x1A\x0E\x12\x02py\x18\x09\"\x06\x08\x01\x10\x05\x18"
    "\x07\x0A\x8E\x01\x08\x02\x12\x0D/device:GPU:0\x1A$\x12\x05Steps\x18\x09\"\x0B"
    "\x08\x01\x10\xC0\x84=\x18\xC0\xA8\xA5\x04\"\x0C\x08\x01\x10\xC0\xB1\x9F\x05\x18"
    "\xC0\xA8\xA5\x04\x1A(\x12\x09Stream #1\x18\x09\"\x0B\x08\x02\x10\x80\x89z\x18"
    "\xC0\x8D\xB7\x01\"\x0C\x08\x03\x10\x80\xB6\xDC\x05\x18\x80\x92\xF4\x01\"\x07\x08"
    "\x01\x12\x03\x12\x01\x31\"\x0A\x08\x02\x12\x06\x12\x04gemm\"\x16\x08\x03\x12\x12"
    "\x12\x01x\"\x0DncclAllReduce",
    "step_stats {\n dev_stats {\n device: \"/job:worker/replica:0/task:0/cpu:0\" # c\n node_stats "
    "{\n node_name: 'RecvTensor' all_start_micros: 5, all_end_rel_micros: 9; timeline_label: "
    "\"[9B] edge_1_w from /job:ps/task:1 to /job:w\" output { tensor_description { "
    "allocation_description { requested_bytes: 9 } } }\n}\n node_stats: < node_name: \"f\" "
    "all_start_micros: 15 op_end_rel_micros: 9 thread_id: 3\n timeline_label: \"f = MatMul(x, "
    "w/_1)\" memory { a: 1.5e3 } >\n} }\npartition_graphs { node { name: \"a\\n\" } }",
    "");
