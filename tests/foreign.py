#!/usr/bin/env python3
"""foreign.py - samples of formats that sgdperf import reads, by a writer of their own

    foreign.py KIND...        # each to a file of that name

No library of Protocol Buffers: the bytes are those of its public description.
"""
import json
import struct
import sys


def varint(value):
    value &= (1 << 64) - 1
    out = b''
    while True:
        byte = value & 127
        value >>= 7
        if value == 0:
            return out + bytes([byte])
        out += bytes([byte | 128])


def number(field, value):
    return varint(field << 3) + varint(value)


def data(field, value):
    value = value.encode() if isinstance(value, str) else value
    return varint(field << 3 | 2) + varint(len(value)) + value


def frame(message):
    return varint(len(message)) + message


# ---- Chakra ------------------------------------------------------------------------

COMPUTE, SEND, RECEIVE, COLLECTIVE = 4, 5, 6, 7

# id, name, type, is it the processor's, microseconds, bytes, what it waits for: the processor
# runs 0 to 15, the accelerator 10 to 37 and 60 to 64, the network 30 to 60.
GRAPH = [
    (101, 'launch', COMPUTE, 1, 10, 0, []),
    (102, 'more launches', COMPUTE, 1, 5, 0, [101]),
    (205, 'backward, "last"', COMPUTE, 0, 20, 0, [101]),
    (301, 'ncclKernel_AllReduce_RING_LL_Sum_float', COLLECTIVE, 0, 30, 1000000, [205]),
    (206, 'backward', COMPUTE, 0, 7, 0, [205]),
    (207, 'update', COMPUTE, 0, 4, 0, [206, 301]),
]


def attribute(name, kind, value):
    """A number as any of the kinds that it can have."""
    body = data(1, name)
    if kind == 'double':
        body += varint(3 << 3 | 1) + struct.pack('<d', value)
    elif kind == 'float':
        body += varint(5 << 3 | 5) + struct.pack('<f', value)
    elif kind == 'sint64':
        body += number(17, value << 1)
    elif kind == 'fixed64':
        body += varint(21 << 3 | 1) + struct.pack('<Q', value)
    elif kind == 'sfixed32':
        body += varint(23 << 3 | 5) + struct.pack('<i', value)
    else:
        body += number({'int32': 7, 'int64': 9, 'uint64': 13, 'bool': 27}[kind], value)
    return data(10, body)


def chakra_node(node, kind, unpacked=False):
    identity, name, type_, cpu, micros, size, waits = node
    body = number(1, identity) + data(2, name) + number(3, type_)
    body += data(8, data(1, 'x' * 300))             # inputs, which nobody wants
    if unpacked:
        body += b''.join(number(5, w) for w in waits)
    elif waits:
        body += data(5, b''.join(varint(w) for w in waits))
    body += number(7, micros) + attribute('is_cpu_op', 'bool', cpu)
    body += data(10, data(1, 'op_schema') + data(29, 'aten::x(Tensor) -> Tensor'))
    if type_ != COMPUTE:
        body += attribute('comm_type', 'int64', 0) + attribute('comm_size', kind, size)
    return body


def chakra(graph, kind='int64', unpacked=False):
    return frame(data(1, '0.0.4')) + b''.join(
        frame(chakra_node(node, kind, unpacked)) for node in graph)


def chakra_json(graph):
    nodes = [{'Id': i, 'Name': n, 'NodeType': t, 'data_deps': w, 'runtime': us,
              'is_cpu_op': bool(cpu), 'comm_type': 0, 'comm_size': size}
             for i, n, t, cpu, us, size, w in graph]
    return json.dumps({'workload_graph': nodes, 'ngpus': 2}, indent=1).encode()


def changed(place, **what):
    """The graph with one node changed."""
    keys = ['id', 'name', 'type', 'cpu', 'us', 'bytes', 'waits']
    graph = list(GRAPH)
    node = dict(zip(keys, graph[place]), **what)
    graph[place] = tuple(node[k] for k in keys)
    return graph


# ---- TensorFlow --------------------------------------------------------------------

WORKER = '/job:worker/replica:0/task:0/device:CPU:0'
SERVER = '/job:ps/replica:0/task:0/device:CPU:0'

