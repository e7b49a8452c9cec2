#!/bin/sh
# Makes the release archive, for `make dist`:
#
#     lib/dist.sh FOLDER NAME
#
# writes FOLDER/NAME.tar.gz, FOLDER/NAME.html (the built page) and FOLDER/SHA256SUMS of both.
# The archive has the tracked files of the checkout, and their checksums in its SHA256SUMS; in
# an unpacked archive these name the files. Same files, same bytes: names are sorted, owners and
# the compressor's time are left out, and the time is the date of the release. Needs GNU tar.
set -eu
folder=$1
name=$2
date=$(sed -n 's/^date-released: //p' CITATION.cff)
rm -rf "$folder"
mkdir -p "$folder/$name"
if [ -e .git ]; then
    git ls-files
elif [ -e SHA256SUMS ]; then
    sed 's/^[^ ]*  //' SHA256SUMS
else
    echo 'dist: neither a checkout of git nor an unpacked archive, which has SHA256SUMS' >&2
    exit 2
fi | LC_ALL=C sort > "$folder/files"
[ -s "$folder/files" ] || exit 2
tar -cf - -T "$folder/files" | tar -xf - -C "$folder/$name"
cd "$folder"
(cd "$name" && xargs sha256sum < ../files > ../sums && mv ../sums SHA256SUMS)
tar --sort=name --format=ustar --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX \
    --mtime="$date 00:00Z" -cf - "$name" | gzip -9n > "$name.tar.gz"
cp "$name/web/index.html" "$name.html"
sha256sum "$name.tar.gz" "$name.html" > SHA256SUMS
rm -rf "$name" files
echo "$folder/$name.tar.gz"
