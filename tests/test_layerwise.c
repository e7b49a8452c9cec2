/* The layer-wise model: closed forms worked out by hand, an oracle that enumerates rows,
 * samples and what every worker holds, the shipped networks, and every refusal. */
#define CHANCE_SEED 7
#include "plans.h"

enum { PLACES = 64 };

static sgdplan_job model(const sgdplan_layer *layer, size_t layers)
{
    sgdplan_job net = {.layer = layer, .layers = layers, .machines.count = 100,
                       .machines.cores = 16, .machines.connection_s.number = 1e-9,
                       .machines.activation_s = 3e-9, .machines.error_s = 5e-9,
                       .machines.latency_s.number = 1e-4, .machines.bandwidth_bytes_per_s = 1.25e8,
                       .samples = 6000, .read_samples = 60};
    return net;
}

/* ---- Shipped networks ---- */

/* Weights, and connections of layers that are not pooling layers. */
static void totals(const char *name, int biases, size_t *layers, uint64_t *weights,
                   uint64_t *connections)
{
    static sgdplan_layer layer[LAYERS];
    static sgdplan_layer_size size[LAYERS];
    sgdplan_refusal refusal = { SGDPLAN_FAULT_NONE, 0, 0 };
    size_t n = read_network(name, layer), l;
    *layers = n;
    *weights = *connections = 0;
    CHECK_STATUS(sgdplan_layer_sizes(layer, n, biases, size, &refusal), SGDPLAN_OK);
    if (refusal.reason != SGDPLAN_FAULT_NONE)
        fprintf(stderr, "%s, layer %u: %s\n", name, (unsigned)refusal.layer,
                sgdplan_fault_text(refusal.reason));
    for (l = 0; l < n; l++) {
        *weights += size[l].weights;
        if (layer[l].kind != SGDPLAN_LAYER_POOL) *connections += size[l].connections;
    }
}

/* Published counts: validation/SOURCES.md. */
TEST(shipped_networks_have_their_published_sizes)
{
    size_t layers;
    uint64_t weights, connections;
    totals("mnist", 0, &layers, &weights, &connections);
    CHECK(layers == 7 && weights == 680500 && connections == 2543000);
    totals("imagenet22k", 0, &layers, &weights, &connections);
    CHECK(layers == 11 && weights == 163853696 && connections > 2000000000u);
    totals("alexnet", 1, &layers, &weights, &connections);
    CHECK(layers == 11 && weights == 61100840 && connections == 714188480);
    totals("vgg16", 1, &layers, &weights, &connections);
    CHECK(layers == 21 && weights == 138357544);
    totals("vgg16", 0, &layers, &weights, &connections);
    CHECK(weights == 138344128 && connections == 15470264320u);
    /* Less 53,120 of batch normalization, 2,768,896 of the projections, 1000 biases. */
    totals("resnet50", 0, &layers, &weights, &connections);
    CHECK(layers == 52 && weights == 25557032 - 53120 - 2768896 - 1000);
    CHECK(connections + 64 * 256 * 3136 + (256 * 512 * 784 + 512 * 1024 * 196)
          + 1024 * 2048 * 49 == 4089184256u);
}

/* ---- Layers ---- */

TEST(sizes_are_those_worked_out_by_hand)
{
    sgdplan_layer layer[4];
    sgdplan_layer_size size[4];
    layer[0] = image(SGDPLAN_LAYER_CONV, 3, 10, 8, 3, 2, 1);        /* 5 x 5 */
    layer[1] = image(SGDPLAN_LAYER_POOL, 8, 5, 8, 2, 2, 0);         /* 2 x 2 */
    layer[2] = full(SGDPLAN_LAYER_RECURRENT, 8, 6, 4);              /* 4 steps of 8 */
    layer[3] = full(SGDPLAN_LAYER_SOFTMAX, 6, 10, 0);               /* of the last step */
    CHECK_STATUS(sgdplan_layer_sizes(layer, 4, 0, size, NULL), SGDPLAN_OK);
    CHECK(size[0].neurons == 200 && size[0].connections == 200 * 27);
    CHECK(size[0].weights == 3 * 8 * 9 && size[0].own_connections == 0);
    CHECK(size[1].neurons == 32 && size[1].connections == 128 && size[1].weights == 0);
    CHECK(size[2].neurons == 24 && size[2].own_connections == 3 * 36);
    CHECK(size[2].connections == 4 * 48 + 3 * 36 && size[2].weights == 48 + 36);
    CHECK(size[3].neurons == 10 && size[3].weights == 60 && size[3].connections == 60);
    CHECK_STATUS(sgdplan_layer_sizes(layer, 4, 1, size, NULL), SGDPLAN_OK);
    CHECK(size[0].weights == 216 + 8 && size[1].weights == 0);
    CHECK(size[2].weights == 84 + 6 && size[3].weights == 70);
    layer[2] = full(SGDPLAN_LAYER_RECURRENT, 32, 6, 4);             /* one input for all */
    layer[3] = full(SGDPLAN_LAYER_FC, 24, 10, 0);                   /* of all steps */
    CHECK_STATUS(sgdplan_layer_sizes(layer, 4, 0, NULL, NULL), SGDPLAN_OK);
    layer[3] = full(SGDPLAN_LAYER_RECURRENT, 6, 9, 4);
    CHECK_STATUS(sgdplan_layer_sizes(layer, 4, 0, NULL, NULL), SGDPLAN_OK);
}

/* The network is refused at layer `at` for `reason`, and nothing else is written. */
static void refused(const sgdplan_layer *layer, size_t layers, size_t at, sgdplan_fault reason,
                    sgdplan_status status)
{
    sgdplan_layer_size size[LAYERS], before[LAYERS];
    sgdplan_refusal refusal = { SGDPLAN_FAULT_NONE, 99, 99 };
    memset(size, 0x5A, sizeof size);
    memcpy(before, size, sizeof size);
    CHECK_STATUS(sgdplan_layer_sizes(layer, layers, 0, size, &refusal), status);
    CHECK(refusal.layer == at && refusal.reason == reason);
    CHECK(memcmp(size, before, sizeof size) == 0);
    CHECK_STATUS(sgdplan_layer_sizes(layer, layers, 0, size, NULL), status);
}

static void refused_last(sgdplan_layer *layer, sgdplan_layer last, sgdplan_fault reason)
{
    layer[2] = last;
    refused(layer, 3, 2, reason, SGDPLAN_BAD_ARGUMENT);
}

TEST(layers_that_do_not_fit_are_refused)
{
    const sgdplan_layer conv = image(SGDPLAN_LAYER_CONV, 8, 5, 4, 3, 1, 1);
    const sgdplan_layer pool = image(SGDPLAN_LAYER_POOL, 8, 5, 8, 2, 2, 0);
    sgdplan_layer layer[4], z;
    sgdplan_layer_size size;
    uint32_t *zero[7];
    layer[0] = image(SGDPLAN_LAYER_CONV, 3, 10, 8, 3, 2, 1);
    layer[1] = image(SGDPLAN_LAYER_CONV, 8, 5, 8, 3, 1, 1);
    z = conv; z.kind = SGDPLAN_LAYER_COUNT;       refused_last(layer, z, SGDPLAN_FAULT_KIND);
    zero[0] = &z.in.channels;  zero[1] = &z.in.rows;  zero[2] = &z.in.columns;
    zero[3] = &z.out.channels;
    zero[4] = &z.out.rows; zero[5] = &z.out.columns; zero[6] = &z.kernel;
    for (size_t i = 0; i < 7; i++) {
        z = conv;
        *zero[i] = 0;
        refused_last(layer, z, SGDPLAN_FAULT_ZERO);
    }
    refused_last(layer, full(SGDPLAN_LAYER_FC, 0, 5, 0), SGDPLAN_FAULT_ZERO);
    refused_last(layer, full(SGDPLAN_LAYER_SOFTMAX, 5, 0, 0), SGDPLAN_FAULT_ZERO);
    z = conv; z.pad = 3;                       refused_last(layer, z, SGDPLAN_FAULT_PAD);
    z = conv; z.out.rows = 4;                     refused_last(layer, z, SGDPLAN_FAULT_ROWS);
    z = conv; z.kernel = 8; z.pad = 1;         refused_last(layer, z, SGDPLAN_FAULT_ROWS);
    z = conv; z.out.columns = 6;                     refused_last(layer, z, SGDPLAN_FAULT_COLUMNS);
    z = pool;
    z.out.channels = 9;
    refused_last(layer, z, SGDPLAN_FAULT_CHANNELS);
    refused_last(layer, image(SGDPLAN_LAYER_CONV, 7, 5, 4, 3, 1, 1), SGDPLAN_FAULT_BELOW);
    refused_last(layer, image(SGDPLAN_LAYER_CONV, 8, 6, 4, 3, 1, 1), SGDPLAN_FAULT_BELOW);
    refused_last(layer, full(SGDPLAN_LAYER_FC, 199, 5, 0), SGDPLAN_FAULT_BELOW);
    refused_last(layer, full(SGDPLAN_LAYER_RECURRENT, 199, 5, 7), SGDPLAN_FAULT_BELOW);
    layer[1] = full(SGDPLAN_LAYER_RECURRENT, 100, 6, 2);
    refused_last(layer, full(SGDPLAN_LAYER_RECURRENT, 6, 5, 3), SGDPLAN_FAULT_BELOW);
    refused_last(layer, full(SGDPLAN_LAYER_FC, 13, 5, 0), SGDPLAN_FAULT_BELOW);
    refused_last(layer, image(SGDPLAN_LAYER_CONV, 3, 2, 4, 1, 1, 0), SGDPLAN_FAULT_BELOW);
    refused_last(layer, full(SGDPLAN_LAYER_RECURRENT, 7, 5, 2), SGDPLAN_FAULT_BELOW);
    layer[1] = image(SGDPLAN_LAYER_POOL, 8, 5, 8, 1, 1, 0);
    z = image(SGDPLAN_LAYER_POOL, 8, 5, 8, 1, 1, 0);
    z.in.columns = z.out.columns = 4;
    refused_last(layer, z, SGDPLAN_FAULT_BELOW);
    layer[0] = full(SGDPLAN_LAYER_FC, 4294967295u, 2147483648u, 0);   /* just below 2^63 */
    CHECK_STATUS(sgdplan_layer_sizes(layer, 1, 0, &size, NULL), SGDPLAN_OK);
    CHECK(size.connections == 4294967295u * (uint64_t)2147483648u);
    layer[0] = full(SGDPLAN_LAYER_RECURRENT, 4000000000u, 4000000000u, 4000000000u);
    refused(layer, 3, 0, SGDPLAN_FAULT_LARGE, SGDPLAN_TOO_LARGE);
    refused(layer, 0, 0, SGDPLAN_FAULT_EMPTY, SGDPLAN_BAD_ARGUMENT);
    refused(NULL, 3, 0, SGDPLAN_FAULT_EMPTY, SGDPLAN_BAD_ARGUMENT);
}

