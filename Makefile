# GNU make. `make` builds build/sgdperf; the library itself is the headers alone.
#
#   make test          all tests, with the sanitizers that the compiler has
#   make check         the same at full size: what takes long, all compilers found
#   make check-headers each header alone and with the others, in every compiler found
#   make platforms     them on PLATFORM, else on all whose cross compiler and emulator are found
#   make analyze       gcc -fanalyzer, clang-tidy, cppcheck: ANALYZER, else all found
#   make unit-tests    the test programs without the scripts, for other flags
#   make coverage      lines and branches of the headers that these reach; needs gcc
#   make fuzz          RUNS executions of each fuzz target, or of those in FUZZ; needs clang
#   make coverage-tools those of tools/ that the scripts of tests/cli and its tests reach
#   make mutation      changes tokens of the headers, and counts what these notice; needs
#                      gcc; HEADERS=sgdperf_plan.h MUTANTS=400 SEED=1
#   make validate      predictions against measured datasets, within their bounds
#   make report        the same as one page of HTML, build/report.html
#   make results       validation/RESULTS.md, the errors of these predictions
#   make referee       the simulator against the exact solution of the network
#   make scheduling    policies on a shared cluster against their expected means
#   make testbed       measures PLAN with real TCP on this machine; root, docs/testbed.md
#   make balancing     batches and coordination schemes against the published figures
#   make planning      networks split over machines against the published rankings
#   make collectives   measured all-reduces against the times of MPI's and NCCL's ways
#   make bench         micro-benchmarks;  bench-peers: other programs beside them;
#                      bench-against REF=...: those of that commit, else the newest tag
#   make mpi           build/sgdperf-mpi, whose work is dealt to ranks; needs mpicc
#   make mpi-test      it, under mpirun on this machine
#   make plots         figures, needs python3 with matplotlib; picture: docs/curve.svg
#   make page          web/index.html, the program in a browser; needs clang, lld, wasi-libc
#   make library       the headers compiled, shared and static, below $(BUILD)/lib
#   make install       headers, library, program, manual pages, completions, examples, the
#                      files for pkg-config and CMake; uninstall: removes all of it
#   make dist          a release archive and its checksums, below $(BUILD)/dist
#   make clean
#
# Uses all cores; -j as usual. CC, CFLAGS, PREFIX, LIBDIR and DESTDIR as usual; V=1 shows the
# commands, WERROR=-Werror makes warnings errors.

MAKEFLAGS += --no-builtin-rules

# As many commands at once as cores, where no -j says otherwise; but goals that are no
# files, like those of `make validate referee`, one after the other.
CORES := $(or $(shell getconf _NPROCESSORS_ONLN 2>/dev/null),2)
ifeq ($(MAKELEVEL),0)
MAKEFLAGS += -j$(CORES)
ifneq ($(word 2,$(MAKECMDGOALS)),)
ifneq ($(strip $(foreach goal,$(MAKECMDGOALS),$(if $(findstring /,$(goal)),,$(goal)))),)
.NOTPARALLEL:
endif
endif
endif

CFLAGS  ?= -O3
LDLIBS  ?= -lm -pthread
PREFIX  ?= /usr/local
LIBDIR  ?= lib
DESTDIR ?=
BUILD   ?= build

# A line in place of a command; neither with -s. The folder of what is made.
Q     := $(if $(V),,@)
silent = $(findstring s,$(firstword -$(MAKEFLAGS)))
say    = @mkdir -p $(@D)$(if $(V)$(silent),,; printf '%-4s%s\n' '$(1)' '$(2)')
# stamp FILE,TEXT: rewritten when it changes, for what depends on it.
stamp  = $(if $(filter-out clean,$(or $(MAKECMDGOALS),all)),$(shell mkdir -p $(dir $(1)); \
           echo '$(2)' | cmp -s - $(1) || echo '$(2)' > $(1)))
