/* main.c - a node of the testbed: see testbed.h, and docs/testbed.md for a whole run
 *
 *     node role=server index=0 servers=10.0.0.1:7000 workers=1 steps=20 bytes=1048576
 *     node role=worker index=0 servers=10.0.0.1:7000 workers=1 steps=20 bytes=1048576 \
 *         forward=0.01 backward=0.02 > log.csv
 */
#include "testbed.h"

#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

void tb_fail(const char *form, ...)
{
    va_list arguments;
    va_start(arguments, form);
    fputs("testbed: ", stderr);
    vfprintf(stderr, form, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(2);
}

void *tb_alloc(size_t count, size_t size)
{
    void *memory = calloc(count ? count : 1, size);
    if (!memory) tb_fail("no memory");
    return memory;
}

void tb_thread(pthread_t *thread, void *(*body)(void *), void *argument)
{
    if (pthread_create(thread, NULL, body, argument) != 0) tb_fail("no thread");
}

/* Keeps a processor awake with what nobody else wants: a virtual machine gives away one
 * that sleeps, and what then runs late is the shaping of the links. */
static int spin(void)
{
    struct sched_param p;
    volatile unsigned long turns = 0;
    memset(&p, 0, sizeof p);
    if (setpriority(PRIO_PROCESS, 0, 19) != 0 || sched_setscheduler(0, SCHED_IDLE, &p) != 0)
        tb_fail("no idle priority");
    for (;;) turns++;
}

/* A driver that writes to stdin is gone when stdin ends, wherever ssh or mpirun started
 * this. One that writes nothing, or has none, is not watched. */
static void *watch_driver(void *unused)
{
    static const char said[] = "testbed: the driver is gone\n";
    char byte;
    (void)unused;
    if (read(0, &byte, 1) <= 0) return NULL;
    while (read(0, &byte, 1) > 0) continue;
    if (write(2, said, sizeof said - 1) < 0) _exit(3);
    _exit(2);
}

static void too_long(int number)
{
    static const char said[] = "testbed: not done within limit_s\n";
    (void)number;
    if (write(2, said, sizeof said - 1) < 0) _exit(3);
    _exit(2);
}

int main(int argc, char **argv)
{
    static tb_job job;
    pthread_t thread;
    /* Nothing outlives the driver, nor its time. */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGALRM, too_long);
    tb_job_read(&job, argc - 1, argv + 1);
    alarm((unsigned)job.limit_s);
    if (job.role == TB_SPIN) return spin();
    if (job.role != TB_RELAY) {
        tb_thread(&thread, watch_driver, NULL);
        pthread_detach(thread);
    }
    tb_set_realtime(job.realtime);
    switch (job.role) {
    case TB_WORKER: return tb_run_worker(&job);
    case TB_SERVER: return tb_run_server(&job);
    case TB_RING:
    case TB_TREE:   return tb_run_peer(&job);
    case TB_RELAY:  return tb_run_relay(&job);
    case TB_SPIN:   break;
    }
    return 2;
}