/* ---- Segments, by hand ---- */

TEST(a_segment_takes_what_eqs_5_to_9_say)
{
    static sgdplan_layer layer[2];
    sgdplan_job net = model(layer, 2);
    sgdplan_segment t;
    sgdplan_split s = cut(2, 1, 1);
    layer[0] = full(SGDPLAN_LAYER_FC, 6, 4, 0);
    layer[1] = full(SGDPLAN_LAYER_SOFTMAX, 4, 8, 0);
    CHECK_STATUS(sgdplan_segment_time(&net, 0, &s, 0, 10, &t), SGDPLAN_OK);
    CHECK_REL(t.forward_s, 12e-9 + 2 * 3e-9, 1e-15);
    CHECK_REL(t.backward_s, 16e-9 + 2 * 5e-9, 1e-15);
    CHECK_REL(t.update_s, 12e-9, 1e-15);
    CHECK_REL(t.errors_s, 1e-4 + 320 / 1e9, 1e-15);
    CHECK_REL(t.activations_s, 0.0, 0.0);              /* nothing below */
    CHECK_STATUS(sgdplan_segment_time(&net, 0, &s, 10, 0, &t), SGDPLAN_OK);
    CHECK_REL(t.activations_s + t.errors_s, 0.0, 0.0);
    CHECK_STATUS(sgdplan_segment_time(&net, 1, &s, 7, 0, &t), SGDPLAN_OK);
    CHECK_REL(t.backward_s, 4 * 5e-9, 1e-15);          /* nothing above */
    CHECK_REL(t.activations_s, 1e-4 + 7 * 32 / 1e9, 1e-15);
    CHECK_REL(t.errors_s, 0.0, 0.0);
    net.variants.latency_always = 1;
    net.machines.value_bytes = 8;
    s.threads = 4;
    net.machines.interference.number = 3;
    CHECK_STATUS(sgdplan_segment_time(&net, 0, &s, 0, 10, &t), SGDPLAN_OK);
    CHECK_REL(t.forward_s, 3 * 18e-9, 1e-15);
    CHECK_REL(t.errors_s, 1e-4 + 640 * 4 / 1e9, 1e-15);
    CHECK_STATUS(sgdplan_segment_time(&net, 0, &s, 0, 0, &t), SGDPLAN_OK);
    CHECK_REL(t.errors_s, 1e-4, 0.0);
}

/* 24 weights of 4 bytes in 2 segments: 48 bytes. 128 bytes are half the table. */
TEST(a_segment_takes_what_tables_of_costs_say)
{
    const double at[2] = { 16, 1024 }, value[2] = { 1e-9, 4e-9 };
    const double threads[2] = { 2, 4 }, slower[2] = { 1.25, 2.5 };
    const double from_one[2] = { 1, 4 };
    static sgdplan_layer layer[2];
    sgdplan_job net = model(layer, 2);
    sgdplan_segment t;
    sgdplan_split s = cut(2, 1, 1);
    layer[0] = full(SGDPLAN_LAYER_FC, 6, 4, 0);
    layer[1] = full(SGDPLAN_LAYER_SOFTMAX, 4, 8, 0);
    net.variants.latency_always = 1;
    net.machines.interference.number = 3;
    net.machines.value_bytes = 4;
    net.machines.connection_s.points = 2;
    net.machines.connection_s.at = at;
    net.machines.connection_s.value = value;
    net.machines.interference.points = 2;
    net.machines.interference.at = threads;
    net.machines.interference.value = slower;
    s.threads = 3;
    CHECK_STATUS(sgdplan_segment_time(&net, 0, &s, 0, 10, &t), SGDPLAN_OK);
    CHECK_REL(t.update_s, 1.875 * 12 * (1e-9 + 3e-9 * log(3.0) / log(64.0)), 1e-14);
    s = cut(1, 1, 1);
    CHECK_STATUS(sgdplan_segment_time(&net, 1, &s, 7, 0, &t), SGDPLAN_OK);
    CHECK_REL(t.update_s, 32 * 2.5e-9, 1e-14);
    s = cut(8, 1, 16);                                  /* 16 bytes, many threads */
    CHECK_STATUS(sgdplan_segment_time(&net, 1, &s, 7, 0, &t), SGDPLAN_OK);
    CHECK_REL(t.update_s, 2.5 * 4e-9, 1e-14);
    net.machines.interference.at = from_one;                     /* one thread takes 1 */
    s.threads = 2;
    CHECK_STATUS(sgdplan_segment_time(&net, 1, &s, 7, 0, &t), SGDPLAN_OK);
    CHECK_REL(t.update_s, 1.5 * 4e-9, 1e-14);
    net.machines.interference.points = 1;
    CHECK_STATUS(sgdplan_segment_time(&net, 1, &s, 7, 0, &t), SGDPLAN_OK);
    CHECK_REL(t.update_s, 4e-9, 1e-14);
    net.machines.interference.points = 0;               /* two threads faster than one */
    net.machines.interference.number = 0.5;
    CHECK_STATUS(sgdplan_segment_time(&net, 1, &s, 7, 0, &t), SGDPLAN_OK);
    CHECK_REL(t.update_s, 0.5 * 4e-9, 1e-14);
}

TEST(a_recurrent_layer_exchanges_its_outputs)
{
    static sgdplan_layer layer[2];
    sgdplan_job net = model(layer, 2);
    sgdplan_segment t;
    const sgdplan_split s = cut(3, 1, 1);
    layer[0] = full(SGDPLAN_LAYER_RECURRENT, 5, 10, 4);
    layer[1] = full(SGDPLAN_LAYER_FC, 10, 2, 0);
    CHECK_STATUS(sgdplan_segment_time(&net, 0, &s, 0, 10, &t), SGDPLAN_OK);
    CHECK_REL(t.forward_s, (4 * 50 + 3 * 100) / 3.0 * 1e-9 + 40 / 3.0 * 3e-9, 1e-14);
    CHECK_REL(t.backward_s, (20 + 300) / 3.0 * 1e-9 + 40 / 3.0 * 5e-9, 1e-14);
    CHECK_REL(t.activations_s, 3 * (1e-4 + 7 * 32 / 1e9), 1e-14); /* 3, 3, 4 neurons */
    CHECK_REL(t.errors_s, t.activations_s + 1e-4 + 10 * 32 / 1e9, 1e-14);
    net.machines.count = 1;
    CHECK_STATUS(sgdplan_segment_time(&net, 0, &s, 0, 10, &t), SGDPLAN_BAD_ARGUMENT);
}

/* Two halves of a convolution of 3 x 3, padded: each needs one row of the other. */
TEST(remote_values_are_those_of_the_slowest_segment)
{
    static sgdplan_layer layer[3];
    sgdplan_job net = model(layer, 3);
    sgdplan_split a = cut(2, 1, 1), b = cut(2, 1, 1);
    static const uint32_t below[2] = { 0, 1 }, above[2] = { 0, 2 };
    uint64_t A = 0, E = 0;
    layer[0] = image(SGDPLAN_LAYER_CONV, 1, 8, 6, 3, 1, 1);
    layer[1] = image(SGDPLAN_LAYER_CONV, 6, 8, 5, 3, 1, 1);
    layer[2] = full(SGDPLAN_LAYER_FC, 320, 7, 0);
    CHECK_STATUS(sgdplan_remote_values(&net, 1, &a, &b, &A, &E), SGDPLAN_OK);
    CHECK(A == 6 * 8 && E == 5 * 8);
    CHECK_STATUS(sgdplan_remote_values(&net, 2, &a, &b, &A, &E), SGDPLAN_OK);
    CHECK(A == 160 && E == 4);                 /* of 7 neurons 3 and 4 */
    b = cut(1, 1, 1);
    CHECK_STATUS(sgdplan_remote_values(&net, 1, &a, &b, &A, &E), SGDPLAN_OK);
    CHECK(A == 4 * 48 && E == 5 * 40);         /* all is on one worker, 5 rows needed */
    CHECK_STATUS(sgdplan_remote_values(&net, 1, &b, &a, &A, &E), SGDPLAN_OK);
    CHECK(A == 5 * 48 && E == 4 * 40);
    CHECK_STATUS(sgdplan_remote_values(&net, 1, &b, &b, &A, &E), SGDPLAN_OK);
    CHECK(A == 0 && E == 0);
    /* [YRHC15, fig. 13]: below in 4 parts, the output layer in 4 parts or copies. */
    a = cut(4, 1, 1);
    b = cut(4, 1, 1);
    CHECK_STATUS(sgdplan_remote_values(&net, 2, &a, &b, &A, &E), SGDPLAN_OK);
    CHECK(A == 240 && E == 6);
    b = cut(1, 4, 1);
    CHECK_STATUS(sgdplan_remote_values(&net, 2, &a, &b, &A, &E), SGDPLAN_OK);
    CHECK(A == 240 && E == 7);                 /* three of four hold none of a sample's */
    a = cut(1, 2, 1);
    b = cut(1, 2, 1);                          /* each its own samples */
    CHECK_STATUS(sgdplan_remote_values(&net, 2, &a, &b, &A, &E), SGDPLAN_OK);
    CHECK(A == 0 && E == 0);
    a.worker = below;
    b.worker = above;                          /* the second copy away from its samples */
    CHECK_STATUS(sgdplan_remote_values(&net, 2, &a, &b, &A, &E), SGDPLAN_OK);
    CHECK(A == 320 && E == 7);
    a.worker = NULL;
    b = cut(1, 3, 1);
    CHECK_STATUS(sgdplan_remote_values(&net, 2, &a, &b, &A, &E), SGDPLAN_OK);
    CHECK(A == 320 && E == 7);
}