# device, node, op, inputs, start and end in ms; of a transfer tensor and bytes. 100 MB/s: the
# downloads end at 10 and 50, the uploads run from 90 to 130 and to 140, the step ends at 145.
STEP = [
    (WORKER, '_SOURCE', 'NoOp', [], 0, 0),
    (SERVER, '_SOURCE', 'NoOp', [], 0, 0),
    (SERVER, 'conv/read', 'Identity', [], 0, 0),
    (SERVER, 'fc/read', 'Identity', [], 0, 0),
    (WORKER, 'RecvTensor', '', 'conv/read', 0, 10, 1000000),
    (WORKER, 'RecvTensor', '', 'fc/read', 0, 50, 4000000),
    (WORKER, 'conv/forward', 'Conv2D', ['images', 'conv/read/_3'], 10, 30),
    (WORKER, 'fc/forward', 'MatMul', ['conv/forward', 'fc/read_S5'], 50, 70),
    (WORKER, 'fc/backward', 'MatMul', ['fc/forward:1', '^conv/forward'], 70, 90),
    (WORKER, 'conv/backward', 'Conv2DBackpropFilter', ['fc/backward'], 90, 120),
    (SERVER, 'RecvTensor', '', 'fc/backward', 0, 130, 4000000),
    (SERVER, 'RecvTensor', '', 'conv/backward', 0, 140, 1000000),
    (SERVER, 'fc/apply', 'ApplyGradientDescent', ['fc/read', 'fc/backward/_7'], 130, 135),
    (SERVER, 'conv/apply', 'ApplyGradientDescent', ['conv/read', 'conv/backward/_9'], 140, 145),
]
# The same with 2 ms of parsing behind each transfer.
LATE = {'RecvTensor': (0, 2), 'conv/forward': (2, 0), 'fc/forward': (2, 0), 'fc/apply': (2, 2),
        'conv/apply': (2, 2)}
EPOCH = 1490280136435393


def start_of(event, skew_ms):
    return EPOCH + int(1000 * (event[4] + (skew_ms if event[0] == SERVER else 0)))


def stats(steps=STEP, skew_ms=0):
    devices = {}
    for event in steps:
        device, node, op, inputs, begin, end = event[:6]
        body = data(1, node) + number(2, start_of(event, skew_ms))
        span = int(1000 * (end - begin))
        body += number(4, span) + number(5, span)
        if node == 'RecvTensor':
            source, target = (SERVER, WORKER) if device == WORKER else (WORKER, SERVER)
            body += data(8, '[%dB] [1.0Mb/s] edge_7_%s from %s to %s'
                         % (event[6], inputs, source, target))
            body += data(7, number(1, 0) + data(3, number(1, 1) + data(4, number(1, event[6]))))
        else:
            body += data(8, '[cpu 0.1MB 0.1MB] %s = %s(%s)' % (node, op, ', '.join(inputs)))
        devices[device] = devices.get(device, b'') + data(2, body)
    return b''.join(data(1, data(1, name) + body) for name, body in devices.items())


def stats_text():
    """The same as text."""
    def text(value):
        return '"%s"' % value.replace('\\', '\\\\').replace('"', '\\"')
    devices = {WORKER: '', SERVER: ''}
    for event in STEP:
        device, node, op, inputs, begin, end = event[:6]
        body = 'node_name: %s\n all_start_micros: %d\n all_end_rel_micros: %d\n' % (
            text(node), start_of(event, 0), int(1000 * (end - begin)))
        if node == 'RecvTensor':
            source, target = (SERVER, WORKER) if device == WORKER else (WORKER, SERVER)
            body += 'timeline_label: %s output { slot: 1 tensor_description { dtype: DT_FLOAT ' \
                    'allocation_description { requested_bytes: %d } } }\n' % (
                        text('[9B] edge_7_%s from %s to %s' % (inputs, source, target)), event[6])
        else:
            body += 'timeline_label: %s\n memory { allocator_name: "cpu" }' % text(
                '%s = %s(%s)' % (node, op, ', '.join(inputs)))
        devices[device] += 'node_stats {\n %s\n}\n' % body
    return ('step_stats {\n' + ''.join('dev_stats {\n device: %s\n%s}\n' % (text(name), body)
                                       for name, body in devices.items()) +
            '}\npartition_graphs { node { name: "a" op: "b" } } # the rest\n').encode()


def timeline(memory, repeats=1):
    pids = {WORKER: 1, SERVER: 3}
    events = [{'ph': 'M', 'name': 'process_name', 'pid': 0, 'args': {'name': 'Allocators'}}]
    for name, pid in pids.items():
        for at, what in (0, ' Compute'), (1, ' Tensors'):
            events.append({'ph': 'M', 'name': 'process_name', 'pid': pid + at,
                           'args': {'name': name + what}})
    for repeat in range(repeats):
        for lane, event in enumerate(STEP):
            device, node, op, inputs, begin, end = event[:6]
            start, pid = start_of(event, 0) + repeat * 200000, pids[device]
            span, op = int(1000 * (end - begin)), op or node
            args = {'name': node, 'op': op}
            if node == 'RecvTensor':
                if memory:
                    events.append({
                        'ph': 'O', 'cat': 'Tensor', 'name': node, 'pid': pid + 1, 'tid': lane,
                        'ts': start + span - 1, 'id': lane, 'args': {'snapshot': {
                            'tensor_description': 'dtype: DT_FLOAT\nallocation_description {\n'
                                                  '  requested_bytes: %d\n}\n' % event[6]}}})
            else:
                for i, name in enumerate(inputs):
                    args['input%d' % i] = name
            events.append({'ph': 'X', 'cat': 'Op', 'name': op, 'pid': pid, 'tid': lane,
                           'ts': start, 'dur': span, 'args': args})
    return json.dumps({'traceEvents': events}).encode()


