#!/bin/sh
# The Python package, installed by pip from the checkout into an environment of its own, and
# its tests there. Needs what the package needs: cffi, NumPy, setuptools, pip. SGDPERF names the
# program that import_trace, cluster and plot call.
set -u
source=$PWD
at=$(mktemp -d) || exit 1
trap 'rm -rf "$at"' EXIT

# The first python3 that has all of it.
python=
for each in python3 /usr/bin/python3; do
    "$each" -c 'import cffi, numpy, setuptools, pip, venv' 2> /dev/null && python=$each && break
done
if [ -z "$python" ]; then
    echo 'skipped: no python3 with cffi, numpy, setuptools, pip and venv'
    echo 'python: 0 passed, 0 failed'
    exit 0
fi

# Built from a copy, so that nothing is left in the checkout.
mkdir -p "$at/copy/bindings" "$at/copy/lib"
cp "$source"/sgdperf*.h "$at/copy" && cp "$source"/lib/sgdperf.c "$at/copy/lib" &&
    cp -r "$source/bindings/python" "$at/copy/bindings" &&
    rm -rf "$at/copy/bindings/python/build" &&
    "$python" -m venv --system-site-packages "$at/venv" &&
    CFLAGS="-O0 -g0" "$at/venv/bin/pip" install -q "$at/copy/bindings/python" > "$at/log" 2>&1 || {
    tail -n 20 "$at/log"
    echo 'python: 0 passed, 1 failed'
    exit 1
}
# The blocks of the page, and what it says that they print. The last one needs the program.
blocks=1 wanted='10.64 uplink 3 1 4 '
[ -x "${SGDPERF:-}" ] && blocks=2 wanted='10.64 uplink hell equal 3 1 4 '
awk -v blocks="$blocks" '/^```python/ { on = ++block <= blocks; next } /^```/ { on = 0 } on' \
    "$source/docs/embedding.md" > "$at/page.py"
echo 'print(*nodes)' >> "$at/page.py"
# Elsewhere than the sources, which the installed package must not need.
cd "$at" || exit 1
"$at/venv/bin/python" -m unittest discover -s "$source/tests/python" > "$at/log" 2>&1
failures=$?
ran=$(sed -n 's/^Ran \([0-9]*\) tests.*/\1/p' "$at/log")
failed=$(grep -cE '^(FAIL|ERROR): ' "$at/log")
shown=$("$at/venv/bin/python" "$at/page.py" 2>&1 | tr '\n' ' ')
ran=$((${ran:-0} + 1))
# Whoever checks types is told of fields and arguments that are none, and of these alone.
if command -v mypy > /dev/null; then
    cat > wrong.py << 'END'
import sgdperf
job = sgdperf.Job(compute=sgdperf.Compute(forward_s=0.02), model_bytes=1e6)
job.compute.update_s = sgdperf.predict(job, sgdperf.Model.SYNC_PS, 2).step_s
job = sgdperf.Job(forward_s=0.02)
job.compute = sgdperf.Compute(forward_s="x")
print(job.predicted)
job.predicted = 1.0
END
    mypy --no-incremental --python-executable venv/bin/python wrong.py > types 2>&1
    ran=$((ran + 1))
    [ "$(sed -n 's/^wrong.py:\([0-9]*\): error.*/\1/p' types | tr '\n' ' ')" = '4 5 6 7 ' ] ||
        { failed=$((failed + 1)) failures=1; cat types; }
    # The package itself and the block of the page have no fault of types.
    ran=$((ran + 1))
    mypy --no-incremental --python-executable venv/bin/python -p sgdperf > types 2>&1 &&
        mypy --no-incremental --python-executable venv/bin/python page.py > types 2>&1 ||
        { failed=$((failed + 1)) failures=1; cat types; }
fi
[ "$shown" = "$wanted" ] || { failed=$((failed + 1)) failures=1; echo "$shown"; }
[ "$failures" -eq 0 ] && [ "$ran" -gt 1 ] || { cat "$at/log"; [ "$failed" -gt 0 ] || failed=1; }
echo "python: $((${ran:-0} - failed)) passed, $failed failed"
[ "$failed" -eq 0 ]