/* [YRHC15, eqs. 10 and 11]: 24 weights, 16 of 32 bits in 1e9 bit/s. */
TEST(weights_take_what_eqs_10_and_11_say)
{
    const sgdplan_layer layer[1] = { { SGDPLAN_LAYER_FC, {0, 0, 0}, {0, 0, 0}, 0, 0, 0, 6, 4, 0 } };
    sgdplan_job net = model(layer, 1);
    const double alone_s = 24 * 32 / 1e9;
    sgdplan_split s = cut(1, 2, 4);
    sgdplan_configuration c = cluster(5, 10, 3, &s);
    sgdplan_weights w;
    CHECK_STATUS(sgdplan_weight_time(&net, 0, &c, &s, &w), SGDPLAN_OK);
    CHECK_REL(w.latency_s, 1e-4 * 100, 1e-14);
    CHECK_REL(w.transfer_s, 2 * 4 * alone_s / 3 * 100, 1e-14);
    CHECK_REL(w.write_s, 0.0, 0.0);
    c.servers = 2;
    net.variants.read_full = 1;
    net.write_samples = 30;
    CHECK_STATUS(sgdplan_weight_time(&net, 0, &c, &s, &w), SGDPLAN_OK);
    CHECK_REL(w.transfer_s, 2 * alone_s / 2 * 100, 1e-14);
    CHECK_REL(w.write_s, (1e-4 + alone_s) * 200, 1e-14);
    net.variants.mix = 0.25;
    net.variants.read_per_replica = 1;
    net.variants.biases = 1;
    CHECK_STATUS(sgdplan_weight_time(&net, 0, &c, &s, &w), SGDPLAN_OK);
    CHECK_REL(w.latency_s, 1e-4 * 10, 1e-14);
    CHECK_REL(w.transfer_s, 28 / 24.0 * (0.75 * alone_s + 0.25 * 20 * alone_s) * 10,
              1e-14);
    net.variants.mix = 1;
    net.write_samples = net.read_samples;               /* as often as it reads */
    s.partitions = 0;                                   /* not read */
    CHECK_STATUS(sgdplan_weight_time(&net, 0, &c, &s, &w), SGDPLAN_OK);
    CHECK_REL(w.transfer_s, 28 / 24.0 * 20 * alone_s * 10, 1e-14);
    CHECK_REL(w.write_s, w.latency_s + w.transfer_s, 1e-14);
}

/* Latencies are given by threads, and linear in between. */
TEST(latencies_are_linear_in_threads)
{
    static const double at[3] = { 1, 5, 9 }, value[3] = { 1e-4, 5e-4, 6e-4 };
    static const uint32_t threads[5] = { 1, 2, 4, 8, 12 };
    static const double want_s[5] = { 1e-4, 2e-4, 4e-4, 5.75e-4, 6e-4 };
    const sgdplan_layer layer[1] = { { SGDPLAN_LAYER_FC, {0, 0, 0}, {0, 0, 0}, 0, 0, 0, 6, 4, 0 } };
    sgdplan_job net = model(layer, 1);
    sgdplan_weights w;
    net.machines.latency_s.points = 3;
    net.machines.latency_s.at = at;
    net.machines.latency_s.value = value;
    for (size_t i = 0; i < 5; i++) {
        sgdplan_split s = cut(1, 2, threads[i]);
        sgdplan_configuration c = cluster(5, 10, 3, &s);
        net.machines.cores = 16;
        CHECK_STATUS(sgdplan_weight_time(&net, 0, &c, &s, &w), SGDPLAN_OK);
        CHECK_REL(w.latency_s, want_s[i] * net.samples / net.read_samples, 1e-13);
    }
}

/* [YRHC15, figs. 13 and 14]: the output layer in 4 parts or in 4 copies. */
TEST(parts_of_the_output_layer_send_four_times_what_copies_do)
{
    static sgdplan_layer layer[2];
    sgdplan_job net = model(layer, 2);
    sgdplan_split split[2];
    sgdplan_configuration c = cluster(4, 4, 4, split);
    sgdplan_epoch parts[2], copies[2], sum;
    layer[0] = full(SGDPLAN_LAYER_FC, 64, 64, 0);
    layer[1] = full(SGDPLAN_LAYER_SOFTMAX, 64, 220, 0);
    split[0] = cut(4, 1, 16);
    split[1] = cut(4, 1, 16);
    net.machines.latency_s.number = 0;
    CHECK_STATUS(sgdplan_epoch_time(&net, &c, parts, &sum, NULL), SGDPLAN_OK);
    split[1] = cut(1, 4, 16);
    CHECK_STATUS(sgdplan_epoch_time(&net, &c, copies, &sum, NULL), SGDPLAN_OK);
    CHECK_REL(parts[1].part_s[SGDPLAN_EPOCH_ACTIVATIONS],
              4 * copies[1].part_s[SGDPLAN_EPOCH_ACTIVATIONS], 1e-15);
    CHECK_REL(4 * parts[1].part_s[SGDPLAN_EPOCH_READ_TRANSFER],
              copies[1].part_s[SGDPLAN_EPOCH_READ_TRANSFER], 1e-15);
    CHECK_REL(parts[1].part_s[SGDPLAN_EPOCH_FORWARD], copies[1].part_s[SGDPLAN_EPOCH_FORWARD],
              1e-15);
    CHECK_REL(parts[1].part_s[SGDPLAN_EPOCH_UPDATE], copies[1].part_s[SGDPLAN_EPOCH_UPDATE],
              1e-15);
}

/* [YRHC15, fig. 12]: the epoch is a straight line in 1 / N_read, of slope M_w N_sample. */
TEST(an_epoch_is_a_straight_line_in_one_over_n_read)
{
    static const double reads[4] = { 35, 70, 150, 300 };
    static sgdplan_layer layer[LAYERS];
    sgdplan_job net = model(layer, read_network("mnist", layer));
    sgdplan_split split[LAYERS];
    const sgdplan_configuration c = cluster(4, 4, 2, split);
    sgdplan_epoch out[4];
    double slope = 0;
    for (size_t l = 0; l < net.layers; l++) {
        sgdplan_weights w;
        split[l] = cut(2, 1, 16);
        net.read_samples = net.samples;
        CHECK_STATUS(sgdplan_weight_time(&net, l, &c, split + l, &w), SGDPLAN_OK);
        slope += (w.latency_s + w.transfer_s) * net.samples;
    }
    for (size_t i = 0; i < 4; i++) {
        net.read_samples = reads[i];
        CHECK_STATUS(sgdplan_epoch_time(&net, &c, NULL, out + i, NULL), SGDPLAN_OK);
        if (i > 0)
            CHECK_REL(out[i - 1].epoch_s - out[i].epoch_s,
                      slope * (1 / reads[i - 1] - 1 / reads[i]), 1e-11);
    }
}

/* ---- Random networks ---- */

/* A chain of up to `most` layers: images, then vectors, some of them in steps. */
static size_t random_network(sgdplan_layer *layer, size_t most)
{
    const size_t n = 2 + draw((uint32_t)most - 1), images = draw((uint32_t)n + 1);
    uint32_t c = 1 + draw(3), h = 6 + draw(14), width, steps = 1;
    size_t l;
    for (l = 0; l < images; l++) {
        const uint32_t k = 1 + draw(h < 5 ? h : 5), s = 1 + draw(3), pad = draw(k);
        const uint32_t channels = 1 + draw(4);
        layer[l] = draw(3) == 0 ? image(SGDPLAN_LAYER_POOL, c, h, c, k, s, pad)
                                : image(SGDPLAN_LAYER_CONV, c, h, channels, k, s, pad);
        c = layer[l].out.channels;
        h = layer[l].out.rows;
    }
    width = c * h * h;
    for (; l < n; l++) {
        const uint32_t next = 1 + draw(20);
        if (steps == 1 && draw(3) == 0) {
            steps = 2 + draw(3);
            if (width % steps == 0 && draw(2)) width /= steps;
            layer[l] = full(SGDPLAN_LAYER_RECURRENT, width, next, steps);
        } else if (steps > 1 && draw(2) == 0) {
            layer[l] = full(SGDPLAN_LAYER_RECURRENT, width, next, steps);
        } else {
            if (steps > 1 && draw(2)) width *= steps;
            layer[l] = full(SGDPLAN_LAYER_FC, width, next, 0);
            steps = 1;
        }
        width = next;
    }
    return n;
}

static uint64_t rows_of(const sgdplan_layer *z)
{
    return z->kind == SGDPLAN_LAYER_CONV || z->kind == SGDPLAN_LAYER_POOL ? z->out.rows : z->n_out;
}

static void random_splits(const sgdplan_layer *layer, size_t n, uint32_t workers,
                          sgdplan_split *split)
{
    for (size_t l = 0; l < n; l++) {
        const uint64_t rows = rows_of(layer + l);
        const uint32_t P = 1 + draw(rows < workers ? (uint32_t)rows : workers);
        split[l] = cut(P, 1, 1);
        split[l].replications += draw(workers / P);
        split[l].threads += draw(16);
    }
}