# compile FLAGS,SOURCE
define compile
$(call say,CC,$<)
$(Q)$(CC) $(BASE) $(1) $(CPPFLAGS) $(DEPENDS) -c -o $@ $(or $(2),$<)
endef

WARNINGS := -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow \
            -Wdouble-promotion -Wfloat-equal -Wcast-qual -Wcast-align -Wundef \
            -Wpointer-arith -Wwrite-strings -Wstrict-prototypes -Wmissing-prototypes -Wvla
# Contraction to fused multiply-add would change the last bits of results.
BASE     := -std=c99 -ffp-contract=off $(WARNINGS) $(WERROR) -I.
DEPENDS   = -MMD -MP

HEADERS  := $(wildcard sgdperf*.h)
# Compiled by `make mpi` alone.
MPI_TOOLS := jobs/deal_mpi
TOOLS    := $(patsubst tools/%.c,%,$(wildcard tools/*.c tools/*/*.c tools/*/*/*.c))
TOOLS    := $(filter-out $(MPI_TOOLS),$(TOOLS))
COMMON   := $(filter-out sgdperf cmd/%,$(TOOLS))

all: $(BUILD)/sgdperf $(BUILD)/sgdperf.1

include tests/rules.mk validation/rules.mk bench/rules.mk plots/rules.mk web/rules.mk

# Objects depend on a file of its flags. Of a journal: which sources the program is of.
SOURCES := $(shell cat $(sort $(HEADERS) $(wildcard tools/*.[ch] tools/*/*.[ch] \
             tools/*/*/*.[ch])) | cksum | tr ' ' -)
$(call stamp,$(BUILD)/sources,$(SOURCES))
$(call stamp,$(BUILD)/flags,$(CC) $(BASE) $(CFLAGS) $(CPPFLAGS) $(LDFLAGS))

$(BUILD)/sgdperf: $(HEADERS:%.h=$(BUILD)/headers/%.o) $(TOOLS:%=$(BUILD)/tools/%.o)
	$(call say,LD,$@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS)

$(BUILD)/tools/%.o: tools/%.c $(BUILD)/flags
	$(call compile,-Itools $(CFLAGS))

JOURNALS := $(BUILD)/tools/jobs/journal.o $(BUILD)/test/tools/jobs/journal.o
$(JOURNALS): $(BUILD)/sources
$(JOURNALS): override CPPFLAGS += -DSGDPERF_SOURCES='"$(SOURCES)"'

# The implementation of a header: compiled once, and linked.
implementation = -D$(shell echo $* | tr '[:lower:]' '[:upper:]')_IMPLEMENTATION \
                 -include $< -x c /dev/null
$(BUILD)/headers/%.o: %.h $(BUILD)/flags
	$(call compile,$(CFLAGS),$(implementation))

# ---- With MPI: the same objects but for main, and what deals to ranks --------------

MPICC  ?= mpicc
MPIRUN ?= mpirun --oversubscribe

$(BUILD)/mpi/%.o: tools/%.c $(BUILD)/flags
	$(call say,MPI,$<)
	$(Q)$(MPICC) $(BASE) -Itools -DSGDPERF_MPI $(CFLAGS) $(CPPFLAGS) $(DEPENDS) -c -o $@ $<

$(BUILD)/sgdperf-mpi: $(HEADERS:%.h=$(BUILD)/headers/%.o) \
                      $(patsubst %,$(BUILD)/tools/%.o,$(filter-out sgdperf,$(TOOLS))) \
                      $(patsubst %,$(BUILD)/mpi/%.o,sgdperf $(MPI_TOOLS))
	$(call say,LD,$@)
	$(Q)$(MPICC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS)

mpi: $(BUILD)/sgdperf-mpi

mpi-test: all mpi
	@BUILD='$(BUILD)' MPIRUN='$(MPIRUN)' SGDPERF='$(abspath $(BUILD)/sgdperf)' sh tests/cli/mpi.sh

