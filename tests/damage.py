#!/usr/bin/env python3
"""damage.py - damaged copies of a file

    damage.py FILE PLACES PREFIX

Writes PREFIX-cut-0, PREFIX-cut-1 and so on, each at another of so many places of the file: cut
there; a control character in place of a byte; without the comma, or byte of a binary file,
that comes next; and once with a million brackets, or messages in one another.
"""
import sys

path, places, prefix = sys.argv[1], int(sys.argv[2]), sys.argv[3]
data = open(path, 'rb').read()
binary = any(byte < 32 and byte not in b'\t\r\n' for byte in data)


def varint(value):
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out) + bytes([value])


def nested(depth):
    """A message in a message: built from the innermost one's end, backwards."""
    parts, length = [], 0
    for _ in range(depth):
        head = b'\x0a' + varint(length)
        parts.append(head)
        length += len(head)
    return b''.join(reversed(parts))


def write(kind, number, content):
    with open('%s-%s-%d' % (prefix, kind, number), 'wb') as file:
        file.write(content)


for i in range(places):
    at = (i + 1) * len(data) // (places + 1)
    write('cut', i, data[:at])
    write('control', i, data[:at] + bytes([(1, 0, 27, 127)[i % 4]]) + data[at + 1:])
    comma = at if binary else data.find(b',', at)
    if comma >= 0:
        write('comma', i, data[:comma] + data[comma + 1:])
half = len(data) // 2
if binary:
    write('deep', 0, data + nested(1000000))
    write('deep', 1, nested(1000000))
else:
    at = max(data.find(b': ', half), data.find(b',', half)) + 1
    write('deep', 0, data[:at] + b'[' * 1000000 + data[at:])
    write('deep', 1, data[:at] + b'[' * 1000000 + b']' * 1000000 + data[at:])