/* Places all layers one by one. */
static void place_all(const sgdplan_job *net, uint32_t workers, sgdplan_split *split,
                      uint32_t (*place)[PLACES])
{
    for (size_t l = 0; l < net->layers; l++) {
        CHECK_STATUS(sgdplan_place_contiguously(net, l, l > 0 ? split + l - 1 : NULL, split + l,
                                                workers, place[l]), SGDPLAN_OK);
        split[l].worker = place[l];
    }
}

/* ---- The oracle: one row, one sample, one worker at a time ---- */

/* Has worker w row y of the layer for sample q? */
static int owns(const sgdplan_layer *z, const sgdplan_split *s, uint32_t w, uint64_t q,
                uint64_t y)
{
    const uint64_t r = q % s->replications, P = s->partitions, h = rows_of(z);
    for (uint64_t p = 0; p < P; p++)
        if (s->worker[r * P + p] == w && p * h / P <= y && y < (p + 1) * h / P) return 1;
    return 0;
}

/* Does row y of layer z touch row x of the one below? */
static int touches(const sgdplan_layer *z, uint64_t y, uint64_t x)
{
    const int64_t s = z->stride > 0 ? z->stride : 1;
    const int64_t first = (int64_t)y * s - (int64_t)z->pad;
    if (z->kind != SGDPLAN_LAYER_CONV && z->kind != SGDPLAN_LAYER_POOL) return 1;
    return first <= (int64_t)x && (int64_t)x < first + (int64_t)z->kernel;
}

/* Values that worker w lacks for sample q: of the layer below, or, of the one above. */
static uint64_t lacks_below(const sgdplan_layer *z, const sgdplan_split *b, const sgdplan_split *s,
                            uint32_t w, uint64_t q)
{
    const sgdplan_layer *y = z - 1;
    const uint64_t below = rows_of(y), rows = rows_of(z), none = UINT64_MAX;
    uint64_t first = none, last = 0, count = 0, values = z->n_in / below;
    for (uint64_t row = 0; row < rows; row++) {
        if (!owns(z, s, w, q, row)) continue;
        for (uint64_t x = 0; x < below; x++) {
            if (!touches(z, row, x)) continue;
            if (x < first) first = x;
            if (x > last) last = x;
        }
    }
    for (uint64_t x = 0; first != none && x < below; x++)
        if (first <= x && x <= last && !owns(y, b, w, q, x)) count++;
    if (z->kind == SGDPLAN_LAYER_CONV || z->kind == SGDPLAN_LAYER_POOL)
        values = z->in.channels * z->in.columns;
    if (z->kind == SGDPLAN_LAYER_RECURRENT)
        values = y->kind == SGDPLAN_LAYER_RECURRENT ? z->steps
            : y->kind == SGDPLAN_LAYER_FC ? 1 : y->out.channels * y->out.columns;
    return count * values;
}

static uint64_t lacks_above(const sgdplan_layer *y, const sgdplan_split *b, const sgdplan_split *s,
                            uint32_t w, uint64_t q)
{
    const sgdplan_layer *z = y + 1;
    uint64_t count = 0, values = z->kind == SGDPLAN_LAYER_RECURRENT ? z->steps : 1;
    if (z->kind == SGDPLAN_LAYER_CONV || z->kind == SGDPLAN_LAYER_POOL)
        values = z->out.channels * z->out.columns;
    for (uint64_t row = 0; row < rows_of(z); row++) {
        int needed = 0;
        for (uint64_t x = 0; x < rows_of(y); x++)
            if (owns(y, b, w, q, x) && touches(z, row, x)) needed = 1;
        if (needed && !owns(z, s, w, q, row)) count++;
    }
    return count * values;
}

/* The largest over workers and samples. */
static void enumerate(const sgdplan_layer *z, const sgdplan_split *b, const sgdplan_split *s,
                      uint32_t workers, uint64_t *A, uint64_t *E)
{
    const uint64_t samples = (uint64_t)b->replications * s->replications;
    *A = *E = 0;
    for (uint64_t q = 0; q < samples; q++)
        for (uint32_t w = 0; w < workers; w++) {
            const uint64_t a = lacks_below(z, b, s, w, q),
                           e = lacks_above(z - 1, b, s, w, q);
            if (a > *A) *A = a;
            if (e > *E) *E = e;
        }
}

static double total_weights(const sgdplan_layer *z)
{
    if (z->kind == SGDPLAN_LAYER_POOL) return 0.0;
    if (z->kind == SGDPLAN_LAYER_CONV)
        return (double)z->in.channels * z->out.channels * z->kernel * z->kernel;
    return (double)z->n_out
        * (z->n_in + (z->kind == SGDPLAN_LAYER_RECURRENT ? (double)z->n_out : 0.0));
}

/* Neurons, and connections from below and within. */
static void total_sizes(const sgdplan_layer *z, double *N, double *from_below,
                        double *within)
{
    const double T = z->kind == SGDPLAN_LAYER_RECURRENT ? z->steps : 1;
    *within = T > 1 ? (T - 1) * z->n_out * z->n_out : 0;
    *N = T * z->n_out;
    *from_below = T * z->n_in * z->n_out;
    if (z->kind == SGDPLAN_LAYER_CONV || z->kind == SGDPLAN_LAYER_POOL) {
        *N = (double)z->out.channels * z->out.rows * z->out.columns;
        *from_below = *N * z->kernel * z->kernel;
        if (z->kind == SGDPLAN_LAYER_CONV) *from_below *= z->in.channels;
    }
}

/* The epoch without tables and options: constants of model(). */
static double oracle_epoch(const sgdplan_job *net, const sgdplan_configuration *c,
                           const sgdplan_split *placed)
{
    const size_t L = net->layers;
    double epoch_s = 0;
    for (size_t l = 0; l < L; l++) {
        const sgdplan_layer *z = net->layer + l;
        const sgdplan_split *s = placed + l;
        const double P = s->partitions, H = s->threads, R = s->replications;
        const double slow = s->threads > 1 ? net->machines.interference.number : 1.0;
        const double value_s = 4 * H / net->machines.bandwidth_bytes_per_s, cost_s = 1e-4;
        const double smallest = floor((double)rows_of(z) / P);
        double N, W, own, N_above, above = 0, own_above, M = 0, compute;
        uint64_t A = 0, E = 0, dummy;
        total_sizes(z, &N, &W, &own);
        if (l + 1 < L) total_sizes(z + 1, &N_above, &above, &own_above);
        if (l > 0) enumerate(z, s - 1, s, c->workers, &A, &dummy);
        if (l + 1 < L) enumerate(z + 1, s, s + 1, c->workers, &dummy, &E);
        if (A > 0) M += cost_s + (double)A * value_s;
        if (E > 0) M += cost_s + (double)E * value_s;
        if (own > 0 && s->partitions > 1)
            M += 2 * (z->steps - 1.0) * (cost_s + (z->n_out - smallest) * value_s);
        compute = 1e-9 * (W + own + above + own) + 3e-9 * N + 5e-9 * N;
        if (z->kind != SGDPLAN_LAYER_POOL) compute += 1e-9 * (W + own);
        epoch_s += (slow * compute / P + M) * net->samples / (H * R * c->replicas);
        if (z->kind != SGDPLAN_LAYER_POOL)
            epoch_s += (cost_s + R * total_weights(z) * value_s
                        / (c->servers < c->workers ? c->servers : c->workers))
                * net->samples / net->read_samples;
    }
    return epoch_s;
}

TEST(epochs_of_random_networks_are_those_of_the_oracle)
{
    static uint32_t place[LAYERS][PLACES];
    static sgdplan_layer layer[LAYERS];
    for (size_t trial = 0; trial < 1500; trial++) {
        sgdplan_split split[LAYERS], placed[LAYERS];
        sgdplan_job net = model(layer, random_network(layer, 6));
        const uint32_t workers = 1 + draw(8);
        const uint32_t servers = 1 + draw(9);
        sgdplan_configuration c = cluster(servers, 1 + draw(4), workers, split);
        sgdplan_epoch by_layer[LAYERS], with_places, sum;
        uint64_t A, E;
        net.machines.interference.number = 1.0 + draw(3);
        random_splits(layer, net.layers, workers, split);
        memcpy(placed, split, sizeof placed);
        place_all(&net, workers, placed, place);
        for (size_t l = 1; l < net.layers; l++) {
            uint64_t want_a, want_e, a, e;
            enumerate(layer + l, placed + l - 1, placed + l, workers, &want_a, &want_e);
            CHECK_STATUS(sgdplan_remote_values(&net, l, split + l - 1, split + l, &A, &E),
                         SGDPLAN_OK);
            CHECK_STATUS(sgdplan_remote_values(&net, l, placed + l - 1, placed + l, &a, &e),
                         SGDPLAN_OK);
            CHECK(A == want_a && E == want_e && a == want_a && e == want_e);
        }
        CHECK_STATUS(sgdplan_epoch_time(&net, &c, by_layer, &sum, NULL), SGDPLAN_OK);
        CHECK_REL(sum.epoch_s, oracle_epoch(&net, &c, placed), 1e-12);
        c.split = placed;
        CHECK_STATUS(sgdplan_epoch_time(&net, &c, NULL, &with_places, NULL), SGDPLAN_OK);
        CHECK(memcmp(&with_places, &sum, sizeof sum) == 0);
    }
}

static void draw_variants(sgdplan_job *net)
{
    net->machines.value_bytes = draw(2) ? 2 : 0;
    net->write_samples = draw(2) ? 40 : 0;
    net->variants.mix = uniform(0, 1);
    net->variants.read_full = (int)draw(2);
    net->variants.read_per_replica = (int)draw(2);
    net->variants.latency_always = (int)draw(2);
    net->variants.biases = (int)draw(2);
}