# ---- Installation ------------------------------------------------------------------

VERSION = $(shell sed -n 's/^\#define SGDPERF_VERSION_[MP][A-Z]* //p' sgdperf.h | paste -sd. -)

# Made from the table of options.
$(BUILD)/sgdperf.1: tools/manual.sh tools/sgdperf.1.in $(BUILD)/sgdperf
	$(call say,MAN,$@)
	$(Q)sh $< $(BUILD)/sgdperf tools/sgdperf.1.in > $@

# A page for each command, and in section 3 for each header.
COMMANDS := $(shell tr , '\n' < tools/cmd/all.c | \
              sed -n 's/^ *&command_\([a-z_]*\)$$/\1/p' | tr _ -)
PAGES    := $(COMMANDS:%=$(BUILD)/sgdperf-%.1) $(HEADERS:%.h=$(BUILD)/%.3)
$(BUILD)/sgdperf-%.1: tools/manual.sh tools/sgdperf-command.1.in $(BUILD)/sgdperf
	$(call say,MAN,$@)
	$(Q)sh $< $(BUILD)/sgdperf tools/sgdperf-command.1.in $* > $@

$(BUILD)/%.3: %.h tools/header_page.sh
	$(call say,MAN,$@)
	$(Q)sh tools/header_page.sh $< > $@

# The headers compiled. Where objects are ELF also shared: its symbols have versions, and
# it a soname; elsewhere CMake and Meson know how.
SONAME   := libsgdperf.so.$(shell sed -n 's/^\#define SGDPERF_VERSION_MAJOR //p' sgdperf.h)
ELF      := $(if $(filter Darwin MINGW% MSYS% CYGWIN%,$(shell uname -s)),,yes)
SHARED    = $(if $(ELF),$(addprefix $(BUILD)/lib/,libsgdperf.so.$(VERSION) $(SONAME) libsgdperf.so))

$(BUILD)/lib/%.o: lib/%.c $(BUILD)/flags
	$(call compile,-fPIC -fvisibility=hidden $(CFLAGS))

$(BUILD)/lib/libsgdperf.so.$(VERSION): $(BUILD)/lib/sgdperf.o lib/sgdperf.map
	$(call say,LD,$@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -shared -Wl,-soname,$(SONAME) \
	    -Wl,--version-script=lib/sgdperf.map -o $@ $< -lm

$(BUILD)/lib/$(SONAME) $(BUILD)/lib/libsgdperf.so: $(BUILD)/lib/libsgdperf.so.$(VERSION)
	$(Q)ln -sf $(<F) $@

$(BUILD)/lib/libsgdperf.a: $(BUILD)/lib/sgdperf.o
	@rm -f $@
	$(Q)$(AR) rc $@ $^

library: $(SHARED) $(BUILD)/lib/libsgdperf.a

# The files of packages name other installed files by paths from their own place: `place` is
# LIBDIR, `up` the way back from a folder below it. LIBDIR is below PREFIX.
place  = $(LIBDIR:$(PREFIX)/%=%)
up     = $(subst $() ,/,$(patsubst %,..,$(subst /, ,$(place)/$(1))))
POINTER = $(shell echo __SIZEOF_POINTER__ | $(CC) $(CFLAGS) $(CPPFLAGS) -E -P - 2>/dev/null)
fill   = sed -e 's|@PREFIX@|$${pcfiledir}/$(call up,pkgconfig)|' \
             -e 's|@UP@|$(call up,cmake/sgdperf)|' -e 's|@LIBDIR@|$(place)|' \
             -e 's|@INCLUDEDIR@|include|' -e 's|@VERSION@|$(VERSION)|' \
             -e 's|@SHARED@|$(notdir $(firstword $(SHARED)))|' -e 's|@SONAME@|$(SONAME)|' \
             -e 's|@POINTER@|$(strip $(POINTER))|' \
             -e 's|@PARTS@|$(subst sgdperf_,,$(HEADERS:.h=))|'

$(BUILD)/%.pc $(BUILD)/%.cmake: always

$(BUILD)/%.pc: lib/%.pc.in sgdperf.h
	@mkdir -p $(@D)
	$(Q)$(fill) $< > $@

$(BUILD)/%.cmake: lib/%.cmake.in sgdperf.h
	@mkdir -p $(@D)
	$(Q)$(fill) $< > $@

# Shells find a completion by the name of its file.
completions := $(addprefix $(BUILD)/completions/,sgdperf _sgdperf sgdperf.fish)
$(word 1,$(completions)): tools/completion.bash
$(word 2,$(completions)): tools/completion.zsh
$(word 3,$(completions)): tools/completion.fish
$(completions):
	@mkdir -p $(@D)
	$(Q)cp $< $@

# The files of each folder below PREFIX, for install and uninstall.
INTO     = $(DESTDIR)$(PREFIX)
FOLDERS  = bin include $(place) $(place)/pkgconfig $(place)/cmake/sgdperf share/man/man1 \
           share/man/man3 share/bash-completion/completions share/zsh/site-functions \
           share/fish/vendor_completions.d share/sgdperf/plots share/sgdperf/schema \
           share/doc/sgdperf/examples
files_in = $(strip $(if $(filter $(place),$(1)),$(SHARED) $(BUILD)/lib/libsgdperf.a,$(of/$(1))))
of/bin                   = $(BUILD)/sgdperf
of/include               = $(HEADERS)
of/$(place)/pkgconfig     = $(addprefix $(BUILD)/,sgdperf.pc sgdperf-compiled.pc)
of/$(place)/cmake/sgdperf = $(addprefix $(BUILD)/sgdperf-config,.cmake -version.cmake)
of/share/man/man1        = $(BUILD)/sgdperf.1 $(filter %.1,$(PAGES))
of/share/man/man3        = $(filter %.3,$(PAGES))
of/share/bash-completion/completions = $(word 1,$(completions))
of/share/zsh/site-functions          = $(word 2,$(completions))
of/share/fish/vendor_completions.d   = $(word 3,$(completions))
of/share/sgdperf/plots       = plots/common.py plots/picture.py
of/share/sgdperf/schema      = $(wildcard docs/schema/*.json)
of/share/doc/sgdperf/examples = examples/Makefile $(wildcard examples/*.c)

# Links stay links, and programs can be run.
define install_in
install -d $(INTO)/$(1)
$(if $(filter $(place),$(1)),cp -P,install -m $(if $(filter bin,$(1)),755,644)) \
    $(call files_in,$(1)) $(INTO)/$(1)/

endef

install: all library $(foreach folder,$(FOLDERS),$(call files_in,$(folder)))
	$(foreach folder,$(FOLDERS),$(call install_in,$(folder)))

define uninstall_from
rm -f $(addprefix $(INTO)/$(1)/,$(notdir $(call files_in,$(1))))

endef

# Of the folders those that bear the project's name, where nothing else is in them.
uninstall:
	$(foreach folder,$(FOLDERS),$(call uninstall_from,$(folder)))
	@rmdir $(addprefix $(INTO)/,$(foreach folder,$(FOLDERS),$(if $(findstring /sgdperf,$(folder)), \
	    $(folder))) share/sgdperf share/doc/sgdperf) 2> /dev/null || :

# ---- Release -----------------------------------------------------------------------

dist:
	@sh lib/dist.sh $(BUILD)/dist sgdperf-$(VERSION)

clean:
	rm -rf $(BUILD)

-include $(wildcard $(addprefix $(BUILD)/*/,*.d */*.d */*/*.d */*/*/*.d))

# For what depends on variables given on the command line.
always:

.PHONY: all always mpi mpi-test library install uninstall dist clean
.DELETE_ON_ERROR:
