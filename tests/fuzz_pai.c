/* fuzz_pai.c - any bytes as the table of tasks of PAI and, behind the first zero, if
 * there is one, as its table of jobs */
#include "fuzz_jobtrace.h"

FUZZ_JOBTRACE("fuzz_pai", fuzz_two_files, JOBTRACE_PAI,
    "a,tensorflow,2.0,Terminated,10.0,20.0,600,29.5,50.0,T4\n"
    "a,ps,1.0,Terminated,11.0,21.0,600,29.5,,\nb,worker,1,Failed,3,4,6,2,100,T4\n"
    "c,worker,4.0,Running,3,,6,2,25,MISC\n",
    "job_name,task_name,inst_num,start_time,end_time,plan_gpu\na,b,1,2,3,400\n\"c\",d,3,4,9,33\n",
    "a,b,1,x,2,9,6,2,100,T4",
    "");
