#!/bin/sh
# The headers as others take them: by CMake, Meson, pkg-config and make install, alone and
# compiled, from C and from C++. Each way ends in a program that prints what the example of
# sgdperf.h prints, and finds every version and struct as the library does. Then the release
# archive, and the packages of Debian that are built from it.
set -u
source=$PWD
at=$(mktemp -d) || exit 1
trap 'rm -rf "$at"' EXIT
passed=0
failed=0
compiler=${CC:-cc}
# How fast the results are is no matter here, how long they take to make is.
export CFLAGS=-O0 CXXFLAGS=-O0

# ok NAME COMMAND...: one test; its output is shown where it fails.
ok() {
    name=$1
    shift
    if "$@" > "$at/log" 2>&1; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        { echo "failed: $name"; tail -n 12 "$at/log"; } >&2
    fi
}

# have COMMAND...: are they all there?
have() {
    for tool; do
        command -v "$tool" > /dev/null && continue
        echo "skipped: packages, no $tool"
        return 1
    done
}

# ---- The user ------------------------------------------------------------------------

# A program of all headers; with HEADER_ONLY it compiles them itself.
program() {
    echo '#include <stdio.h>'
    for header in sgdperf*.h; do
        own=$(sed -n 's/^#define \(SGDPERF.*\)_H$/\1/p' "$header")
        printf '#ifdef HEADER_ONLY\n#define %s_IMPLEMENTATION\n#endif\n' "$own"
        echo "#include <$header>"
    done
    cat << 'END'
#define SAME(type) if (STRUCT_BYTES(#type) != sizeof(type)) puts(#type);

static void same_structs(void)
{
END
    for header in sgdperf*.h; do
        own=$(sed -n 's/^#define \(SGDPERF.*\)_H$/\1/p' "$header")
        upper=$(sed -n 's/^#define \(SGD[A-Z]*\)_API extern$/\1/p' "$header")
        prefix=$(echo "$upper" | tr '[:upper:]' '[:lower:]')
        printf '#define STRUCT_BYTES %s_struct_bytes\n    %s_STRUCT_TABLE(SAME)\n' \
            "$prefix" "$upper"
        echo "#undef STRUCT_BYTES"
        printf '    if (%s_version() != %s_VERSION) puts("another version");\n' "$prefix" "$own"
    done
    cat << 'END'
    if (sgdp_struct_bytes("sgdp_jo") || sgdp_struct_bytes("sgdsim_op") ||
        sgdp_struct_bytes(NULL))
        puts("a struct that is none");
}

int main(void)
{
    static double work[4096];
    sgdp_job job = sgdp_job();
    sgdp_prediction point = sgdp_prediction();
    same_structs();
    job.model_bytes = 9e6;
    job.links.bandwidth_bytes_per_s = 125e6;
    job.compute.forward_s = 0.010;
    job.compute.backward_s = 0.019;
    job.compute.update_s = 0.018;
    if (sgdp_predict(&job, SGDP_ASYNC_SWITCH, 4, work, sizeof work, &point) != SGDP_OK)
        return 1;
    printf("%.2f steps/s, limited by the %s\n", point.batches_per_s,
           sgdp_resource_text(point.bottleneck));
    return 0;
}
END
}

# Prints what it should? prints PROGRAM
prints() { [ "$("$@")" = "10.64 steps/s, limited by the uplink" ]; }

# In C a struct is zeroed in another way.
program > "$at/user.cpp"
program | sed 's/= sgdp_[a-z]*();/= {0};/' > "$at/user.c"

# ---- make install, pkg-config --------------------------------------------------------

by_pkg_config() {
    ok "make install" make -s BUILD="$at/build" PREFIX="$at/usr" install
    ok "the program of it" "$at/usr/bin/sgdperf" --version
    ok "make install, into a folder" \
        make -s BUILD="$at/build" PREFIX=/usr DESTDIR="$at/root" install
    ok "the same files" diff -rq "$at/usr" "$at/root/usr"
    export PKG_CONFIG_PATH="$at/root/usr/lib/pkgconfig"
    pkg_config_users
}

# All files go, and the folders that are named after the project; others stay, and what
# someone else put there.
uninstall() {
    echo mine > "$at/root/usr/share/sgdperf/plots/mine"
    make -s BUILD="$at/build" PREFIX=/usr DESTDIR="$at/root" uninstall &&
        make -s BUILD="$at/build" PREFIX="$at/usr" uninstall &&
        [ "$(find "$at/root" ! -type d)" = "$at/root/usr/share/sgdperf/plots/mine" ] &&
        [ -z "$(find "$at/usr" ! -type d -o -name '*sgdperf*')" ] && [ -d "$at/usr/bin" ]
}

