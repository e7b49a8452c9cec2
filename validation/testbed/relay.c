/* relay.c - a cable with a delay: two TAP devices in two network namespaces
 *
 * What netem does, where the kernel lacks it. Every frame leaves at the other end `delay`
 * seconds after it came. Frames are as large as those of the links beside it, as offloads
 * are passed on. Ends of the cable vanish with the process. */
#include "testbed.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { MOST_FRAMES = 8192, FRAME_BYTES = 1 << 17 };

typedef struct frame {
    double due_s;
    size_t bytes;
    char  *data;
} frame;

/* One direction: a ring of frames between a thread that reads and one that writes. */
typedef struct direction {
    int             from, to;
    double          delay_s;
    pthread_mutex_t mutex;
    pthread_cond_t  changed;
    unsigned long   read, written;
    frame           queue[MOST_FRAMES];
} direction;

static int open_end(const char *space, const char *device)
{
    struct ifreq request;
    const int home = open(space, O_RDONLY | O_CLOEXEC);
    int fd;
    if (home < 0 || setns(home, CLONE_NEWNET) != 0) tb_fail("%s: %s", space, strerror(errno));
    fd = open("/dev/net/tun", O_RDWR | O_CLOEXEC); /* belongs to where it is opened */
    if (fd < 0) tb_fail("/dev/net/tun: %s", strerror(errno));
    memset(&request, 0, sizeof request);
    request.ifr_flags = IFF_TAP | IFF_NO_PI | IFF_VNET_HDR;
    snprintf(request.ifr_name, sizeof request.ifr_name, "%s", device);
    if (ioctl(fd, TUNSETIFF, &request) != 0 ||
        ioctl(fd, TUNSETOFFLOAD, TUN_F_CSUM | TUN_F_TSO4) != 0)
        tb_fail("device %s: %s", device, strerror(errno));
    close(home);
    return fd;
}

/* A full queue drops what comes, as those of switches do. */
static void *read_frames(void *argument)
{
    direction *d = (direction *)argument;
    char *data = (char *)tb_alloc(1, FRAME_BYTES);
    for (;;) {
        const ssize_t n = read(d->from, data, FRAME_BYTES);
        frame *f;
        if (n < 0 && errno != EINTR && errno != EIO) tb_fail("relay: %s", strerror(errno));
        if (n <= 0) continue;
        pthread_mutex_lock(&d->mutex);
        f = &d->queue[d->read % MOST_FRAMES];
        if (d->read - d->written < MOST_FRAMES) {
            f->due_s = tb_now() + d->delay_s;
            f->bytes = (size_t)n;
            f->data = (char *)tb_alloc(1, (size_t)n);
            memcpy(f->data, data, (size_t)n);
            d->read++;
            pthread_cond_signal(&d->changed);
        }
        pthread_mutex_unlock(&d->mutex);
    }
    return NULL;
}

static void *write_frames(void *argument)
{
    direction *d = (direction *)argument;
    for (;;) {
        frame f;
        pthread_mutex_lock(&d->mutex);
        while (d->read == d->written) pthread_cond_wait(&d->changed, &d->mutex);
        f = d->queue[d->written % MOST_FRAMES];
        pthread_mutex_unlock(&d->mutex);
        tb_sleep_until(f.due_s);
        /* A device that is down takes none. */
        if (write(d->to, f.data, f.bytes) < 0 && errno != EIO && errno != EINVAL)
            tb_fail("relay: %s", strerror(errno));
        free(f.data);
        pthread_mutex_lock(&d->mutex);
        d->written++;
        pthread_mutex_unlock(&d->mutex);
    }
    return NULL;
}

int tb_run_relay(const tb_job *job)
{
    static direction d[2];
    pthread_t thread[4];
    int i;
    d[0].from = d[1].to = open_end(job->space[0], job->device[0]);
    d[0].to = d[1].from = open_end(job->space[1], job->device[1]);
    for (i = 0; i < 2; i++) {
        d[i].delay_s = job->delay_s;
        pthread_mutex_init(&d[i].mutex, NULL);
        pthread_cond_init(&d[i].changed, NULL);
        tb_thread(&thread[2 * i], read_frames, &d[i]);
        tb_thread(&thread[2 * i + 1], write_frames, &d[i]);
    }
    printf("ready\n"); /* the driver now gives them addresses */
    fflush(stdout);
    pthread_join(thread[0], NULL);
    return 0;
}
