/* offset.c - how far the clocks of two nodes are apart
 *
 * Clocks of hosts start when these do, and one may be faster than another. A connection of
 * its own asks the other node for the time, several times before the run and after it. The
 * answer with the least round trip counts; half of that is how wrong it may be. */
#include "testbed.h"

#include <math.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { TRIES = 20, TRIES_ONE_CLOCK = 4 };

/* ((t1 - t0) + (t2 - t3)) / 2, with t0 and t3 of this clock, t1 and t2 of the other. */
static int ask(const tb_job *job, tb_offset *o)
{
    const int at = o->measured, tries = job->one_clock ? TRIES_ONE_CLOCK : TRIES;
    int i;
    o->unsure_s[at] = 1e300;
    for (i = 0; i < tries; i++) {
        const double start_s = tb_now();
        double end_s, unsure_s;
        tb_message m;
        memset(&m, 0, sizeof m);
        m.kind = TB_CLOCK;
        if (tb_send(o->fd, &m) != 0 || tb_receive(o->fd, &m) != 0 || m.kind != TB_CLOCK) return -1;
        end_s = tb_now();
        unsure_s = 0.5 * ((end_s - start_s) - (m.sent_s - m.received_s));
        if (!(unsure_s < o->unsure_s[at])) continue;
        o->unsure_s[at] = unsure_s > 0.0 ? unsure_s : 0.0;
        o->at_s[at] = end_s;
        o->ahead_s[at] = 0.5 * ((m.received_s - start_s) + (m.sent_s - end_s));
    }
    o->measured++;
    return 0;
}

void tb_offset_open(const tb_job *job, tb_offset *o, const tb_host *host)
{
    memset(o, 0, sizeof *o);
    o->fd = tb_greet(job, host, TB_CLOCK);
    if (ask(job, o) != 0) tb_fail("%s:%d is gone", host->address, host->port);
    if (job->one_clock) o->ahead_s[0] = 0.0;
}

void tb_offset_again(const tb_job *job, tb_offset *o)
{
    if (!job->one_clock) (void)ask(job, o);
}

/* Have the clocks run apart by more than could be a fault of the answers? */
static int drifts(const tb_offset *o)
{
    return o->measured == 2 && o->at_s[1] > o->at_s[0] &&
           fabs(o->ahead_s[1] - o->ahead_s[0]) > o->unsure_s[0] + o->unsure_s[1];
}

static int best(const tb_offset *o)
{
    return o->measured == 2 && o->unsure_s[1] < o->unsure_s[0];
}

double tb_offset_at(const tb_offset *o, double own_s)
{
    if (!o) return 0.0;
    if (!drifts(o)) return o->ahead_s[best(o)];
    return o->ahead_s[0] + (o->ahead_s[1] - o->ahead_s[0]) * (own_s - o->at_s[0]) /
                               (o->at_s[1] - o->at_s[0]);
}

double tb_offset_unsure(const tb_offset *o)
{
    if (!o) return 0.0;
    if (drifts(o)) return o->unsure_s[best(o) ? 0 : 1];
    return o->unsure_s[best(o)];
}

void tb_offset_tell(tb_offset *o, double shift_s, double unsure_s)
{
    tb_message m;
    memset(&m, 0, sizeof m);
    m.kind = TB_SHIFT;
    m.sent_s = shift_s;
    m.received_s = unsure_s;
    (void)tb_send(o->fd, &m);
}

void tb_offset_serve(int fd, tb_offset *told)
{
    tb_message m;
    while (tb_receive(fd, &m) == 0) {
        const double received_s = tb_now();
        if (m.kind == TB_SHIFT) {
            told->measured = 1;
            told->ahead_s[0] = m.sent_s;
            told->unsure_s[0] = m.received_s;
            continue;
        }
        m.received_s = received_s;
        m.sent_s = tb_now();
        if (m.kind != TB_CLOCK || tb_send(fd, &m) != 0) break;
    }
    close(fd);
}
