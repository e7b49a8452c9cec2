#!/bin/sh
# The page in headless Chromium: its digits are the program's, its files are read by the
# program's importers, its sliders answer in 50 ms, keys and screen readers reach all of it,
# and it loads nothing. The page is built anew, and the one in web/ must print the same.
set -u
BUILD=${BUILD:-build}
program=${SGDPERF:-$BUILD/sgdperf}

skip() {
    echo "skipped: the page, $1"
    echo "web: 0 passed, 0 failed"
    exit 0
}

for name in chromium chromium-browser google-chrome none; do
    command -v "$name" > /dev/null 2>&1 && break
done
[ "$name" != none ] || skip "no chromium"
command -v python3 > /dev/null || skip "no python3"
mkdir -p "$BUILD/page"
printf '#include <stdio.h>\nint main(void) { return puts(""); }\n' > "$BUILD/page/probe.c"
${WASM_CC:-clang --target=wasm32-wasi} -o "$BUILD/page/probe.wasm" "$BUILD/page/probe.c" \
    > /dev/null 2>&1 || skip "no compiler for wasm32-wasi (clang, lld, wasi-libc, libclang-rt)"

env -u MAKEFLAGS -u MFLAGS make -s BUILD="$BUILD" "$BUILD/page/index.html" || {
    echo "failed: the page cannot be built"
    echo "web: 0 passed, 1 failed"
    exit 1
}
python3 tests/web/check.py "$BUILD/page/index.html" "$program" > "$BUILD/page/log" 2>&1
whole=$?
cat "$BUILD/page/log"
[ -f web/index.html ] || exit "$whole"
python3 tests/web/check.py web/index.html "$program" --digits > "$BUILD/page/log.web" 2>&1 ||
    echo "failed: web/index.html prints other digits than the program: make page"
cat "$BUILD/page/log" "$BUILD/page/log.web" |
    awk '/^web: / { passed += $2; failed += $4; n++ }
        END { printf "web: %d passed, %d failed\n", passed, failed + 2 - n
              exit failed + 2 - n > 0 }'
