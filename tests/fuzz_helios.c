/* fuzz_helios.c - any bytes as the job log of Helios */
#include "fuzz_jobtrace.h"

FUZZ_JOBTRACE("fuzz_helios", fuzz_jobtrace, JOBTRACE_HELIOS,
    "job_id,user,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,duration\n"
    "1,u,8,32,1,COMPLETED,2020-06-09 18:41:01,2020-06-09 18:41:02,2020-06-09 18:42:02,60\n"
    "2,u,0,4,1,FAILED,2020-04-01 00:00:00,None,None,None\n",
    "duration,submit_time,gpu_num,job_id\r\n\"7\",2000-02-29 00:00:00,2.5,a\r\n",
    "job_id,gpu_num,submit_time,duration\n1,1,1970-01-01 00:00:00,1e-3\n",
    "job_id,gpu_num,submit_time\n1,1,x\n",
    "");