def trace():
    """Of TensorFlow 2: two steps of 10 ms, a collective behind each kernel's first half."""
    events = [{'ph': 'M', 'pid': 1, 'name': 'process_name', 'args': {'name': '/device:GPU:0'}},
              {'ph': 'M', 'pid': 9, 'name': 'process_name', 'args': {'name': '/host:CPU'}}]
    for tid, name in (1, 'Steps'), (2, 'stream #13(Compute)'), (3, 'stream #14(NCCL)'), \
                     (4, 'TensorFlow Ops'):
        events.append({'ph': 'M', 'pid': 1, 'tid': tid, 'name': 'thread_name',
                       'args': {'name': name}})
    for step in range(2):
        for tid, name, begin, span in (1, str(step), 0, 10000), (2, 'sgemm', 1000, 6000), \
                                      (3, 'ncclKernel_AllReduce_RING_LL', 4000, 5000), \
                                      (4, 'MatMul', 1000, 6000):
            events.append({'ph': 'X', 'pid': 1, 'tid': tid, 'name': name, 'dur': span,
                           'ts': 50000.5 + 12000 * step + begin, 'args': {}})
    return json.dumps({'displayTimeUnit': 'ns', 'traceEvents': events}).encode()


def xspace(lacks=(), host_op='train'):
    """The same, as the file that TensorFlow 2 and JAX write: an idle accelerator before it."""
    def event(kind, begin_us, span_us):
        return data(4, number(1, kind) + number(2, int(begin_us * 1e6)) +
                    number(3, int(span_us * 1e6)))

    def line(tid, name, start_us, events):
        if name in lacks:
            return b''
        return data(3, number(1, tid) + data(2, name) +
                    number(3, 1700000000000000000 + int(start_us * 1000)) + b''.join(events))

    def kind(number_, name, title=''):
        return data(4, number(1, number_) + data(2, number(1, number_) + data(2, name) +
                                                 (data(4, title) if title else b'')))
    steps, kernels, exchanges, ops = [], [], [], []
    for step in range(2):
        at = 12000 * step
        steps.append(event(10 + step, at, 10000))
        kernels.append(event(3, at + 1000, 6000))
        exchanges.append(event(4, at + 4000 - 500, 5000))
        ops.append(event(5, at + 1000, 6000))
    names = [kind(10, '0'), kind(11, '1'), kind(3, 'void sgemm<128>(...)', 'sgemm'),
             kind(4, 'ncclKernel_AllReduce_RING_LL'), kind(5, 'MatMul')]
    host = data(2, '/host:CPU') + line(1, 'python3', 0, [event(1, 0, 9e6)]) + kind(1, host_op)
    idle = number(1, 2) + data(2, '/device:GPU:0')
    busy = number(1, 3) + data(2, '/device:GPU:1') + line(1, 'Steps', 0, steps) + \
        line(2, 'Stream #13(Compute)', 0, kernels) + line(3, 'Stream #14(NCCL)', 500, exchanges) + \
        line(4, 'TensorFlow Ops', 0, ops) + b''.join(names)
    return data(1, host) + data(1, idle) + data(1, busy) + data(4, 'host:6003')


# ---- Others ------------------------------------------------------------------------

def kineto():
    """Two steps of 100 ms: two kernels, an all-reduce, and what launched them."""
    events = []

    def event(category, name, start, span, **args):
        events.append({'ph': 'X', 'cat': category, 'name': name, 'pid': 1, 'tid': 7,
                       'ts': 5e9 + 1000 * start, 'dur': 1000 * span, 'args': args})
    for step in range(2):
        at = 100 * step
        event('user_annotation', 'ProfilerStep#%d' % (step + 4), at, 100)
        for k, (name, start, span, args) in enumerate([
                ('gemm', 10, 20, {}), ('relu', 35, 20, {}),
                ('ncclKernel_AllReduce_RING_LL_Sum_float(int)', 50, 25,
                 {'Collective name': 'allreduce', 'In msg nelems': 1000000, 'dtype': 'Float',
                  'Group size': 2, 'Process Group Ranks': '[0, 1]'})]):
            event('cuda_runtime', 'cudaLaunchKernel', at + start - 1, 0.01,
                  correlation=10 * step + k)
            event('kernel', name, at + start, span, correlation=10 * step + k, stream=7, **args)
    return json.dumps({'schemaVersion': 1, 'distributedInfo': {
        'backend': 'nccl', 'rank': 0, 'world_size': 2}, 'traceEvents': events},
        indent=1).encode()


def pipedream():
    node = 'node%d -- %s -- forward_compute_time=%.3f, backward_compute_time=%.3f, ' \
           'activation_size=%s, parameter_size=%.3f\n'
    text = node % (1, 'Input0', 0, 0, '4.0', 0)
    for i in range(2, 9):
        text += node % (i, 'Conv2d(3, %d, kernel_size=(3, 3))' % i, 4.5 * i, 7.25,
                        '[44.0; 2.0]' if i % 2 else '1024.000', 1000000 + i)
    return (text + ''.join('\tnode%d -- node%d\n' % (i, i + 1) for i in range(1, 8))).encode()


def transfers():
    rows = ['step,phase,start_s,end_s,bytes,server']
    for step in range(8):
        at = 0.5625 * step
        rows.append('%d,downlink,%r,%r,4000000,0' % (step, at, at + 0.125))
        rows.append('%d,uplink,%r,%r,4000000,0' % (step, at + 0.375, at + 0.5))
    return ('\n'.join(rows) + '\n').encode()


def own():
    text = 'step,op,resource,server,duration_s,bytes,waits_for,name\n'
    for step in range(4):
        text += ('%(s)d,0,downlink,0,,1000000,,"weights, all"\n%(s)d,1,worker,0,0.5,,0,forward\n'
                 '%(s)d,2,worker,0,1.25,,1,backward\n%(s)d,3,uplink,0,,1000000,2,gradients\n'
                 '%(s)d,4,server,0,0.0625,,3,update\n') % {'s': step}
    return text.encode()


KINDS = {
    'chakra': lambda: chakra(GRAPH),
    'chakra-double': lambda: chakra(GRAPH, 'double'),
    'chakra-float': lambda: chakra(GRAPH, 'float', True),
    'chakra-sint64': lambda: chakra(GRAPH, 'sint64'),
    'chakra-fixed64': lambda: chakra(GRAPH, 'fixed64'),
    'chakra-sfixed32': lambda: chakra(GRAPH, 'sfixed32'),
    'chakra-json': lambda: chakra_json(GRAPH),
    'chakra-cycle': lambda: chakra(changed(0, waits=[207])),
    'chakra-itself': lambda: chakra(changed(2, waits=[205])),
    'chakra-twice': lambda: chakra(changed(2, id=101)),
    'chakra-missing': lambda: chakra(changed(2, waits=[101, 999])),
    'chakra-negative': lambda: chakra(changed(3, bytes=-5)),
    'chakra-long': lambda: frame(data(1, '0.0.4')) + frame(chakra_node(GRAPH[0], 'int64'))
    + varint(1 << 62) + b'abc',
    'stats': stats,
    'metadata': lambda: data(1, stats()) + data(2, b'\x08\x01' * 1000),
    'stats-skewed': lambda: stats(skew_ms=3600000),
    'stats-late': lambda: stats([e[:4] + (e[4] + LATE.get(e[1], (0, 0))[0],
                                          e[5] + LATE.get(e[1], (0, 0))[1]) + e[6:]
                                 for e in STEP]),
    'stats-text': stats_text,
    'stats-worker': lambda: stats([e for e in STEP if e[0] == WORKER]),
    'timeline': lambda: timeline(False),
    'timeline-memory': lambda: timeline(True),
    'timeline-steps': lambda: timeline(True, 3),
    'timeline-long': lambda: json.dumps({'traceEvents': [
        e for e in json.loads(timeline(True, 10000))['traceEvents']
        if e['args'].get('name') != '_SOURCE']}).encode(),
    'trace': trace,
    'xspace': xspace,
    'xspace-nosteps': lambda: xspace(['Steps']),
    'xspace-idle': lambda: xspace(['Stream #13(Compute)', 'Stream #14(NCCL)']),
    'xspace-nccl': lambda: xspace([], 'CollectiveReduceV2:CollectiveReduceV2'),
    'xspace-grpc': lambda: xspace(['Stream #14(NCCL)'], 'CollectiveReduceV2:CollectiveReduceV2'),
    'kineto': kineto,
    'pipedream': pipedream,
    'transfers': transfers,
    'own': own,
}

if __name__ == '__main__':
    for kind in sys.argv[1:]:
        with open(kind, 'wb') as file:
            file.write(KINDS[kind]())
