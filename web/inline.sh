#!/bin/sh
# Puts all parts of the page into one file:
#
#     web/inline.sh web/page.html build/page/sgdperf.wasm > index.html
#
# A line "@include FILE" becomes that file, which lies beside the page, and "@module" the
# module, compressed and in base64. With -n gzip writes no time: same parts, same file.
set -eu
page=$1
module=$2
folder=$(dirname "$page")
while IFS= read -r line; do
    case $line in
        "@include "*) cat "$folder/${line#@include }" ;;
        @module) gzip -9nc "$module" | base64 | tr -d '\n' | fold -w 96; echo ;;
        *) printf '%s\n' "$line" ;;
    esac
done < "$page"
