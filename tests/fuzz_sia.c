/* fuzz_sia.c - any bytes as a workload of Sia and, behind the first zero, if there is one, as
 * the times that its applications take */
#include "fuzz_jobtrace.h"

FUZZ_JOBTRACE("fuzz_sia", fuzz_two_files, JOBTRACE_SIA,
    "name,time,application,num_replicas,batch_size\na,107,cifar10,6,2048\nb,110.5,ncf,1,256\n",
    ("timestamp,duration,num_gpus,gpu_time,cluster\n2017-10-09 07:01:55,66.0,1,66.0,11cb48\n"
     "2017-10-09 06:13:03,2951.0,0.5,2951.0,6214e9\n2017-10-09 06:13:03,,0,,6214e9\n"),
    "time,num_gpus,gpu_time\n1,2.5,30\n3,0,1\n",
    "curve,nodes,duration_s\ncifar10,6,3600\n\"ncf\",1,1e3\n", "name,time,num_replicas\n", "");