# Headers alone, shared and static, as pkg-config says.
pkg_config_users() {
    # What pkg-config prints are options, one a word.
    # shellcheck disable=SC2046
    ok "pkg-config, headers alone" "$compiler" -DHEADER_ONLY $(pkg-config --cflags sgdperf) \
        -o "$at/alone" "$at/user.c" $(pkg-config --libs sgdperf)
    ok "headers alone give the digits" prints "$at/alone"
    ok "pkg-config, shared" "$compiler" $(pkg-config --cflags sgdperf-compiled) \
        -o "$at/shared" "$at/user.c" $(pkg-config --libs sgdperf-compiled)
    lib=$(pkg-config --variable=libdir sgdperf-compiled)
    ok "shared gives the digits" prints env LD_LIBRARY_PATH="$lib" "$at/shared"
    ok "it asks for the soname" needs_soname
    if [ -f "$lib/libsgdperf.a" ]; then
        ok "pkg-config, static" "$compiler" $(pkg-config --cflags sgdperf-compiled) \
            -o "$at/static" "$at/user.c" \
            $(pkg-config --libs sgdperf-compiled | sed "s|-lsgdperf|$lib/libsgdperf.a|")
        ok "static gives the digits" prints "$at/static"
    fi
}

needs_soname() {
    major=$(sed -n 's/^#define SGDPERF_VERSION_MAJOR //p' sgdperf.h)
    objdump -p "$at/shared" | grep -q "NEEDED *libsgdperf.so.$major$"
}

# Symbols of the shared library: all that the headers declare, under a version, no other.
symbols() {
    library=$at/usr/lib/libsgdperf.so
    nm -D --defined-only --with-symbol-versions "$library" |
        sed -n 's/^.* T //p' | sort > "$at/shown"
    for header in sgdperf*.h; do
        echo "#include \"$header\""
    done | "$compiler" -E -I. - | tr '\n' ' ' | tr ';' '\n' |
        sed -n 's/^.*extern [^(]*[ *]\(sgd[a-z]*_[a-z_0-9]*\) *(.*$/\1@@SGDPERF_0.1/p' |
        sort > "$at/declared"
    diff "$at/declared" "$at/shown" && [ "$(wc -l < "$at/shown")" -gt 100 ]
}

# ---- CMake ---------------------------------------------------------------------------

# cmake_user NAME FINDING [OPTION...]: a project that finds sgdperf by the lines FINDING;
# its programs take all headers, and the compiled library.
cmake_user() {
    user=$1 finding=$2
    shift 2
    mkdir -p "$at/$user"
    cp "$at/user.c" "$at/user.cpp" "$at/$user"
    cat > "$at/$user/CMakeLists.txt" << END
cmake_minimum_required(VERSION 3.14)
project(user C CXX)
$finding
add_executable(alone user.c)
target_compile_definitions(alone PRIVATE HEADER_ONLY)
target_link_libraries(alone $(ls sgdperf*.h |
    sed 's/^sgdperf_//; s/\.h$//; s/^/sgdperf::/' | tr '\n' ' '))
add_executable(compiled user.cpp)
target_link_libraries(compiled sgdperf::compiled)
END
    ok "$user: cmake" cmake -S "$at/$user" -B "$at/$user/build" "$@"
    ok "$user: build" cmake --build "$at/$user/build" -j 2
    ok "$user: headers alone give the digits" prints "$at/$user/build/alone"
    ok "$user: compiled gives the digits" prints "$at/$user/build/compiled"
}

