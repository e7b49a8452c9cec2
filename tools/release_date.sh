#!/bin/sh
# The day of a version, as CHANGELOG.md has it in the heading "## 1.2.3 - 2030-01-31":
#     sh tools/release_date.sh 1.2.3
set -eu
changes=$(dirname "$0")/../CHANGELOG.md
awk -v version="$1" '
    $1 == "##" && $2 == version && $4 ~ /^[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]$/ {
        print $4
        found = 1
        exit
    }
    END { if (!found) exit 1 }' "$changes" || {
    echo "CHANGELOG.md: no day of version $1" >&2
    exit 1
}
