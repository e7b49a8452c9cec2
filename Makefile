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
#   make install       headers, library, program, manual pages, completions, pkg-config, examples
#   make clean
#
# Uses all cores; -j as usual. CC, CFLAGS, PREFIX and DESTDIR as usual; V=1 shows the
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

$(BUILD)/%.pc: lib/%.pc.in sgdperf.h always
	@mkdir -p $(@D)
	$(Q)sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@LIBDIR@|lib|' \
	    -e 's|@INCLUDEDIR@|include|' -e 's|@VERSION@|$(VERSION)|' $< > $@

INTO = $(DESTDIR)$(PREFIX)
install: all library $(PAGES) $(BUILD)/sgdperf.pc $(BUILD)/sgdperf-compiled.pc
	install -d $(addprefix $(INTO)/,bin include lib share/man/man1 share/man/man3 \
	    share/pkgconfig share/sgdperf/plots \
	    share/sgdperf/schema share/doc/sgdperf/examples)
	install -m 755 $(BUILD)/sgdperf $(INTO)/bin/
	install -m 644 $(HEADERS) $(INTO)/include/
	cp -P $(SHARED) $(BUILD)/lib/libsgdperf.a $(INTO)/lib/
	install -m 644 $(BUILD)/sgdperf.1 $(filter %.1,$(PAGES)) $(INTO)/share/man/man1/
	install -m 644 $(filter %.3,$(PAGES)) $(INTO)/share/man/man3/
	install -D -m 644 tools/completion.bash $(INTO)/share/bash-completion/completions/sgdperf
	install -D -m 644 tools/completion.zsh $(INTO)/share/zsh/site-functions/_sgdperf
	install -D -m 644 tools/completion.fish $(INTO)/share/fish/vendor_completions.d/sgdperf.fish
	install -m 644 $(BUILD)/sgdperf.pc $(BUILD)/sgdperf-compiled.pc $(INTO)/share/pkgconfig/
	install -m 644 plots/common.py plots/picture.py $(INTO)/share/sgdperf/plots/
	install -m 644 docs/schema/*.json $(INTO)/share/sgdperf/schema/
	install -m 644 examples/Makefile examples/*.c $(INTO)/share/doc/sgdperf/examples/

clean:
	rm -rf $(BUILD)

-include $(wildcard $(addprefix $(BUILD)/*/,*.d */*.d */*/*.d */*/*/*.d))

# For what depends on variables given on the command line.
always:

.PHONY: all always mpi mpi-test library install clean
.DELETE_ON_ERROR:
