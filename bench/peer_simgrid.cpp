// peer_simgrid.cpp - the workload of bench_sim in SimGrid (S4U, network model CM02)
//
//     peer_simgrid TRACE.csv WORKERS STEPS
//
// Prints CSV: program,workers,steps,operations,seconds,batches_per_s. A worker is four
// actors, one for each resource of its own queue; the two links of the server are the
// only shared ones, and neither latency nor protocol factors are modelled.
#include <cstdio>
#include <ctime>
#include <deque>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <simgrid/s4u.hpp>
#include <simgrid/version.h>

namespace s4u = simgrid::s4u;

enum Resource { DOWNLINK, WORKER, UPLINK, SERVER, RESOURCES };

struct Op {
    Resource resource;
    double amount;                     // bytes or seconds
    unsigned waits;
    std::vector<size_t> then;          // ops that wait for this one
};

static std::vector<Op> ops;
static const double bandwidth_bytes_per_s = 125e6, speed = 1e9;

static std::vector<Op> read_trace(const char *path)
{
    static const std::string names[] = {"downlink", "worker", "uplink", "server"};
    std::vector<Op> trace;
    std::ifstream file(path);
    std::string line, cell[6];
    std::getline(file, line);          // step,op,resource,duration_s,bytes,waits_for
    while (std::getline(file, line)) {
        std::istringstream cells(line);
        for (std::string &c : cell) {
            c.clear();
            std::getline(cells, c, ',');
        }
        int resource = 0;
        while (names[resource] != cell[2]) resource++;
        const std::string &amount = cell[3].empty() ? cell[4] : cell[3];
        trace.push_back({static_cast<Resource>(resource), std::stod(amount), 0, {}});
        std::istringstream waits(cell[5]);
        for (size_t other; waits >> other; trace.back().waits++)
            trace[other].then.push_back(trace.size() - 1);
    }
    return trace;
}

struct Queue {
    std::deque<size_t> ready;
    s4u::SemaphorePtr filled = s4u::Semaphore::create(0);
};

struct Worker {
    s4u::Host *host, *server, *core;   // core: of the server, for this worker's updates
    unsigned long steps;               // still to start
    size_t left = 0;                   // ops of the current one
    std::vector<unsigned> waits;
    Queue queue[RESOURCES];

    void release(size_t op)
    {
        Queue &q = queue[ops[op].resource];
        q.ready.push_back(op);
        q.filled->release();
    }

    void start_step()
    {
        steps--;
        left = ops.size();
        for (size_t i = 0; i < ops.size(); i++) waits[i] = ops[i].waits;
        for (size_t i = 0; i < ops.size(); i++)
            if (waits[i] == 0) release(i);
    }

    void complete(size_t op)
    {
        for (size_t other : ops[op].then)
            if (--waits[other] == 0) release(other);
        if (--left > 0) return;
        if (steps > 0) start_step();
        else for (Queue &q : queue) q.filled->release(); // nothing ready: the end
    }

    void serve(Resource resource)
    {
        Queue &q = queue[resource];
        for (;;) {
            q.filled->acquire();
            if (q.ready.empty()) return;
            const size_t op = q.ready.front();
            const double amount = ops[op].amount;
            q.ready.pop_front();
            switch (resource) {
            case DOWNLINK: s4u::Comm::sendto(server, host, static_cast<uint64_t>(amount)); break;
            case UPLINK:   s4u::Comm::sendto(host, server, static_cast<uint64_t>(amount)); break;
            default:       s4u::this_actor::execute(amount * speed);
            }
            complete(op);
        }
    }
};

// The server hangs on its two links, everything else on none.
static void build(std::vector<Worker> &workers, unsigned long steps)
{
    s4u::NetZone *zone = s4u::create_star_zone("cluster");
    s4u::Host *server = zone->create_host("server", speed);
    s4u::Link *down = zone->create_link("down", bandwidth_bytes_per_s)->set_latency(0.0);
    s4u::Link *up = zone->create_link("up", bandwidth_bytes_per_s)->set_latency(0.0);
    zone->add_route(server->get_netpoint(), nullptr, nullptr, nullptr,
                    {s4u::LinkInRoute(down)}, false);
    zone->add_route(nullptr, server->get_netpoint(), nullptr, nullptr,
                    {s4u::LinkInRoute(up)}, false);
    for (size_t i = 0; i < workers.size(); i++) {
        Worker &w = workers[i];
        w.server = server;
        w.host = zone->create_host("worker" + std::to_string(i), speed);
        w.core = zone->create_host("core" + std::to_string(i), speed);
        zone->add_route(w.host->get_netpoint(), nullptr, nullptr, nullptr, {});
        zone->add_route(w.core->get_netpoint(), nullptr, nullptr, nullptr, {});
        w.steps = steps;
        w.waits.resize(ops.size());
    }
    zone->seal();
    for (Worker &w : workers)
        for (int r = 0; r < RESOURCES; r++)
            s4u::Actor::create("queue", r == SERVER ? w.core : w.host,
                               [&w, r] { w.serve(static_cast<Resource>(r)); });
}

int main(int argc, char **argv)
{
    s4u::Engine engine(&argc, argv);
    if (argc != 4) return 2;
    s4u::Engine::set_config("network/model:CM02");
    s4u::Engine::set_config("network/crosstraffic:0"); // no acknowledgements on the way back
    s4u::Engine::set_config("surf/precision:1e-9");    // seconds, default 1e-5
    s4u::Engine::set_config("contexts/stack-size:64"); // KiB, for many workers
    ops = read_trace(argv[1]);
    const unsigned long steps = std::stoul(argv[3]);
    std::vector<Worker> workers(std::stoul(argv[2]));
    build(workers, steps);
    for (Worker &w : workers) w.start_step();
    const std::clock_t begin = std::clock();
    engine.run();
    const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    const double batches = static_cast<double>(workers.size() * steps);
    std::printf("SimGrid %d.%d,%zu,%lu,%.0f,%.9g,%.9g\n", SIMGRID_VERSION_MAJOR,
                SIMGRID_VERSION_MINOR, workers.size(), steps,
                batches * static_cast<double>(ops.size()), seconds,
                batches / s4u::Engine::get_clock());
    return 0;
}