/* The parts of the layers, and the layers, add up; and they are what the functions for
 * tables of costs say, under all options. */
TEST(parts_and_layers_add_up_to_the_epoch)
{
    static sgdplan_layer layer[LAYERS];
    const double at[3] = { 100, 1000, 5000 }, value[3] = { 1e-9, 1e-9, 4e-9 };
    size_t i;
    for (size_t trial = 0; trial < 500; trial++) {
        sgdplan_split split[LAYERS];
        sgdplan_job net = model(layer, random_network(layer, 8));
        const uint32_t workers = 1 + draw(20);
        const uint32_t servers = 1 + draw(9);
        sgdplan_configuration c = cluster(servers, 1 + draw(4), workers, split);
        sgdplan_epoch by_layer[LAYERS], sum;
        double total = 0, parts = 0, tables = 0;
        uint64_t sent = 0;
        net.machines.connection_s.points = 3;
        net.machines.connection_s.at = at;
        net.machines.connection_s.value = value;
        draw_variants(&net);
        random_splits(layer, net.layers, workers, split);
        CHECK_STATUS(sgdplan_epoch_time(&net, &c, by_layer, &sum, NULL), SGDPLAN_OK);
        for (size_t l = 0; l < net.layers; l++) {
            const double Q =
                (double)split[l].threads * split[l].replications * c.replicas;
            sgdplan_weights w;
            sgdplan_segment t;
            uint64_t A = 0, E = 0, dummy;
            for (i = 0; i < SGDPLAN_EPOCH_PARTS; i++) parts += by_layer[l].part_s[i];
            total += by_layer[l].epoch_s;
            if (l > 0)
                CHECK_STATUS(sgdplan_remote_values(&net, l, split + l - 1, split + l, &A,
                                                   &dummy), SGDPLAN_OK);
            if (l + 1 < net.layers)
                CHECK_STATUS(sgdplan_remote_values(&net, l + 1, split + l, split + l + 1,
                                                   &dummy, &E), SGDPLAN_OK);
            CHECK_STATUS(sgdplan_segment_time(&net, l, split + l, A, E, &t), SGDPLAN_OK);
            CHECK_STATUS(sgdplan_weight_time(&net, l, &c, split + l, &w), SGDPLAN_OK);
            CHECK(by_layer[l].activations == A && by_layer[l].errors == E);
            sent += A + E;
            tables += (t.forward_s + t.activations_s + t.backward_s + t.errors_s
                       + t.update_s) * net.samples / Q
                + w.latency_s + w.transfer_s + w.write_s;
        }
        CHECK_REL(parts, sum.epoch_s, 1e-12);
        CHECK_REL(total, sum.epoch_s, 1e-12);
        CHECK_REL(tables, sum.epoch_s, 1e-12);
        CHECK(sum.activations + sum.errors == sent);
        for (total = 0, i = 0; i < SGDPLAN_EPOCH_PARTS; i++) total += sum.part_s[i];
        CHECK_REL(total, sum.epoch_s, 1e-12);
    }
}

/* ---- Placement ---- */

/* Costs of placing are what the oracle counts where A is that of one segment. */
TEST(the_largest_cost_of_the_places_taken_is_a)
{
    static sgdplan_layer layer[LAYERS];
    static uint32_t place[LAYERS][PLACES];
    for (size_t trial = 0; trial < 300; trial++) {
        sgdplan_job net = model(layer, random_network(layer, 4));
        const uint32_t workers = 1 + draw(6);
        const size_t l = net.layers - 1;
        double cost[PLACES], most = 0;
        sgdplan_split split[LAYERS];
        uint64_t A, E;
        random_splits(layer, net.layers, workers, split);
        place_all(&net, workers, split, place);
        CHECK_STATUS(sgdplan_place_costs(&net, l, split + l - 1, split + l, workers, cost),
                     SGDPLAN_OK);
        size_t n = (size_t)split[l].partitions * split[l].replications;
        for (size_t i = 0; i < n; i++)
            if (cost[i * workers + place[l][i]] > most)
                most = cost[i * workers + place[l][i]];
        CHECK_STATUS(sgdplan_remote_values(&net, l, split + l - 1, split + l, &A, &E), SGDPLAN_OK);
        CHECK_REL(most, (double)A, 0.0);
    }
}

/* The largest cost of the best of all placements of n segments on w workers. */
static double best_largest(const double *cost, size_t n, size_t w, size_t i,
                           unsigned used)
{
    double best = INFINITE;
    if (i == n) return 0.0;
    for (size_t k = 0; k < w; k++) {
        if (used >> k & 1u) continue;
        double rest = best_largest(cost, n, w, i + 1, used | 1u << k);
        if (cost[i * w + k] > rest) rest = cost[i * w + k];
        if (rest < best) best = rest;
    }
    return best;
}

/* Contiguous placement against the best of all: never better, and how often worse. */
TEST(contiguous_places_are_the_best_for_94_percent)
{
    static sgdplan_layer layer[LAYERS];
    static uint32_t place[LAYERS][PLACES];
    unsigned trial, worse = 0, free_of_cost = 0;
    double excess = 0;
    for (trial = 0; trial < 4000; trial++) {
        sgdplan_job net = model(layer, random_network(layer, 2));
        const uint32_t workers = 1 + draw(6);
        double cost[PLACES], best;
        sgdplan_split split[LAYERS];
        uint64_t A, E;
        random_splits(layer, 2, workers, split);
        place_all(&net, workers, split, place);
        CHECK_STATUS(sgdplan_place_costs(&net, 1, split, split + 1, workers, cost),
                     SGDPLAN_OK);
        CHECK_STATUS(sgdplan_remote_values(&net, 1, split, split + 1, &A, &E), SGDPLAN_OK);
        best = best_largest(cost, (size_t)split[1].partitions * split[1].replications,
                            workers, 0, 0);
        CHECK((double)A >= best);
        if ((double)A <= best) continue;
        worse++;
        if (best > 0) excess += (double)A / best - 1;
        else free_of_cost++;
    }
    printf(
        "contiguous placement: %u of %u not the best, %.0f %% above it in the mean; %u of "
        "them could do without messages\n",
        worse, trial, 100 * excess / (worse > free_of_cost ? worse - free_of_cost : 1),
        free_of_cost);
    CHECK(worse < 0.06 * trial);
}

/* ---- Refusals ---- */

typedef struct small {
    sgdplan_layer         layer[2];
    sgdplan_split         split[2];
    uint32_t           place[2][4];
    sgdplan_job       net;
    sgdplan_configuration c;
} small;

static void small_net(small *b)
{
    b->layer[0] = image(SGDPLAN_LAYER_CONV, 1, 8, 2, 3, 1, 1);
    b->layer[1] = full(SGDPLAN_LAYER_FC, 128, 5, 0);
    b->split[0] = b->split[1] = cut(2, 2, 3);
    b->net = model(b->layer, 2);
    b->c = cluster(3, 2, 4, b->split);
}

/* The epoch is refused; nothing but the fault is written. */
static void epoch_refused(const small *b, size_t at, sgdplan_fault reason)
{
    const sgdplan_status status =
        reason == SGDPLAN_FAULT_LARGE || reason == SGDPLAN_FAULT_TIME
            ? SGDPLAN_TOO_LARGE : SGDPLAN_BAD_ARGUMENT;
    sgdplan_refusal refusal = { SGDPLAN_FAULT_NONE, 99, 99 };
    sgdplan_epoch out[3], before[3];
    memset(out, 0x5A, sizeof out);
    memcpy(before, out, sizeof out);
    CHECK_STATUS(sgdplan_epoch_time(&b->net, &b->c, out, out + 2, &refusal), status);
    CHECK(refusal.layer == at && refusal.reason == reason);
    CHECK_STATUS(sgdplan_epoch_time(&b->net, &b->c, out, out + 2, NULL), status);
    CHECK(memcmp(out, before, sizeof out) == 0);
}

TEST(bad_constants_are_refused)
{
    const double bad[3] = { -1, NOT_A_NUMBER, INFINITE };
    const double falling[2] = { 2, 1 }, zero[2] = { 0, 1 }, fine[2] = { 1, 2 };
    const double worse[2] = { 1, NOT_A_NUMBER };
    small b;
    double *field[7];
    field[0] = &b.net.machines.connection_s.number;       field[1] = &b.net.machines.activation_s;
    field[2] = &b.net.machines.error_s;               field[3] = &b.net.machines.latency_s.number;
    field[4] = &b.net.machines.interference.number;
    field[5] = &b.net.machines.bandwidth_bytes_per_s;
    field[6] = &b.net.write_samples;
    for (size_t i = 0; i < 7; i++)
        for (size_t k = 0; k < 3; k++) {
            small_net(&b);
            *field[i] = bad[k];
            epoch_refused(&b, 0, SGDPLAN_FAULT_CONSTANT);
        }
    small_net(&b);
    b.net.machines.value_bytes = -1;
    epoch_refused(&b, 0, SGDPLAN_FAULT_CONSTANT);
    small_net(&b);
    b.net.machines.bandwidth_bytes_per_s = 0;
    epoch_refused(&b, 0, SGDPLAN_FAULT_CONSTANT);
    small_net(&b);
    b.net.samples = 0;
    epoch_refused(&b, 0, SGDPLAN_FAULT_CONSTANT);
    for (size_t i = 0; i < 4; i++) {
        const double *at[4] = { falling, zero, fine, NULL };
        small_net(&b);
        b.net.machines.connection_s.points = 2;
        b.net.machines.connection_s.at = at[i];
        b.net.machines.connection_s.value = i == 2 ? worse : fine;
        epoch_refused(&b, 0, SGDPLAN_FAULT_CONSTANT);
    }
    small_net(&b); b.net.read_samples = 0;         epoch_refused(&b, 0, SGDPLAN_FAULT_READ);
    small_net(&b); b.net.read_samples = 6001;      epoch_refused(&b, 0, SGDPLAN_FAULT_READ);
    small_net(&b);
    b.net.variants.mix = 1.01;
    epoch_refused(&b, 0, SGDPLAN_FAULT_READ);
    small_net(&b);
    b.net.variants.mix = NOT_A_NUMBER;
    epoch_refused(&b, 0, SGDPLAN_FAULT_READ);
}

