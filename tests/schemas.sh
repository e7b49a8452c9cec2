#!/bin/sh
# tests/schemas.py with a python3 that has what it needs; status 77 where there is none.
for python in python3 /usr/bin/python3; do
    "$python" "$(dirname "$0")/schemas.py" "$@" 2>&1 < /dev/null
    status=$?
    case $status in 77 | 126 | 127) ;; *) exit "$status" ;; esac
done
exit 77
