#!/bin/sh
# Writes tools/files/bands.def, the bands that predict prints, or checks it.
#
#     sh validation/bands.sh          writes the file; build the program again then
#     sh validation/bands.sh check    status 1 unless the rows shipped give the same bands
#
# The bands are what `sgdperf validate --coverage` prints of validation/datasets, rounded up. Class layered
# has none: predict knows no layers there. Runs in the root of the repository; the program is
# $SGDPERF, or sgdperf in $BUILD (build).
set -u
file=tools/files/bands.def
fresh=$(mktemp) || exit 2
trap 'rm -f "$fresh"' EXIT

{
    cat <<'END'
/* bands.def - BAND(class, low, high): measured throughputs lie from X (1 - low) to X (1 + high).
 * Written by `make bands` from what `sgdperf validate --coverage` prints of validation/datasets;
 * tests/cli/validate.sh compares. */
END
    "${SGDPERF:-${BUILD:-build}/sgdperf}" validate --coverage --format csv 2> /dev/null |
        awk -F, 'function up(x) { return int(1000 * x + 0.999999) / 1000 }
                 NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
                 $at["class"] != "layered" && $at["low"] != "" {
                     printf "BAND(BAND_%s, %.3f, %.3f)\n", toupper($at["class"]), up($at["low"]),
                         up($at["high"]) }'
} > "$fresh"
[ "$(wc -l < "$fresh")" -gt 3 ] || { echo "no bands are printed" >&2; exit 2; }

case ${1:-store} in
    store) cp "$fresh" "$file" ;;
    check) diff "$file" "$fresh" || { echo "$file: not what is printed now: make bands" >&2; exit 1; } ;;
    *) echo "usage: sh validation/bands.sh [store|check]" >&2; exit 2 ;;
esac
