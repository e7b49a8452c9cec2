#!/bin/sh
# Records the groups of grpc.csv, and prints them: record.sh NODE. The windows differ from one
# connection to the next, as gRPC measures the link anew. Takes four minutes.
set -eu
here=$(dirname "$0")
record() { python3 "$here/record.py" --node "$1" --name "$2" --seed "$3" $4; }
record "$1" grpc-a 1 '--warmup 5'
record "$1" grpc-b 2 '--warmup 5 --append'
record "$1" grpc-half 4 '--warmup 4 --bandwidth 5.88425e7 --append'
record "$1" grpc-late 5 '--warmup 5 --gap 0.03 --append'
record "$1" grpc-transformer 6 '--warmup 10 --network transformer --append'
