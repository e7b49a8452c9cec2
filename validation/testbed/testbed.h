/* testbed.h - what the parts of the emulator share
 *
 * One process is one node: a worker, a parameter server, or a member of a ring or a tree.
 * It computes by sleeping and sends real TCP streams of real sizes. Everything it is to do
 * stands in its arguments, KEY=VALUE; what it did it writes to stdout as CSV.
 *
 *     main.c     arguments, priority, time limit
 *     job.c      the arguments
 *     clock.c    sleeps, drawn durations, the log
 *     offset.c   how far the clocks of two nodes are apart
 *     wire.c     connections and messages
 *     server.c   parameter server: asynchronous, synchronous, bounded staleness
 *     worker.c   its worker, layer by layer
 *     peer.c     all-reduce in a ring or a tree
 *     relay.c    a cable with a delay, between two network namespaces
 *
 * Linux; C99 and POSIX threads. Defines the feature macro, so it is included first.
 */
#ifndef TESTBED_H
#define TESTBED_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* sendfile, memfd_create, setns */
#endif

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

enum {
    TB_MOST_LAYERS = 1024,
    TB_MOST_SERVERS = 64,
    TB_MOST_WORKERS = 256,
    TB_MOST_DURATIONS = 16384
};

/* Ends the process with one line on stderr. */
void tb_fail(const char *form, ...) __attribute__((format(printf, 1, 2), noreturn));

/* Zeroed memory of count elements; ends the process where there is none. */
void *tb_alloc(size_t count, size_t size);

/* ---- The job ---------------------------------------------------------------------- */

typedef enum tb_role { TB_WORKER, TB_SERVER, TB_RING, TB_TREE, TB_RELAY, TB_SPIN } tb_role;
typedef enum tb_mode { TB_ASYNC, TB_SYNC, TB_SSP } tb_mode;
typedef enum tb_jitter { TB_NONE, TB_NORMAL, TB_LOGNORMAL, TB_EXPONENTIAL } tb_jitter;

typedef struct tb_host {
    char address[64];         /* a name or a number                                   */
    int  port;
} tb_host;

typedef struct tb_job {
    tb_role   role;
    tb_mode   mode;
    int       index;          /* of this node among those of its role                 */
    int       workers, servers, peers;
    tb_host   server[TB_MOST_SERVERS];
    tb_host   peer[TB_MOST_WORKERS]; /* members of a ring or a tree                    */

    int       steps;          /* exchanges of each worker                             */
    int       every;          /* mini-batches between two exchanges (default 1)       */
    int       backup;         /* sync: gradients of a step that are not waited for    */
    int       staleness;      /* ssp: steps that a worker may be ahead of the slowest */
    int       separate;       /* updates of different workers on separate cores       */

    int       layers;
    double   *bytes, *forward_s, *backward_s, *update_s; /* [layers]                  */
    double   *share;          /* [servers] of each layer; or, where `place` is given,  */
    int      *place;          /* [layers] the server that has all of it (else NULL)   */
    int      *order;          /* [layers] in which the server sends                   */
    double    bucket_bytes;   /* all-reduce: layers are joined up to so many          */

    tb_jitter jitter;
    double    cv;             /* coefficient of variation of a step's computation     */
    uint64_t  seed;           /* also tells the nodes of one run from others          */
    double   *duration_s;     /* [durations] computations to replay, instead          */
    int       durations;

    double    flow_cap_bytes_per_s; /* of each connection; 0: none                    */
    double    stagger_s;      /* workers start at random within                       */
    double    delay_s;        /* relay                                                */
    char      space[2][64];   /* relay: network namespaces, paths                     */
    char      device[2][16];  /* relay: its ends                                      */
    int       realtime;       /* priority, 0: none                                    */
    int       limit_s;        /* then the process ends itself                         */
    int       one_clock;      /* all nodes read the same one                          */
} tb_job;

/* Reads KEY=VALUE arguments; ends the process at the first that is not understood. */
void tb_job_read(tb_job *job, int count, char **argument);

/* The part of a layer that a server has: of its bytes, of its update. */
double tb_share(const tb_job *job, int server, int layer);
size_t tb_bytes(const tb_job *job, int server, int layer);

/* ---- Time ------------------------------------------------------------------------- */

double tb_now(void);                      /* seconds, monotonic, of this host         */
void   tb_sleep_until(double when_s);     /* absolute; counts how late it woke        */
void   tb_set_realtime(int priority);

/* Random numbers of one thread; streams with different numbers are independent. */
typedef struct tb_random { uint64_t state; } tb_random;
tb_random tb_random_of(uint64_t seed, uint64_t stream);
double    tb_uniform(tb_random *random); /* in (0, 1)                                 */

/* The factor of the computation of this node's k-th mini-batch, drawn or replayed. */
double tb_step_factor(const tb_job *job, int k, tb_random *random);

/* ---- The log ---------------------------------------------------------------------- */

typedef enum tb_phase {
    TB_DOWNLINK, TB_FORWARD, TB_BACKWARD, TB_UPLINK, TB_UPDATE, TB_PHASES
} tb_phase;

typedef struct tb_record {
    int      step, layer, server;
    tb_phase phase;
    double   start_s, end_s;
    size_t   bytes;
} tb_record;

/* Grows; of one thread. */
typedef struct tb_log {
    tb_record *record;
    size_t     count, room;
} tb_log;

void tb_log_add(tb_log *log, tb_record record);

/* A record of the job's own node. */
tb_record tb_record_of(int step, tb_phase phase, int layer, double start_s, double end_s);

/* Header, then all records of the logs, their times by the clock of server 0 (of member 0);
 * comment lines have how sure that is, and, the last one, the lateness of sleeps. Times of
 * computation are those asked for: who wakes up late is not to be late for ever. */
struct tb_offset;
void tb_log_print(const tb_job *job, const tb_log *log, size_t logs,
                  const struct tb_offset *common);

/* ---- The wire --------------------------------------------------------------------- */

/* What precedes a layer on the wire. Times are those of the sender's clock. */
typedef struct tb_message {
    uint32_t kind;            /* TB_HELLO and so on                                   */
    int32_t  worker, step, layer;
    uint64_t bytes;           /* that follow                                          */
    double   sent_s;          /* server: this layer's parameters                      */
    double   received_s;      /* server: this layer's gradient was there              */
    double   update_start_s, update_end_s;
} tb_message;

enum { TB_HELLO = 0x54424801, TB_GRADIENT, TB_MODEL, TB_STOP, TB_CLOCK, TB_SHIFT };

int    tb_listen(int port);                                /* waits for a port in use */
int    tb_accept(const tb_job *job, int listener);
int    tb_connect(const tb_job *job, const tb_host *host); /* tries until limit_s      */
const char *tb_congestion(void);                           /* control of connections  */

/* Who connects says who it is; kind: TB_HELLO or TB_CLOCK. Who is of another run is refused. */
int        tb_greet(const tb_job *job, const tb_host *host, unsigned kind);
tb_message tb_greeted(const tb_job *job, int fd);
int    tb_send(int socket, const tb_message *message);     /* and its bytes; 0: done  */
int    tb_receive(int socket, tb_message *message);        /* the head alone; 0: done */
int    tb_receive_bytes(int socket, size_t bytes);         /* thrown away; 0: done    */

/* ---- Clocks ----------------------------------------------------------------------- */

/* What another node's clock is ahead of ours: of the exchanges of times, at the start and at
 * the end of a run, those with the least round trip [Mills, NTP]. */
typedef struct tb_offset {
    int    fd, measured;
    double at_s[2], ahead_s[2], unsure_s[2]; /* half of the round trip               */
} tb_offset;

void   tb_offset_open(const tb_job *job, tb_offset *o, const tb_host *host);
void   tb_offset_again(const tb_job *job, tb_offset *o);
double tb_offset_at(const tb_offset *o, double own_s);
double tb_offset_unsure(const tb_offset *o);
void   tb_offset_tell(tb_offset *o, double shift_s, double unsure_s); /* for its own log */

/* Answers until the other side leaves; takes what it tells. */
void   tb_offset_serve(int fd, tb_offset *told);

/* One side of an exchange among peers: bytes left to be sent or received. */
typedef struct tb_flow {
    int    socket;
    int    sends;
    size_t bytes;
} tb_flow;

/* All flows at once; 0: done. Sockets do not block. */
int tb_exchange(tb_flow *flow, int flows);

/* ---- Roles ------------------------------------------------------------------------ */

int tb_run_server(const tb_job *job);
int tb_run_worker(const tb_job *job);
int tb_run_peer(const tb_job *job);
int tb_run_relay(const tb_job *job);

void tb_thread(pthread_t *thread, void *(*body)(void *), void *argument);

#endif