TEST(broken_constraints_are_named)
{
    small b;
    sgdplan_epoch out;
    small_net(&b); b.net.machines.count = 11;
    CHECK_STATUS(sgdplan_epoch_time(&b.net, &b.c, NULL, &out, NULL), SGDPLAN_OK);
    small_net(&b);
    b.net.machines.count = 10;
    epoch_refused(&b, 0, SGDPLAN_FAULT_MACHINES);
    small_net(&b);
    b.c.servers = 101;
    epoch_refused(&b, 0, SGDPLAN_FAULT_MACHINES);
    small_net(&b); b.c.replicas = b.c.workers = UINT32_MAX;
    epoch_refused(&b, 0, SGDPLAN_FAULT_MACHINES);
    small_net(&b); b.net.machines.count = 0;             epoch_refused(&b, 0, SGDPLAN_FAULT_EMPTY);
    small_net(&b); b.net.machines.count = UINT32_MAX;    epoch_refused(&b, 0, SGDPLAN_FAULT_LARGE);
    b.net.machines.count = (1u << 30) + 1;               epoch_refused(&b, 0, SGDPLAN_FAULT_LARGE);
    b.net.machines.count = 1u << 30;
    CHECK_STATUS(sgdplan_epoch_time(&b.net, &b.c, NULL, &out, NULL), SGDPLAN_OK);
    small_net(&b);
    b.net.machines.cores = 0;
    epoch_refused(&b, 0, SGDPLAN_FAULT_EMPTY);
    small_net(&b); b.net.layers = 0;               epoch_refused(&b, 0, SGDPLAN_FAULT_EMPTY);
    small_net(&b); b.c.servers = 0;                epoch_refused(&b, 0, SGDPLAN_FAULT_EMPTY);
    small_net(&b); b.c.replicas = 0;               epoch_refused(&b, 0, SGDPLAN_FAULT_EMPTY);
    small_net(&b); b.c.workers = 0;                epoch_refused(&b, 0, SGDPLAN_FAULT_EMPTY);
    small_net(&b); b.layer[1].n_in = 127;          epoch_refused(&b, 1, SGDPLAN_FAULT_BELOW);
    small_net(&b); b.layer[0].out.rows = 9;           epoch_refused(&b, 0, SGDPLAN_FAULT_ROWS);
    small_net(&b); b.split[1].partitions = 0;      epoch_refused(&b, 1, SGDPLAN_FAULT_SPLIT);
    small_net(&b); b.split[1].replications = 0;    epoch_refused(&b, 1, SGDPLAN_FAULT_SPLIT);
    small_net(&b); b.split[0].threads = 0;         epoch_refused(&b, 0, SGDPLAN_FAULT_SPLIT);
    small_net(&b); b.split[1].threads = 17;        epoch_refused(&b, 1, SGDPLAN_FAULT_CORES);
    small_net(&b);
    b.split[1].replications = 3;
    epoch_refused(&b, 1, SGDPLAN_FAULT_WORKERS);
    small_net(&b); b.split[1].replications = UINT32_MAX;
    epoch_refused(&b, 1, SGDPLAN_FAULT_WORKERS);
    small_net(&b); b.split[1] = cut(6, 1, 1); b.c.workers = 6;
    epoch_refused(&b, 1, SGDPLAN_FAULT_STRIPES);
    small_net(&b); b.split[0] = cut(9, 1, 1); b.c.workers = 9;
    epoch_refused(&b, 0, SGDPLAN_FAULT_STRIPES);
}

TEST(broken_places_are_refused)
{
    const uint32_t fine[4] = {3, 1, 0, 2}, twice[4] = {3, 1, 0, 3},
                   none[4] = {0, 1, 2, 4};
    double cost[16] = { 1 };
    uint32_t worker[4] = { 77, 77, 77, 77 };
    sgdplan_epoch out;
    uint64_t A = 77, E = 77;
    small b;
    small_net(&b);
    sgdplan_job *net = &b.net;
    b.split[0].worker = fine;
    epoch_refused(&b, 1, SGDPLAN_FAULT_PLACE);
    CHECK_STATUS(sgdplan_remote_values(net, 1, b.split, b.split + 1, &A, &E), SGDPLAN_BAD_ARGUMENT);
    b.split[1].worker = twice;
    CHECK_STATUS(sgdplan_remote_values(net, 1, b.split, b.split + 1, &A, &E), SGDPLAN_BAD_ARGUMENT);
    epoch_refused(&b, 1, SGDPLAN_FAULT_PLACE);
    b.split[1].worker = none;
    epoch_refused(&b, 1, SGDPLAN_FAULT_PLACE);
    b.split[1].worker = fine;
    CHECK_STATUS(sgdplan_epoch_time(net, &b.c, NULL, &out, NULL), SGDPLAN_OK);
    CHECK_STATUS(sgdplan_remote_values(net, 0, b.split, b.split + 1, &A, &E), SGDPLAN_BAD_ARGUMENT);
    CHECK_STATUS(sgdplan_remote_values(net, 2, b.split, b.split + 1, &A, &E), SGDPLAN_BAD_ARGUMENT);
    CHECK_STATUS(sgdplan_remote_values(net, 1, b.split, NULL, &A, &E), SGDPLAN_BAD_ARGUMENT);
    CHECK_STATUS(sgdplan_remote_values(net, 1, b.split, b.split + 1, NULL, &E),
                 SGDPLAN_BAD_ARGUMENT);
    CHECK(A == 77 && E == 77);
    CHECK_STATUS(sgdplan_place_contiguously(net, 1, NULL, b.split + 1, 4, worker),
                 SGDPLAN_BAD_ARGUMENT);
    CHECK_STATUS(sgdplan_place_contiguously(net, 0, b.split, b.split, 4, worker),
                 SGDPLAN_BAD_ARGUMENT);
    CHECK_STATUS(sgdplan_place_contiguously(net, 1, b.split, b.split + 1, 3, worker),
                 SGDPLAN_BAD_ARGUMENT);
    CHECK_STATUS(sgdplan_place_contiguously(net, 1, b.split, NULL, 4, worker),
                 SGDPLAN_BAD_ARGUMENT);
    b.split[0].worker = twice;
    CHECK_STATUS(sgdplan_place_contiguously(net, 1, b.split, b.split + 1, 4, worker),
                 SGDPLAN_BAD_ARGUMENT);
    CHECK(worker[0] == 77 && worker[3] == 77);
    CHECK_STATUS(sgdplan_place_costs(net, 1, b.split, b.split + 1, 4, cost),
                 SGDPLAN_BAD_ARGUMENT);
    b.split[0].worker = NULL;
    CHECK_STATUS(sgdplan_place_costs(net, 1, b.split, b.split + 1, 4, cost),
                 SGDPLAN_BAD_ARGUMENT);
    CHECK(cost[0] <= 1 && cost[0] >= 1);
}

TEST(what_is_missing_is_refused_and_every_text_is_there)
{
    small b;
    sgdplan_segment t;
    sgdplan_weights w;
    sgdplan_epoch out;
    small_net(&b);
    CHECK_STATUS(sgdplan_segment_time(NULL, 0, b.split, 0, 0, &t), SGDPLAN_BAD_ARGUMENT);
    CHECK_STATUS(sgdplan_segment_time(&b.net, 0, NULL, 0, 0, &t), SGDPLAN_BAD_ARGUMENT);
    CHECK_STATUS(sgdplan_segment_time(&b.net, 0, b.split, 0, 0, NULL), SGDPLAN_BAD_ARGUMENT);
    CHECK_STATUS(sgdplan_segment_time(&b.net, 2, b.split, 0, 0, &t), SGDPLAN_BAD_ARGUMENT);
    CHECK_STATUS(sgdplan_weight_time(&b.net, 2, &b.c, b.split, &w), SGDPLAN_BAD_ARGUMENT);
    CHECK_STATUS(sgdplan_weight_time(&b.net, 0, NULL, b.split, &w), SGDPLAN_BAD_ARGUMENT);
    b.split[0].replications = 0;
    CHECK_STATUS(sgdplan_weight_time(&b.net, 0, &b.c, b.split, &w), SGDPLAN_BAD_ARGUMENT);
    small_net(&b);
    b.c.servers = 0;
    CHECK_STATUS(sgdplan_weight_time(&b.net, 0, &b.c, b.split, &w), SGDPLAN_BAD_ARGUMENT);
    b.layer[1].n_in = 1;
    CHECK_STATUS(sgdplan_segment_time(&b.net, 0, b.split, 0, 0, &t), SGDPLAN_BAD_ARGUMENT);
    small_net(&b);
    b.c.split = NULL;
    CHECK_STATUS(sgdplan_epoch_time(&b.net, &b.c, NULL, &out, NULL), SGDPLAN_BAD_ARGUMENT);
    for (int i = 0; i < (int)SGDPLAN_LAYER_COUNT; i++)
        CHECK(sgdplan_layer_text((sgdplan_layer_kind)i));
    CHECK_TEXT(sgdplan_layer_text(SGDPLAN_LAYER_COUNT), "no such value");
    for (int i = 0; i < (int)SGDPLAN_EPOCH_PARTS; i++)
        CHECK(sgdplan_epoch_text((sgdplan_epoch_part)i));
    CHECK_TEXT(sgdplan_epoch_text(SGDPLAN_EPOCH_PARTS), "no such value");
    CHECK_TEXT(sgdplan_fault_text(SGDPLAN_FAULT_COUNT), "no such value");
    CHECK_TEXT(sgdplan_fault_text(SGDPLAN_FAULT_KIND), "unknown kind of layer");
}

