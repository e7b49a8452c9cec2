// streams.cc - a gRPC server that sends tensors, and a client that asks for them; record.py
// starts both. Tensors are buffers that gRPC does not copy. Times are CLOCK_MONOTONIC.
#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>
#include <grpc/support/log.h>

#include <time.h>

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace {

double now_s()
{
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

/* The client tells its window in SETTINGS frames. gRPC's log says by how much it changed. */
void note_window(gpr_log_func_args *said)
{
    const char *change = std::strstr(said->message, "] adding ");
    if (change && std::strstr(change, " for initial_window change"))
        std::printf("window %ld %.9f\n", std::atol(change + 9), now_s());
}

struct wish { unsigned long step, stream, bytes, place, count; double wait_s; };

grpc::ByteBuffer text_buffer(const std::string &text)
{
    grpc::Slice slice(text);
    return grpc::ByteBuffer(&slice, 1);
}

std::string buffer_text(const grpc::ByteBuffer &buffer)
{
    std::vector<grpc::Slice> slices;
    std::string text;
    if (!buffer.Dump(&slices).ok()) return text;
    for (const grpc::Slice &s : slices)
        text.append(reinterpret_cast<const char *>(s.begin()), s.size());
    return text;
}

/* ---- The server: starts all streams of a step in order, once it knows all of them ---- */

class sender;

struct all_streams {
    std::vector<char> bytes;
    std::mutex lock;
    std::vector<sender *> step;
    size_t known = 0;

    void join(sender *s);
    void start();
};

class sender : public grpc::ServerGenericBidiReactor {
public:
    explicit sender(all_streams *all) : all_(all) { StartRead(&request_); }
    void OnReadDone(bool ok) override
    {
        if (!ok || std::sscanf(buffer_text(request_).c_str(), "%lu %lu %lu %lu %lu %lf", &of.step,
                               &of.stream, &of.bytes, &of.place, &of.count, &of.wait_s) != 6)
            Finish(grpc::Status(grpc::INVALID_ARGUMENT, "no request"));
        else
            all_->join(this);
    }
    void send()
    {
        grpc::Slice slice(all_->bytes.data(), of.bytes, grpc::Slice::STATIC_SLICE);
        body_ = grpc::ByteBuffer(&slice, 1);
        std::printf("%lu %lu %.9f\n", of.step, of.stream, now_s());
        StartWriteAndFinish(&body_, grpc::WriteOptions(), grpc::Status::OK);
    }
    void OnDone() override { delete this; }
    wish of = {};

private:
    all_streams *all_;
    grpc::ByteBuffer request_, body_;
};

void all_streams::join(sender *s)
{
    bool complete;
    {
        std::lock_guard<std::mutex> hold(lock);
        step.resize(s->of.count);
        step[s->of.place] = s;
        complete = ++known == s->of.count;
        if (complete) known = 0;
    }
    if (complete) std::thread(&all_streams::start, this).detach();
}

void all_streams::start()
{
    const std::vector<sender *> order = step;
    for (sender *s : order) {
        if (s->of.wait_s > 0.0)
            std::this_thread::sleep_for(std::chrono::duration<double>(s->of.wait_s));
        s->send();
    }
    std::fflush(stdout);
}

class service : public grpc::CallbackGenericService {
public:
    explicit service(all_streams *all) : all_(all) {}

private:
    grpc::ServerGenericBidiReactor *CreateReactor(grpc::GenericCallbackServerContext *) override
    {
        return new sender(all_);
    }
    all_streams *all_;
};

int serve(const char *address, size_t largest)
{
    all_streams all;
    gpr_set_log_function(note_window);
    all.bytes.assign(largest, 'x');
    service generic(&all);
    grpc::ServerBuilder builder;
    builder.AddListeningPort(address, grpc::InsecureServerCredentials());
    builder.SetMaxSendMessageSize(-1);
    builder.RegisterCallbackGenericService(&generic);
    std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
    if (!server) return 1;
    std::puts("ready");
    std::fflush(stdout);
    while (std::getchar() != EOF) {}
    server->Shutdown();
    return 0;
}

/* ---- The client: asks for all streams of a step at once ------------------------------ */

struct answer {
    grpc::ClientContext context;
    grpc::ByteBuffer request, response;
    double end_s = 0.0;
    bool ok = false;
};

/* Lines of stdin are the streams; an empty one ends a step. */
int ask(const char *address)
{
    grpc::ChannelArguments arguments;
    arguments.SetMaxReceiveMessageSize(-1);
    auto channel = grpc::CreateCustomChannel(address, grpc::InsecureChannelCredentials(), arguments);
    if (!channel->WaitForConnected(std::chrono::system_clock::now() + std::chrono::seconds(30)))
        return 1;
    grpc::GenericStub stub(channel);
    std::vector<std::string> lines;
    char line[200];
    while (std::fgets(line, sizeof line, stdin)) {
        if (line[0] != '\n') { lines.push_back(line); continue; }
        std::vector<answer> of(lines.size());
        std::mutex lock;
        std::condition_variable all;
        size_t left = of.size();
        for (size_t i = 0; i < of.size(); i++) {
            of[i].request = text_buffer(lines[i]);
            stub.UnaryCall(&of[i].context, "/streams/Get", grpc::StubOptions(), &of[i].request,
                           &of[i].response, [&, i](grpc::Status status) {
                of[i].end_s = now_s();
                of[i].ok = status.ok();
                std::lock_guard<std::mutex> hold(lock);
                if (--left == 0) all.notify_one();
            });
        }
        std::unique_lock<std::mutex> hold(lock);
        all.wait(hold, [&] { return left == 0; });
        for (size_t i = 0; i < of.size(); i++) {
            unsigned long step, stream;
            if (!of[i].ok || std::sscanf(lines[i].c_str(), "%lu %lu", &step, &stream) != 2) return 1;
            std::printf("%lu %lu %.9f\n", step, stream, of[i].end_s);
        }
        lines.clear();
    }
    return 0;
}

} // namespace

int main(int count, char **word)
{
    if (count == 4 && std::string(word[1]) == "server")
        return serve(word[2], std::strtoul(word[3], nullptr, 10));
    if (count == 3 && std::string(word[1]) == "client") return ask(word[2]);
    std::fputs("usage: streams server ADDRESS BYTES | streams client ADDRESS\n", stderr);
    return 2;
}
