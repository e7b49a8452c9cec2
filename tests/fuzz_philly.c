/* fuzz_philly.c - any bytes as the job log of Philly */
#include "fuzz_jobtrace.h"

FUZZ_JOBTRACE("fuzz_philly", fuzz_jobtrace, JOBTRACE_PHILLY,
    "[{\"status\": \"Pass\", \"vc\": \"a\", \"jobid\": \"application_1\",\n"
    "  \"attempts\": [{\"start_time\": \"2017-10-07 01:12:09\",\n"
    "    \"end_time\": \"2017-10-07 01:13:23\",\n"
    "    \"detail\": [{\"ip\": \"m1\", \"gpus\": [\"gpu0\", \"gpu1\"]},\n"
    "                 {\"ip\": \"m2\", \"gpus\": [\"gpu0\"]}]}],\n"
    "  \"submitted_time\": \"2017-10-07 01:11:39\", \"user\": \"u\"},\n"
    " {\"jobid\": \"application_2\", \"attempts\": [], \"submitted_time\": \"None\"}]\n",
    "[{\"attempts\":[{\"start_time\":\"2016-02-29 23:59:60\",\"end_time\":null,\"detail\":[]},"
    "{\"start_time\":\"2016-02-28 00:00:00\",\"end_time\":\"2016-03-01 00:00:00\","
    "\"detail\":[{\"gpus\":[1.5e-3,true,{}]}]}],"
    "\"jobid\":\"\\u0061\",\"submitted_time\":\"2016-02-28 00:00:00\"}]",
    "[]", "[[1, -0.5E+9], {\"a\": {}}]",
    "");