TEST(strides_and_steps_of_0_are_1)
{
    sgdplan_layer layer[2];
    sgdplan_layer_size zero[2], one[2];
    layer[0] = image(SGDPLAN_LAYER_CONV, 1, 8, 2, 3, 1, 1);
    layer[1] = full(SGDPLAN_LAYER_RECURRENT, 128, 5, 1);
    CHECK_STATUS(sgdplan_layer_sizes(layer, 2, 0, one, NULL), SGDPLAN_OK);
    layer[0].stride = layer[1].steps = 0;
    CHECK_STATUS(sgdplan_layer_sizes(layer, 2, 0, zero, NULL), SGDPLAN_OK);
    CHECK(memcmp(zero, one, sizeof one) == 0);
    CHECK(one[1].own_connections == 0 && one[1].weights == 5 * 128 + 25);
}

/* Each function that looks at one layer refuses what is wrong with it or the one below. */
static void layer_1_refused(const small *b)
{
    sgdplan_segment t;
    sgdplan_split below = b->split[0], split = b->split[1];
    double cost[16] = { 77 };
    uint32_t worker[4] = { 77, 77, 77, 77 };
    uint64_t A = 77, E = 77;
    const sgdplan_status bad = SGDPLAN_BAD_ARGUMENT;
    static const uint32_t place[4] = { 0, 1, 2, 3 };
    CHECK_STATUS(sgdplan_segment_time(&b->net, 1, &split, 0, 0, &t), bad);
    CHECK_STATUS(sgdplan_segment_time(&b->net, 0, &split, 0, 0, &t), bad);
    CHECK_STATUS(sgdplan_remote_values(&b->net, 1, &below, &split, &A, &E), bad);
    CHECK_STATUS(sgdplan_place_contiguously(&b->net, 0, NULL, &split, 4, worker), bad);
    below.worker = place;
    CHECK_STATUS(sgdplan_place_contiguously(&b->net, 1, &below, &split, 4, worker), bad);
    CHECK_STATUS(sgdplan_place_costs(&b->net, 1, &below, &split, 4, cost), bad);
    CHECK(A == 77 && E == 77 && worker[0] == 77 && cost[0] > 76);
}

TEST(one_layer_is_refused_as_the_epoch_is)
{
    small b;
    small_net(&b);
    b.net.machines.bandwidth_bytes_per_s = 0;
    layer_1_refused(&b);
    epoch_refused(&b, 0, SGDPLAN_FAULT_CONSTANT);
    small_net(&b);
    b.layer[0].out.rows = 9;
    layer_1_refused(&b);
    epoch_refused(&b, 0, SGDPLAN_FAULT_ROWS);
    small_net(&b);
    b.layer[0].kernel = 0;                   /* whose outputs are still those above */
    layer_1_refused(&b);
    epoch_refused(&b, 0, SGDPLAN_FAULT_ZERO);
    small_net(&b);
    b.net.machines.latency_s.points = 2;
    b.net.machines.latency_s.at = &b.net.samples;
    layer_1_refused(&b);
    epoch_refused(&b, 0, SGDPLAN_FAULT_CONSTANT);
}

TEST(remote_values_and_places_need_all_they_take)
{
    static const uint32_t fine[4] = { 0, 1, 2, 3 }, twice[4] = { 3, 1, 0, 3 };
    small b;
    uint64_t A = 77, E = 77;
    double cost[16] = { 77 };
    uint32_t worker[4] = { 77, 77, 77, 77 };
    const sgdplan_split *s = b.split;
    const sgdplan_status bad = SGDPLAN_BAD_ARGUMENT;
    small_net(&b);
    CHECK_STATUS(sgdplan_remote_values(NULL, 1, s, s + 1, &A, &E), bad);
    CHECK_STATUS(sgdplan_remote_values(&b.net, 1, NULL, s + 1, &A, &E), bad);
    CHECK_STATUS(sgdplan_remote_values(&b.net, 1, s, s + 1, &A, NULL), bad);
    b.net.layers = 1;                        /* what is behind them is none of its layers */
    CHECK_STATUS(sgdplan_remote_values(&b.net, 1, s, s + 1, &A, &E), bad);
    b.net.layers = 2;
    b.split[0].worker = fine;
    b.split[1].worker = twice;
    CHECK_STATUS(sgdplan_remote_values(&b.net, 1, s, s + 1, &A, &E), bad);
    b.split[0].worker = twice;
    b.split[1].worker = fine;
    CHECK_STATUS(sgdplan_remote_values(&b.net, 1, s, s + 1, &A, &E), bad);
    b.split[0].worker = fine;
    CHECK_STATUS(sgdplan_place_contiguously(NULL, 1, s, s + 1, 4, worker), bad);
    CHECK_STATUS(sgdplan_place_contiguously(&b.net, 1, s, s + 1, 4, NULL), bad);
    CHECK_STATUS(sgdplan_place_costs(NULL, 1, s, s + 1, 4, cost), bad);
    CHECK_STATUS(sgdplan_place_costs(&b.net, 1, NULL, s + 1, 4, cost), bad);
    CHECK_STATUS(sgdplan_place_costs(&b.net, 1, s, NULL, 4, cost), bad);
    CHECK_STATUS(sgdplan_place_costs(&b.net, 1, s, s + 1, 4, NULL), bad);
    CHECK_STATUS(sgdplan_place_costs(&b.net, 1, s, s + 1, 3, cost), bad);
    b.split[0] = cut(2, 1, 3);
    b.split[0].worker = fine;                /* which are below 3, but not 4 segments  */
    CHECK_STATUS(sgdplan_place_costs(&b.net, 1, s, s + 1, 3, cost), bad);
    b.split[0] = cut(2, 2, 3);
    for (size_t i = 0; i < 6; i++) {                /* each pair of segments on one worker    */
        const uint32_t same[6][4] = { { 1, 1, 2, 3 }, { 1, 2, 1, 3 }, { 1, 2, 3, 1 },
                                      { 1, 2, 2, 3 }, { 1, 2, 3, 2 }, { 1, 2, 3, 3 } };
        b.split[0].worker = same[i];
        CHECK_STATUS(sgdplan_place_costs(&b.net, 1, s, s + 1, 4, cost), bad);
    }
    b.split[0].worker = fine;
    CHECK(A == 77 && E == 77 && worker[0] == 77 && cost[0] > 76);
    CHECK_STATUS(sgdplan_place_costs(&b.net, 1, s, s + 1, 4, cost), SGDPLAN_OK);
    CHECK_REL(cost[0], 64.0, 0.0);           /* 128 values, half of them on worker 0 */
}

TEST(weights_and_epochs_need_all_they_take)
{
    small b;
    sgdplan_weights w;
    sgdplan_epoch out;
    const sgdplan_status bad = SGDPLAN_BAD_ARGUMENT;
    small_net(&b);
    out.epoch_s = w.latency_s = 77;
    CHECK_STATUS(sgdplan_weight_time(NULL, 0, &b.c, b.split, &w), bad);
    CHECK_STATUS(sgdplan_weight_time(&b.net, 0, &b.c, NULL, &w), bad);
    CHECK_STATUS(sgdplan_weight_time(&b.net, 0, &b.c, b.split, NULL), bad);
    CHECK_STATUS(sgdplan_epoch_time(NULL, &b.c, NULL, &out, NULL), bad);
    CHECK_STATUS(sgdplan_epoch_time(&b.net, NULL, NULL, &out, NULL), bad);
    CHECK_STATUS(sgdplan_epoch_time(&b.net, &b.c, NULL, NULL, NULL), bad);
    CHECK_REL(out.epoch_s + w.latency_s, 154.0, 0.0);
}

TEST(the_compiled_version_and_structs_are_told)
{
    CHECK(sgdplan_version() == SGDPERF_PLAN_VERSION);
    CHECK(sgdplan_struct_bytes("sgdplan_layer") == sizeof(sgdplan_layer));
    CHECK(sgdplan_struct_bytes("sgdplan_mapping") == sizeof(sgdplan_mapping));
    CHECK(sgdplan_struct_bytes("sgdplan_none") == 0 && sgdplan_struct_bytes(NULL) == 0);
}

/* ---- Beyond a double ---- */

/* Each function refuses, and writes nothing but the refusal. */
static void too_large(const small *b, const char *which)
{
    sgdplan_segment t, t_before;
    sgdplan_weights w, w_before;
    memset(&t, 0x5A, sizeof t);
    memset(&w, 0x5A, sizeof w);
    t_before = t;
    w_before = w;
    if (strchr(which, 's'))
        CHECK_STATUS(sgdplan_segment_time(&b->net, 0, b->split, 0, 7, &t), SGDPLAN_TOO_LARGE);
    if (strchr(which, 'w'))
        CHECK_STATUS(sgdplan_weight_time(&b->net, 0, &b->c, b->split, &w), SGDPLAN_TOO_LARGE);
    CHECK(memcmp(&t, &t_before, sizeof t) == 0 && memcmp(&w, &w_before, sizeof w) == 0);
    epoch_refused(b, 0, SGDPLAN_FAULT_TIME);
}