by_cmake() {
    cmake_user add_subdirectory "add_subdirectory($source sgdperf)"
    cmake_user FetchContent "include(FetchContent)
FetchContent_Declare(sgdperf SOURCE_DIR $source)
FetchContent_MakeAvailable(sgdperf)" -DBUILD_SHARED_LIBS=ON
    ok "cmake" cmake -S . -B "$at/cmake" -DBUILD_SHARED_LIBS=ON
    ok "cmake optimizes" grep -q '^CMAKE_BUILD_TYPE:STRING=Release$' "$at/cmake/CMakeCache.txt"
    ok "cmake, as it is told" cmake -DCMAKE_BUILD_TYPE=Debug "$at/cmake"
    ok "cmake --build" cmake --build "$at/cmake" -j 2
    ok "cmake --install" cmake --install "$at/cmake" --prefix "$at/cm"
    if have pkg-config; then
        export PKG_CONFIG_PATH="$at/cm/lib/pkgconfig"
        pkg_config_users
    fi
    cmake_user find_package "find_package(sgdperf 0.1 REQUIRED)" -DCMAKE_PREFIX_PATH="$at/cm"
    ok "no package for a version to come" not cmake_asks_for 0.9
}

not() { ! "$@"; }

cmake_asks_for() {
    mkdir -p "$at/asks"
    cat > "$at/asks/CMakeLists.txt" << END
cmake_minimum_required(VERSION 3.14)
project(asks C)
find_package(sgdperf $1 REQUIRED)
END
    cmake -S "$at/asks" -B "$at/asks/build" -DCMAKE_PREFIX_PATH="$at/cm"
}

# What make installs, somewhere else than at its PREFIX.
by_make_and_cmake() {
    cmake_user make_install "find_package(sgdperf 0.1 REQUIRED)" \
        -DCMAKE_PREFIX_PATH="$at/root/usr"
    ok "make_install: static" cmake -DBUILD_SHARED_LIBS=OFF "$at/make_install/build"
    ok "make_install: build static" cmake --build "$at/make_install/build" --target compiled
    ok "make_install: static gives the digits" prints "$at/make_install/build/compiled"
    if have objdump; then ok "make_install: static needs no library" needs_no_library; fi
    cmake_answers "$at/cm" > "$at/answers.cmake"
    ok "make_install: targets and versions of cmake --install" same_answers "$at/root/usr"
}

needs_no_library() { ! objdump -p "$at/make_install/build/compiled" | grep 'NEEDED *libsgdperf'; }

# Which requests for a version are met below PREFIX, and by which targets? cmake_answers PREFIX
cmake_answers() {
    mkdir -p "$at/answers"
    cat > "$at/answers/CMakeLists.txt" << 'END'
cmake_minimum_required(VERSION 3.19)
project(answers C)
foreach(version 0 0.0.9 0.1 0.1.0 0.1.1 0.2 0.9 1 1.1 0.0...0.1 0.1...0.1.9 0.1...0.2
        0.1...<0.2 0.1...<0.3 0.1.1...0.1.2 0.1.0...1)
    unset(sgdperf_DIR CACHE)
    find_package(sgdperf ${version} QUIET CONFIG)
    message("answer: ${version} ${sgdperf_FOUND}")
endforeach()
find_package(sgdperf 0.1.0 EXACT REQUIRED)
get_property(targets DIRECTORY PROPERTY IMPORTED_TARGETS)
list(SORT targets)
message("answer: ${sgdperf_VERSION} ${targets}")
END
    rm -rf "$at/answers/build"
    cmake -S "$at/answers" -B "$at/answers/build" -DCMAKE_PREFIX_PATH="$1" 2>&1 |
        grep '^answer: '
}

same_answers() {
    cmake_answers "$1" > "$at/answers.other"
    diff "$at/answers.cmake" "$at/answers.other" && grep -q 'sgdperf::compiled' "$at/answers.other"
}

# ---- Meson ---------------------------------------------------------------------------

# meson_user NAME FINDING: likewise.
meson_user() {
    user=$1
    mkdir -p "$at/$user"
    cp "$at/user.c" "$at/$user"
    cat > "$at/$user/meson.build" << END
project('user', 'c')
$2
executable('alone', 'user.c', c_args: '-DHEADER_ONLY', dependencies: headers)
executable('compiled', 'user.c', dependencies: compiled)
END
}

build_meson_user() {
    ok "$1: meson setup" meson setup "$at/$1/build" "$at/$1"
    ok "$1: meson compile" meson compile -C "$at/$1/build"
    ok "$1: headers alone give the digits" prints "$at/$1/build/alone"
    ok "$1: compiled gives the digits" prints "$at/$1/build/compiled"
}

