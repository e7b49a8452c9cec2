// peer_simgrid.cpp - the workload of bench_sim in SimGrid (S4U, network model CM02)
//
//     peer_simgrid FOLDER
//
// Runs FOLDER/trace.csv in the order of FOLDER/sequence.csv and prints CSV:
// program,workers,steps,operations,seconds,batches_per_s. A worker is four actors, one for
// the queue of each resource; the two links of the server are the only shared ones, and
// neither latency nor protocol factors are modelled.
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

using Step = std::vector<Op>;

static std::vector<Step> trace;
static const double bandwidth_bytes_per_s = 125e6, speed = 1e9;

// The cells of each line under the header, at least `columns`.
static std::vector<std::vector<std::string>> read(const std::string &path, size_t columns)
{
    std::vector<std::vector<std::string>> rows;
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    while (std::getline(file, line)) {
        std::istringstream cells(line);
        rows.emplace_back(columns);
        for (std::string &cell : rows.back()) std::getline(cells, cell, ',');
    }
    return rows;
}

// step,op,resource,duration_s,bytes,waits_for
static void read_trace(const std::string &path)
{
    static const std::string names[] = {"downlink", "worker", "uplink", "server"};
    for (const auto &cell : read(path, 6)) {
        if (cell[1] == "0") trace.emplace_back();
        Step &step = trace.back();
        int resource = 0;
        while (names[resource] != cell[2]) resource++;
        const std::string &amount = cell[3].empty() ? cell[4] : cell[3];
        step.push_back({static_cast<Resource>(resource), std::stod(amount), 0, {}});
        std::istringstream waits(cell[5]);
        for (size_t other; waits >> other; step.back().waits++)
            step[other].then.push_back(step.size() - 1);
    }
}

struct Queue {
    std::deque<size_t> ready;
    s4u::SemaphorePtr filled = s4u::Semaphore::create(0);
};

struct Worker {
    s4u::Host *host, *server, *core;   // core: of the server, for this worker's updates
    std::deque<size_t> steps;          // still to start, into trace
    const Step *step = nullptr;        // the current one
    size_t left = 0;                   // of its ops
    std::vector<unsigned> waits;
    Queue queue[RESOURCES];

    void release(size_t op)
    {
        Queue &q = queue[(*step)[op].resource];
        q.ready.push_back(op);
        q.filled->release();
    }

    void start_step()
    {
        step = &trace[steps.front()];
        steps.pop_front();
        left = step->size();
        waits.clear();
        for (const Op &op : *step) waits.push_back(op.waits);
        for (size_t i = 0; i < step->size(); i++)
            if (waits[i] == 0) release(i);
    }

    void complete(size_t op)
    {
        for (size_t other : (*step)[op].then)
            if (--waits[other] == 0) release(other);
        if (--left > 0) return;
        if (!steps.empty()) start_step();
        else for (Queue &q : queue) q.filled->release(); // nothing ready: the end
    }

    void serve(Resource resource)
    {
        Queue &q = queue[resource];
        for (;;) {
            q.filled->acquire();
            if (q.ready.empty()) return;
            const size_t op = q.ready.front();
            const double amount = (*step)[op].amount;
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
static void build(std::vector<Worker> &workers)
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
    if (argc != 2) return 2;
    s4u::Engine::set_config("network/model:CM02");
    s4u::Engine::set_config("network/crosstraffic:0"); // no acknowledgements on the way back
    s4u::Engine::set_config("surf/precision:1e-9");    // seconds, default 1e-5
    s4u::Engine::set_config("contexts/stack-size:64"); // KiB, for many workers
    const std::string folder = argv[1];
    read_trace(folder + "/trace.csv");
    std::vector<Worker> workers;
    size_t batches = 0, operations = 0;
    for (const auto &cell : read(folder + "/sequence.csv", 3)) { // worker,k,step
        const size_t step = std::stoul(cell[2]);
        if (cell[1] == "0") workers.emplace_back();
        workers.back().steps.push_back(step);
        operations += trace[step].size();
        batches++;
    }
    build(workers);
    for (Worker &w : workers) w.start_step();
    const std::clock_t begin = std::clock();
    engine.run();
    const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    std::printf("SimGrid %d.%d,%zu,%zu,%zu,%.9g,%.9g\n", SIMGRID_VERSION_MAJOR,
                SIMGRID_VERSION_MINOR, workers.size(), batches / workers.size(), operations,
                seconds, static_cast<double>(batches) / s4u::Engine::get_clock());
    return 0;
}