TEST(times_beyond_a_double_are_refused)
{
    const double at[2] = { 2, 4 }, value[2] = { 1, 1e308 };
    small b;
    small_net(&b);
    b.net.machines.connection_s.number = 1e308;        /* inf */
    too_large(&b, "s");
    b.split[0].threads = b.split[1].threads = 1;
    too_large(&b, "s");
    small_net(&b);
    b.net.machines.bandwidth_bytes_per_s = 1e-300;     /* 0 * inf, of the mix */
    b.net.machines.value_bytes = 1.25e19;
    too_large(&b, "sw");
    b.net.variants.mix = 1;
    too_large(&b, "sw");
    small_net(&b);
    b.net.machines.bandwidth_bytes_per_s = 5e-324;     /* no thread has any */
    too_large(&b, "sw");
    small_net(&b);
    b.net.machines.interference.points = 2;
    b.net.machines.interference.at = at;
    b.net.machines.interference.value = value;
    b.net.machines.connection_s.number = 1;
    too_large(&b, "s");
    small_net(&b);
    b.net.machines.latency_s.number = 1e308;           /* of 100 reads */
    too_large(&b, "w");
    small_net(&b);
    b.net.write_samples = 1e-308;
    too_large(&b, "w");
    small_net(&b);
    b.net.samples = 1e308;
    b.net.read_samples = 1e-300;
    too_large(&b, "w");
    small_net(&b);                                     /* the parts fit, their sum not */
    b.net.machines.activation_s = b.net.machines.error_s = 1e305;
    too_large(&b, "");
}

/* Points so far apart that their quotient is more than a double, or as near as can be. */
TEST(a_table_of_any_points_gives_a_number_between_its_values)
{
    const double far_at[2] = { 1e-300, 1e300 }, value[2] = { 1e-9, 3e-9 };
    double near_at[2] = { 0, 16 };
    sgdplan_split s = cut(1, 1, 1);
    sgdplan_segment t;
    small b;
    small_net(&b);
    b.net.machines.connection_s.points = 2;
    b.net.machines.connection_s.at = far_at;
    b.net.machines.connection_s.value = value;
    CHECK_STATUS(sgdplan_segment_time(&b.net, 1, &s, 0, 0, &t), SGDPLAN_OK);
    CHECK_REL(t.update_s, 640e-9 * (2 + log(2560) / log(1e300)), 1e-12);
    near_at[1] = 2560;                                 /* bytes of 640 weights */
    near_at[0] = nextafter(2560, 0);
    b.net.machines.connection_s.at = near_at;
    CHECK_STATUS(sgdplan_segment_time(&b.net, 1, &s, 0, 0, &t), SGDPLAN_OK);
    CHECK_REL(t.update_s, 640 * 3e-9, 1e-15);
}

static void check_layers_are_finite(const sgdplan_job *net, const sgdplan_configuration *c,
                                    const sgdplan_split *split)
{
    sgdplan_segment t;
    sgdplan_weights w;
    for (size_t l = 0; l < net->layers; l++) {
        if (sgdplan_segment_time(net, l, split + l, draw(9), draw(9), &t) == SGDPLAN_OK)
            CHECK(t.forward_s <= DBL_MAX && t.activations_s <= DBL_MAX
                  && t.backward_s <= DBL_MAX && t.errors_s <= DBL_MAX
                  && t.update_s <= DBL_MAX);
        if (sgdplan_weight_time(net, l, c, split + l, &w) == SGDPLAN_OK)
            CHECK(w.latency_s <= DBL_MAX && w.transfer_s <= DBL_MAX && w.write_s <= DBL_MAX);
    }
}

TEST(whatever_is_answered_is_finite)
{
    static sgdplan_layer layer[LAYERS];
    size_t trial, answered = 0, refused = 0;
    for (trial = 0; trial < TEST_SIZE(1500, 100000); trial++) {
        sgdplan_job net = model(layer, random_network(layer, 4));
        const uint32_t workers = 1 + draw(6);
        sgdplan_split split[LAYERS];
        sgdplan_configuration c = cluster(1 + draw(9), 1 + draw(4), workers, split);
        sgdplan_machines *m = &net.machines;
        double at[2], value[2];
        sgdplan_epoch by_layer[LAYERS], sum;
        at[0] = any_size(2);
        at[1] = at[0] * (1 + uniform(0, 1)) + any_size(4);
        value[0] = any_size(1e-9);
        value[1] = any_size(3e-9);
        for (size_t i = 0; i < 3; i++) {
            sgdplan_constant *const table[3] = { &m->connection_s, &m->interference,
                                                 &m->latency_s };
            table[i]->number = any_size(table[i]->number);
            table[i]->points = draw(2) ? 2 : 0;
            table[i]->at = at;
            table[i]->value = value;
        }
        m->activation_s = any_size(m->activation_s);
        m->error_s = any_size(m->error_s);
        m->bandwidth_bytes_per_s = any_size(m->bandwidth_bytes_per_s);
        m->value_bytes = any_size(4);
        net.samples = any_size(net.samples);
        net.read_samples = uniform(0, 1) * net.samples;
        net.write_samples = any_size(0);
        net.variants.mix = draw(3) / 2.0;
        random_splits(layer, net.layers, workers, split);
        check_layers_are_finite(&net, &c, split);
        if (sgdplan_epoch_time(&net, &c, by_layer, &sum, NULL) != SGDPLAN_OK) {
            refused++;
            continue;
        }
        answered++;
        CHECK(sum.epoch_s >= 0 && sum.epoch_s <= DBL_MAX);
        for (size_t l = 0; l < net.layers; l++)
            for (size_t i = 0; i < SGDPLAN_EPOCH_PARTS; i++)
                CHECK(by_layer[l].part_s[i] >= 0 && by_layer[l].part_s[i] <= DBL_MAX);
    }
    CHECK(answered > trial / 20 && refused > trial / 20);
}

/* A of three layers is 2^62 each and more: their sum is no 64 bits. */
TEST(sums_of_remote_values_beyond_64_bits_are_refused)
{
    enum { MANY = 9 };
    static sgdplan_layer layer[MANY];
    static sgdplan_split split[MANY];
    sgdplan_job net = model(layer, MANY);
    const sgdplan_configuration c = cluster(1, 1, 2, split);
    sgdplan_refusal refusal = { SGDPLAN_FAULT_NONE, 9, 9 };
    sgdplan_epoch out;
    for (size_t l = 0; l < MANY; l++) {
        sgdplan_layer z = image(SGDPLAN_LAYER_POOL, 4294967295u, 2, 4294967295u, 1, 1, 0);
        z.in.columns = z.out.columns = 1u << 28;                   /* 2^61 values */
        layer[l] = z;
        split[l] = l % 2 ? cut(2, 1, 1) : cut(1, 1, 1);
    }
    CHECK_STATUS(sgdplan_epoch_time(&net, &c, NULL, &out, NULL), SGDPLAN_OK);
    for (size_t l = 0; l < MANY; l++) {                       /* all on the other worker */
        static const uint32_t places[2][1] = { { 0 }, { 1 } };
        split[l] = cut(1, 1, 1);
        split[l].worker = places[l % 2];
    }
    CHECK_STATUS(sgdplan_epoch_time(&net, &c, NULL, &out, &refusal), SGDPLAN_TOO_LARGE);
    CHECK(refusal.reason == SGDPLAN_FAULT_LARGE && refusal.layer == 0);
}

/* A window of 5 rows, in parts of 3 rows, of which the middle one reads 2 on either side: a
 * stride of 0 reads what one of 1 does. */
TEST(remote_values_of_a_stride_of_0_are_those_of_1)
{
    static sgdplan_layer layer[2];
    sgdplan_job net = model(layer, 2);
    const sgdplan_split below = cut(3, 1, 1), s = cut(3, 1, 1);
    uint64_t activations[2], errors[2];
    layer[0] = image(SGDPLAN_LAYER_CONV, 1, 9, 2, 3, 1, 1);
    layer[1] = image(SGDPLAN_LAYER_CONV, 2, 9, 2, 5, 1, 2);
    for (uint32_t stride = 0; stride < 2; stride++) {
        layer[1].stride = stride;
        CHECK_STATUS(sgdplan_remote_values(&net, 1, &below, &s, activations + stride,
                                           errors + stride), SGDPLAN_OK);
    }
    CHECK(activations[0] == activations[1] && errors[0] == errors[1]);
    CHECK(activations[1] == 4 * 9 * 2 && errors[1] == 4 * 9 * 2);
}

/* Halves of one layer have nothing to send, however long a value takes. */
TEST(what_sends_nothing_does_not_wait_for_the_network)
{
    static sgdplan_layer layer[1];
    sgdplan_job net = model(layer, 1);
    const sgdplan_split s = cut(2, 1, 1);
    sgdplan_segment t;
    layer[0] = full(SGDPLAN_LAYER_FC, 6, 4, 0);
    net.machines.bandwidth_bytes_per_s = 1e-308;       /* 4e308 s a value */
    CHECK_STATUS(sgdplan_segment_time(&net, 0, &s, 0, 0, &t), SGDPLAN_OK);
    CHECK_REL(t.activations_s + t.errors_s, 0.0, 0.0);
}

/* Nothing behind a table is read. */
TEST(a_table_of_one_thread_slows_nothing_down)
{
    static const double at[3] = { 1.0, 0.5, 2.0 }, value[3] = { 3.0, 5.0, 7.0 };
    static sgdplan_layer layer[1];
    sgdplan_job net = model(layer, 1);
    sgdplan_segment plain, slowed;
    const sgdplan_split s = cut(1, 1, 4);
    layer[0] = full(SGDPLAN_LAYER_FC, 6, 4, 0);
    CHECK_STATUS(sgdplan_segment_time(&net, 0, &s, 0, 0, &plain), SGDPLAN_OK);
    net.machines.interference.at = at;
    net.machines.interference.value = value;
    net.machines.interference.points = 1;
    CHECK_STATUS(sgdplan_segment_time(&net, 0, &s, 0, 0, &slowed), SGDPLAN_OK);
    CHECK_REL(slowed.forward_s, plain.forward_s, 0.0);
    CHECK_REL(slowed.backward_s, plain.backward_s, 0.0);
}

TEST_MAIN("test_layerwise");