by_meson() {
    meson_user subproject "sub = subproject('sgdperf')
headers = dependency('sgdperf')
compiled = sub.get_variable('sgdperf_compiled_dep')"
    mkdir -p "$at/subproject/subprojects"
    ln -s "$source" "$at/subproject/subprojects/sgdperf"
    build_meson_user subproject
    ok "meson setup" meson setup --buildtype=plain --prefix="$at/me" --libdir=lib "$at/meson"
    ok "meson install" meson install -C "$at/meson"
    export PKG_CONFIG_PATH="$at/me/lib/pkgconfig"
    export LD_LIBRARY_PATH="$at/me/lib"
    meson_user dependency "headers = dependency('sgdperf')
compiled = dependency('sgdperf-compiled')"
    build_meson_user dependency
    unset LD_LIBRARY_PATH
}

# ---- make dist -----------------------------------------------------------------------

# make as from a shell: elsewhere, without what a make around this script hands on.
afresh() (
    unset MAKEFLAGS MFLAGS MAKELEVEL BUILD DESTDIR PREFIX
    cd "$1" && shift && "$@"
)

is_checkout() {
    { [ -e .git ] && [ -n "$(git ls-files 2> /dev/null)" ]; } || [ -e SHA256SUMS ] && return
    echo "skipped: packages, make dist: no checkout of git"
    return 1
}

by_dist() {
    release=sgdperf-$(sed -n 's/^version: //p' CITATION.cff)
    unpacked=$at/unpacked/$release
    ok "debian/changelog has the version" grep -q "^sgdperf (${release#*-}) " debian/changelog
    archive=dist/$release.tar.gz
    mkdir "$at/unpacked"
    ok "make dist" make -s BUILD="$at/first" dist
    ok "its checksums" afresh "$at/first/dist" sha256sum -c SHA256SUMS
    ok "it unpacks" tar -xzf "$at/first/$archive" -C "$at/unpacked"
    ok "checksums in it" afresh "$unpacked" sha256sum --quiet -c SHA256SUMS
    ok "the page in it" cmp web/index.html "$unpacked/web/index.html"
    # Elsewhere, from other times of files, a moment later.
    ok "make dist, from it" afresh "$unpacked" make -s BUILD="$at/second" dist
    ok "the same bytes" cmp "$at/first/$archive" "$at/second/$archive"
    if have dpkg-buildpackage && has_build_dependencies; then
        by_debian
    else
        ok "it builds" afresh "$unpacked" make -s
    fi
    ok "it validates" afresh "$unpacked" build/sgdperf validate \
        validation/datasets/horovod.csv
}

# ---- Debian --------------------------------------------------------------------------

has_build_dependencies() {
    (cd "$unpacked" && dpkg-checkbuilddeps) > "$at/log" 2>&1 && return
    echo "skipped: packages, $(sed 's/^.*: //' "$at/log")"
    return 1
}

# Not optimized, so without checks that need it.
dpkg_build() (
    unset CFLAGS CXXFLAGS
    export DEB_BUILD_OPTIONS="nocheck noopt noautodbgsym parallel=2"
    afresh "$unpacked" dpkg-buildpackage -us -uc -b
)

by_debian() {
    deb=$at/deb
    mkdir "$deb"
    ok "dpkg-buildpackage" dpkg_build
    for package in "$at"/unpacked/*.deb; do
        ok "dpkg -x ${package##*/}" dpkg -x "$package" "$deb"
    done
    ok "the program of the package" "$deb/usr/bin/sgdperf" --version
    ok "its picture" afresh "$deb" test -f usr/share/sgdperf/plots/picture.py
    if have cmake; then ok "packages: targets of cmake --install" same_answers "$deb/usr"; fi
    if /usr/bin/python3 -c 'import cffi, numpy' 2> /dev/null; then
        ok "the module of the package" env \
            PYTHONPATH="$deb/usr/lib/python3/dist-packages" /usr/bin/python3 -B -c \
            'import sgdperf.sim; sgdperf.Job(model_bytes=9e6)'
    fi
    if have lintian; then
        ok "lintian" lintian --allow-root --fail-on error,warning "$at"/unpacked/*.changes
    fi
}

if have make pkg-config; then
    by_pkg_config
    if have nm objdump; then ok "symbols of the shared library" symbols; fi
fi
if have cmake c++; then
    by_cmake
    [ ! -d "$at/root" ] || by_make_and_cmake
fi
if [ -d "$at/root" ]; then ok "make uninstall" uninstall; fi
if have meson ninja pkg-config; then by_meson; fi
if have make tar sha256sum && is_checkout; then by_dist; fi
echo "packages: $passed passed, $failed failed"
[ "$failed" -eq 0 ]
