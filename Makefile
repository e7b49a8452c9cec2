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
#   make plots         figures, needs python3 with matplotlib
#   make page          web/index.html, the program in a browser; needs clang, lld, wasi-libc
#   make library       the headers compiled, shared and static, below $(BUILD)/lib
#   make install       headers, library, program, manual pages, completions, pkg-config
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
# The first python3 that has matplotlib.
PYTHON  ?= $(firstword $(foreach p,python3 /usr/bin/python3,$(shell \
             $(p) -c 'import matplotlib' 2>/dev/null && echo $(p))) python3)

# A line in place of a command; neither with -s.
Q     := $(if $(V),,@)
silent = $(findstring s,$(firstword -$(MAKEFLAGS)))
say    = @$(if $(V)$(silent),:,printf '%-4s%s\n' '$(1)' '$(2)')

WARNINGS := -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow \
            -Wdouble-promotion -Wfloat-equal -Wcast-qual -Wcast-align -Wundef \
            -Wpointer-arith -Wwrite-strings -Wstrict-prototypes -Wmissing-prototypes -Wvla
# Contraction to fused multiply-add would change the last bits of results.
BASE     := -std=c99 -ffp-contract=off $(WARNINGS) $(WERROR) -I.
DEPENDS   = -MMD -MP

HEADERS  := $(wildcard sgdperf*.h)
# Compiled by `make mpi` alone.
MPI_TOOLS := base/deal_mpi
TOOLS    := $(patsubst tools/%.c,%,$(wildcard tools/*.c tools/*/*.c tools/*/*/*.c))
TOOLS    := $(filter-out $(MPI_TOOLS),$(TOOLS))
COMMON   := $(filter-out sgdperf cmd/%,$(TOOLS))
TESTS    := $(patsubst tests/%.c,%,$(wildcard tests/test_*.c tests/fuzz_*.c))
SCRIPTS  := $(wildcard tests/house.sh tests/portability.sh tests/examples.sh \
              tests/packages.sh tests/python.sh tests/web.sh tests/cli/*.sh)
SCRIPTS  := $(filter-out tests/cli/mpi.sh,$(SCRIPTS))
BENCHES  := $(patsubst bench/%.c,%,$(wildcard bench/bench_*.c))

# Probed once, and only by the targets that use it. Not into /dev/null, which tcc, run by
# root, would replace by a file. Thousands of short runs begin twice as fast where gcc links
# the sanitizers statically, to a fixed place; clang does so or knows no such option.
probe     = $(shell echo 'int main(void){return 0;}' | \
              $(CC) -Werror $(1) -x c -o $(BUILD)/test/probe - 2>/dev/null && echo '$(1)')
# What the address sanitizer finds too, and alignment, cost half of all compiling; to register
# each text and table of tools/, a third of every short run: make check.
sanitizers  = -fsanitize=address,undefined -fno-sanitize-recover=all $(LESS_UB)
LESS_UB    ?= $(if $(filter check,$(MAKECMDGOALS)),, \
                -fno-sanitize=null,object-size,pointer-overflow,alignment)
SANITIZE  = $(eval SANITIZE := $(or \
              $(call probe,$(sanitizers) -static-libasan -static-libubsan -no-pie), \
              $(call probe,$(sanitizers))))$(SANITIZE)
with_those  = $(if $(call probe,$(SANITIZE) $(1)),$(1))
LESS_START  = $(eval LESS_START := $(if $(strip $(LESS_UB)),$(if \
              $(filter file,$(origin SANITIZE)),$(or \
              $(call with_those,--param asan-globals=0), \
              $(call with_those,-mllvm -asan-globals=0)))))$(LESS_START)
# What is not optimized gcc compiles faster with calls than with checks in line.
CALLS     = $(eval CALLS := $(if $(strip $(LESS_UB)),$(if $(filter file,$(origin SANITIZE)), \
              $(call with_those,--param asan-instrumentation-with-call-threshold=0))))$(CALLS)

# Implementations are optimized, so that tests run, the rest is not, so that it compiles;
# unless told. At full size what tests compare with runs long enough to be optimized too.
TEST_OPT  ?= -Og -g1
INNER_OPT ?= $(TEST_OPT)
REST_OPT  := $(if $(filter file,$(origin TEST_OPT)),-O0 -g1,$(TEST_OPT))
OWN_OPT   := $(if $(filter file,$(origin TEST_OPT)),$(if $(strip $(LESS_UB)), \
              $(REST_OPT),$(TEST_OPT)),$(REST_OPT))
TEST_FLAGS = $(BASE) $(SANITIZE) $(CPPFLAGS)

all: $(BUILD)/sgdperf $(BUILD)/sgdperf.1

# Objects depend on a file of its flags, rewritten when the compiler or they change.
FLAGS      := $(CC) $(BASE) $(CFLAGS) $(CPPFLAGS) $(LDFLAGS)
TEST_STAMP := $(CC) $(BASE) $(TEST_OPT) $(INNER_OPT) $(REST_OPT) $(OWN_OPT) $(CPPFLAGS) \
              $(strip $(LESS_UB)) $(if $(filter file,$(origin SANITIZE)),,$(SANITIZE))
# Of a journal: which sources the program is of.
SOURCES    := $(shell cat $(sort $(HEADERS) $(wildcard tools/*.[ch] tools/*/*.[ch] \
                tools/*/*/*.[ch])) | cksum | tr ' ' -)
ifneq ($(MAKECMDGOALS),clean)
$(shell mkdir -p $(BUILD)/test; \
        echo '$(SOURCES)' | cmp -s - $(BUILD)/sources || echo '$(SOURCES)' > $(BUILD)/sources; \
        echo '$(FLAGS)' | cmp -s - $(BUILD)/flags || echo '$(FLAGS)' > $(BUILD)/flags; \
        echo '$(TEST_STAMP)' | cmp -s - $(BUILD)/test/flags || \
        echo '$(TEST_STAMP)' > $(BUILD)/test/flags)
endif

$(BUILD)/sgdperf: $(HEADERS:%.h=$(BUILD)/headers/%.o) $(TOOLS:%=$(BUILD)/tools/%.o)
	$(call say,LD,$@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS)

$(BUILD)/tools/%.o: tools/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(BASE) -Itools $(CFLAGS) $(CPPFLAGS) $(DEPENDS) -c -o $@ $<

JOURNALS := $(BUILD)/tools/base/journal_file.o $(BUILD)/test/tools/base/journal_file.o
$(JOURNALS): $(BUILD)/sources
$(JOURNALS): override CPPFLAGS += -DSGDPERF_SOURCES='"$(SOURCES)"'

# The implementation of a header: compiled once, and linked.
implementation = -D$(shell echo $* | tr '[:lower:]' '[:upper:]')_IMPLEMENTATION \
                 -include $< -x c /dev/null
$(BUILD)/headers/%.o: %.h $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(BASE) $(CFLAGS) $(CPPFLAGS) $(DEPENDS) -c -o $@ $(implementation)

# ---- With MPI: the same objects but for main, and what deals to ranks --------------

MPICC  ?= mpicc
MPIRUN ?= mpirun --oversubscribe

$(BUILD)/mpi/%.o: tools/%.c $(BUILD)/flags
	@mkdir -p $(@D)
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

# ---- Tests: the same sources built with sanitizers, below build/test -------------

$(BUILD)/test/tools/%.o: tools/%.c $(BUILD)/test/flags
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(TEST_FLAGS) $(LESS_START) $(CALLS) $(REST_OPT) -Itools $(DEPENDS) -c -o $@ $<

$(BUILD)/test/headers/%.o: %.h $(BUILD)/test/flags
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(TEST_FLAGS) $(TEST_OPT) $(DEPENDS) -c -o $@ $(implementation)

# Archives: a test of internals, which includes an implementation itself, takes only the
# others; and a test takes of the tools, if any, what it uses.
$(BUILD)/test/headers.a: $(HEADERS:%.h=$(BUILD)/test/headers/%.o)
$(BUILD)/test/tools.a: $(COMMON:%=$(BUILD)/test/tools/%.o)
$(BUILD)/test/headers.a $(BUILD)/test/tools.a:
	@rm -f $@
	$(Q)$(AR) rc $@ $^

$(BUILD)/test/sgdperf: $(BUILD)/test/headers.a $(TOOLS:%=$(BUILD)/test/tools/%.o)
	$(call say,LD,$@)
	$(Q)$(CC) $(TEST_FLAGS) $(REST_OPT) -o $@ $(filter %.o,$^) $< $(LDLIBS)

$(BUILD)/test/%.o: tests/%.c $(BUILD)/test/flags
	@mkdir -p $(@D)
	$(call say,CC,$*)
	$(Q)$(CC) $(TEST_FLAGS) $(OPT) -Itools $(DEPENDS) -c -o $@ $<

# Faults, of tests/cli/faults.sh: who makes them, and the program with allocations that fail.
FAULTY     := malloc calloc realloc fopen fdopen realpath tmpfile
FAULTS      = $(if $(filter Linux,$(shell uname -s)), \
                $(BUILD)/test/faults $(BUILD)/test/sgdperf-memory)
$(BUILD)/test/faults: tests/faults.c $(BUILD)/test/flags
	$(call say,CC,$(<F))
	$(Q)$(CC) $(BASE) -O1 $(CPPFLAGS) -o $@ $<

$(BUILD)/test/faults_memory.o: tests/faults.c $(BUILD)/test/flags
	$(Q)$(CC) $(BASE) -O1 $(CPPFLAGS) -DFAULTS_MEMORY -c -o $@ $<

$(BUILD)/test/sgdperf-memory: $(BUILD)/test/headers.a $(TOOLS:%=$(BUILD)/test/tools/%.o) \
                              $(BUILD)/test/faults_memory.o
	$(call say,LD,$@)
	$(Q)$(CC) $(TEST_FLAGS) $(REST_OPT) $(FAULTY:%=-Wl,--wrap=%) -o $@ $(filter %.o,$^) $< $(LDLIBS)

# A test of internals includes an implementation.
INTERNAL := $(patsubst tests/%.c,$(BUILD)/test/%.o,$(shell grep -l '_IMPLEMENTATION$$' tests/*.c))
$(TESTS:%=$(BUILD)/test/%.o): OPT = $(CALLS) $(OWN_OPT)
$(INTERNAL): OPT = $(INNER_OPT)

# A test that includes something of the tools is linked with what the commands share.
USE_TOOLS  := "((base|files|import)/|fuzz_(import|jobtrace)|trial|child|../tools)
TOOL_TESTS := $(patsubst tests/%.c,$(BUILD)/test/%,$(shell grep -lE '$(USE_TOOLS)' tests/*.c))
$(TOOL_TESTS): $(BUILD)/test/tools.a
$(BUILD)/test/test_commands: $(patsubst %,$(BUILD)/test/tools/%.o,$(filter cmd/%,$(TOOLS)))

$(TESTS:%=$(BUILD)/test/%): %: %.o $(BUILD)/test/headers.a
	$(Q)$(CC) $(TEST_FLAGS) $(REST_OPT) -o $@ $(filter %.o,$^) $(filter %/tools.a,$^) \
	    $(BUILD)/test/headers.a $(LDLIBS)

# Builds what it can; a program that no longer builds is removed, and so fails.
TEST_PROGRAMS = $(TESTS:%=$(BUILD)/test/%)
again       = $(MAKE) --no-print-directory LESS_UB='$(LESS_UB)'
build_tests = $(again) -k built BUILT='$(1)' || for program in $(1); do \
    $(again) -q $$program 2>/dev/null || rm -f $$program; done

built: $(strip $(BUILT))
	@:

# What takes longest begins first, so that nothing is waited for at the end.
LONGEST := test_commands tests/cli/validate.sh tests/cli/predict.sh tests/portability.sh \
           test_cluster tests/cli/plan.sh tests/cli/testbed.sh tests/cli/scaling.sh \
           tests/cli/simulate.sh tests/cli/faults.sh fuzz_sched tests/web.sh \
           tests/packages.sh
ALL     := $(LONGEST) $(filter-out $(LONGEST),$(SCRIPTS) $(TESTS))
# Whole validation scripts and packages, which say little at a small size: make check, with the
# program as users build it, or OPTIMIZED.
WHOLE   := tests/packages.sh tests/python.sh tests/web.sh tests/cli/calibrate_tcp.sh \
           tests/cli/scaling.sh tests/cli/referee.sh tests/cli/scheduling.sh tests/cli/planning.sh
# Where no -j says otherwise, as many at once as tests/run.sh takes.
run_tests = CC='$(CC)' SANITIZE='$(SANITIZE)' BUILD='$(BUILD)' V='$(V)' sh tests/run.sh \
    $(patsubst -j%,-j %,$(filter-out -j$(CORES),$(filter -j%,$(MAKEFLAGS))))

test:
	+@$(call build_tests,$(BUILD)/test/sgdperf $(FAULTS) $(BUILD)/testbed/node $(TEST_PROGRAMS))
	@$(run_tests) $(filter-out $(WHOLE),$(ALL))

# The full size of a test contains the quick one.
OPTIMIZED ?= $(BUILD)/sgdperf
check: $(OPTIMIZED)
	+@$(call build_tests,$(BUILD)/test/sgdperf $(FAULTS) $(BUILD)/testbed/node $(TEST_PROGRAMS))
	@TEST_FULL=1 OPTIMIZED='$(abspath $(OPTIMIZED))' WHOLE='$(WHOLE)' $(run_tests) $(ALL)

unit-tests:
	+@$(call build_tests,$(TEST_PROGRAMS))
	@$(run_tests) $(TESTS)

# With gcc's counters in the headers alone. NDEBUG: that an assertion can fail is no branch.
COUNTED  := $(BUILD)/coverage
coverage:
	@rm -f $(COUNTED)/test/*.gcda $(COUNTED)/test/headers/*.gcda
	+@$(MAKE) --no-print-directory unit-tests BUILD='$(COUNTED)' CC=gcc SANITIZE= LESS_UB= \
	    TEST_OPT='-O0 --coverage' REST_OPT=-O0 CPPFLAGS=-DNDEBUG LDLIBS='$(LDLIBS) --coverage'
	@python3 tests/coverage.py '$(COUNTED)' tests/unreachable.csv

# A table of what was executed and found; more RUNS go on from the inputs kept before.
RUNS ?= 100000
fuzz:
	@BUILD='$(BUILD)' LIMIT=-runs=$(RUNS) sh tests/fuzz.sh $(FUZZ)

# With counters in tools/ alone, in files that all processes share: tests/counted.c. Every
# allocation of tests/cli/faults.sh fails; FULL=1: all tests are of the size of `make check`.
COUNTED_TOOLS := $(BUILD)/coverage-tools
COUNTED_LINK  := --coverage $(COUNTED_TOOLS)/test/counted.o -Wl,-T,tests/counted.ld \
    -Wl,--wrap=__gcov_exit,--wrap=__gcov_fork,--wrap=__gcov_execvp
coverage-tools:
	@mkdir -p $(COUNTED_TOOLS)/test && rm -f $(COUNTED_TOOLS)/test/*.counts
	@find $(COUNTED_TOOLS)/test -name '*.gcda' -exec rm -f {} +
	@gcc -O1 -DCOUNTS='"$(abspath $(COUNTED_TOOLS)/test)"' -c -o $(COUNTED_TOOLS)/test/counted.o \
	    tests/counted.c
	+@-$(if $(FULL),TEST_FULL=1) FAULTS_FULL=1 FAULTS_MEMORY=1000 \
	    $(MAKE) --no-print-directory test BUILD='$(COUNTED_TOOLS)' CC=gcc SANITIZE= \
	    LESS_UB= TEST_OPT=-O1 REST_OPT='-O0 --coverage -fdata-sections' \
	    CPPFLAGS=-DNDEBUG LONGEST=tests/cli/faults.sh WHOLE= TESTS='$(notdir $(TOOL_TESTS))' \
	    SCRIPTS='$(filter tests/cli/%,$(SCRIPTS))' LDLIBS='$(LDLIBS) $(COUNTED_LINK)'
	@python3 tests/coverage.py --tools '$(COUNTED_TOOLS)' tests/unreachable_tools.csv

# Without sanitizers, in a folder of its own.
MUTATION := $(BUILD)/mutation
MUTANTS  ?= 400
SEED     ?= 1
mutation:
	+@$(MAKE) --no-print-directory built BUILT='$(TESTS:%=$(MUTATION)/test/%)' BUILD='$(MUTATION)' \
	    HEADERS='$(wildcard sgdperf*.h)' CC=gcc SANITIZE= LESS_UB= TEST_OPT=-O1 REST_OPT=-O1
	@python3 tests/mutate.py --mutants $(MUTANTS) --seed $(SEED) '$(MUTATION)' \
	    tests/equivalent_mutants.csv $(if $(filter file,$(origin HEADERS)),,$(HEADERS))

check-headers:
	@CC='$(CC)' TEST_FULL=1 sh tests/portability.sh

platforms:
	@sh tests/platforms.sh $(PLATFORM)

analyze:
	@sh tests/analyze.sh $(ANALYZER)

validate: all
	$(Q)$(BUILD)/sgdperf validate --bounds validation/bounds.csv

report: all
	$(Q)$(BUILD)/sgdperf report --out $(BUILD)/report.html

results: all
	@SGDPERF='$(BUILD)/sgdperf' sh validation/results.sh

referee: all
	@BUILD='$(BUILD)' sh validation/referee.sh
	@BUILD='$(BUILD)' sh validation/referee.sh fcfs

# The emulator; every point of PLAN is measured, into $(BUILD)/testbed/PLAN-measured.csv.
# OPTIONS are those of testbed.py.
NODE    := $(patsubst validation/%.c,$(BUILD)/%.o,$(wildcard validation/testbed/*.c))
PLAN    ?= validation/testbed/plans/full.csv
OPTIONS ?=

$(BUILD)/testbed/%.o: validation/testbed/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(BASE) $(CFLAGS) $(CPPFLAGS) $(DEPENDS) -c -o $@ $<

$(BUILD)/testbed/node: $(NODE)
	$(call say,LD,$@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS)

testbed: $(BUILD)/testbed/node
	@python3 validation/testbed/testbed.py --node $< $(OPTIONS) '$(PLAN)'

scheduling: all
	@SGDPERF='$(BUILD)/sgdperf' sh validation/scheduling.sh check

balancing: all
	@SGDPERF='$(BUILD)/sgdperf' sh validation/balancing.sh check

planning: all
	@SGDPERF='$(BUILD)/sgdperf' sh validation/planning.sh check

collectives: all
	@SGDPERF='$(BUILD)/sgdperf' sh validation/collectives.sh check

# ---- Benchmarks and figures --------------------------------------------------------

$(BUILD)/bench/%: bench/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(BASE) -DNDEBUG $(CFLAGS) $(DEPENDS) \
	    -DBENCH_FLAGS='"-DNDEBUG $(CFLAGS) -ffp-contract=off"' \
	    -MF $@.d -MT $@ -o $@ $< $(LDLIBS)

bench: $(BENCHES:%=$(BUILD)/bench/%)
	@for b in $^; do $$b $$b.csv || exit 1; echo; done

bench-peers: bench $(BUILD)/bench/peer_sgdperf
	@BUILD='$(BUILD)' CXX='$(CXX)' sh bench/peers.sh

# BENCH='bench_sim ...' for some of them, ROUNDS of each.
bench-against:
	@CC='$(CC)' CFLAGS='$(CFLAGS)' sh bench/against.sh $(REF)

# Each script draws its figures; on a terminal it says which one. What the program notes while
# it works for them is not shown, unless it fails.
FIGURES := $(patsubst plots/plot_%.py,figures-%,$(wildcard plots/plot_*.py))
$(FIGURES): figures-%: plots/plot_%.py all
	$(Q)$(PYTHON) $< $(BUILD)/sgdperf $(BUILD)/plots

plots: $(FIGURES)
	@echo "figures: $(BUILD)/plots"

# ---- The page: the commands that it runs, as WebAssembly ----------------------------

WASM_CC    ?= clang --target=wasm32-wasi
WASM_FLAGS := -std=c99 -ffp-contract=off $(WARNINGS) -Wno-pass-failed \
              -Wno-gnu-statement-expression $(WERROR) -I. -Itools -isystem web/platform \
              -D_WASI_EMULATED_PROCESS_CLOCKS -D_WASI_EMULATED_GETPID \
              -O2 -ffunction-sections -fdata-sections
# What a page cannot do (processes, journals) web/ does in its own way, or leaves out.
NOT_PAGED  := base/deal% base/forks base/journal% base/parallel base/process base/program \
              base/printers base/svg base/watch cmd/simulate/timeline
PAGE_TOOLS := $(filter-out $(NOT_PAGED),$(filter base/% files/% import/% cmd/rules \
                cmd/predict/% cmd/simulate/% cmd/advise/% cmd/import/% cmd/trace_from_layers, \
                $(TOOLS)))
PAGE_OWN   := $(patsubst web/%.c,%,$(wildcard web/*.c web/platform/*.c))
PAGE_OBJECTS := $(HEADERS:%.h=$(BUILD)/page/headers/%.o) $(PAGE_TOOLS:%=$(BUILD)/page/tools/%.o) \
                $(PAGE_OWN:%=$(BUILD)/page/%.o)

$(BUILD)/page/flags: always
	@mkdir -p $(@D)
	@echo '$(WASM_CC) $(WASM_FLAGS)' | cmp -s - $@ || echo '$(WASM_CC) $(WASM_FLAGS)' > $@

$(BUILD)/page/headers/%.o: %.h $(BUILD)/page/flags
	@mkdir -p $(@D)
	$(call say,WASM,$<)
	$(Q)$(WASM_CC) $(WASM_FLAGS) $(DEPENDS) -c -o $@ $(implementation)

$(BUILD)/page/tools/%.o: tools/%.c $(BUILD)/page/flags
	@mkdir -p $(@D)
	$(call say,WASM,$<)
	$(Q)$(WASM_CC) $(WASM_FLAGS) $(DEPENDS) -c -o $@ $<

$(BUILD)/page/%.o: web/%.c $(BUILD)/page/flags
	@mkdir -p $(@D)
	$(call say,WASM,$<)
	$(Q)$(WASM_CC) $(WASM_FLAGS) $(DEPENDS) -c -o $@ $<

$(BUILD)/page/sgdperf.wasm: $(PAGE_OBJECTS)
	$(call say,LD,$@)
	$(Q)$(WASM_CC) -Wl,--gc-sections,--strip-all,-z,stack-size=1048576 -o $@ $^ -lm \
	    -lwasi-emulated-process-clocks -lwasi-emulated-getpid

$(BUILD)/page/index.html: web/inline.sh $(BUILD)/page/sgdperf.wasm $(wildcard web/page.* web/*.js)
	$(call say,PAGE,$@)
	$(Q)sh $< web/page.html $(BUILD)/page/sgdperf.wasm > $@

page: $(BUILD)/page/index.html
	$(Q)cp $< web/index.html
	@echo "open web/index.html"

# ---- Installation ------------------------------------------------------------------

VERSION = $(shell sed -n 's/^\#define SGDPERF_VERSION_[MP][A-Z]* //p' sgdperf.h | paste -sd. -)

# Made from the --help of all commands.
$(BUILD)/sgdperf.1: tools/manual.sh tools/sgdperf.1.in $(BUILD)/sgdperf
	$(call say,MAN,$@)
	$(Q)sh $< $(BUILD)/sgdperf tools/sgdperf.1.in > $@

# A page for each command, and in section 3 for each header.
COMMANDS := $(shell sed -n 's/^@COMMAND \([a-z-]*\)@$$/\1/p' tools/sgdperf.1.in)
PAGES    := $(COMMANDS:%=$(BUILD)/sgdperf-%.1) $(HEADERS:%.h=$(BUILD)/%.3)
$(BUILD)/sgdperf-%.1: tools/manual.sh tools/sgdperf-command.1.in $(BUILD)/sgdperf
	$(call say,MAN,$@)
	$(Q)sh $< $(BUILD)/sgdperf tools/sgdperf-command.1.in $* > $@

$(BUILD)/%.3: %.h tools/header_page.sh
	$(call say,MAN,$@)
	$(Q)sh tools/header_page.sh $< > $@

COMPLETIONS := $(addprefix $(BUILD)/completion.,bash zsh fish)
$(BUILD)/completion.%: tools/completion.sh $(BUILD)/sgdperf
	$(call say,COMP,$@)
	$(Q)sh $< $(BUILD)/sgdperf $* > $@

# The headers compiled. Where objects are ELF also shared: its symbols have versions, and
# it a soname; elsewhere CMake and Meson know how.
SONAME   := libsgdperf.so.$(shell sed -n 's/^\#define SGDPERF_VERSION_MAJOR //p' sgdperf.h)
ELF      := $(if $(filter Darwin MINGW% MSYS% CYGWIN%,$(shell uname -s)),,yes)
SHARED    = $(if $(ELF),$(addprefix $(BUILD)/lib/,libsgdperf.so.$(VERSION) $(SONAME) libsgdperf.so))

$(BUILD)/lib/%.o: lib/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(BASE) -fPIC -fvisibility=hidden $(CFLAGS) $(CPPFLAGS) $(DEPENDS) -c -o $@ $<

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

install: all library $(PAGES) $(COMPLETIONS) $(BUILD)/sgdperf.pc $(BUILD)/sgdperf-compiled.pc
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/include $(DESTDIR)$(PREFIX)/lib \
	    $(DESTDIR)$(PREFIX)/share/man/man1 $(DESTDIR)$(PREFIX)/share/man/man3 \
	    $(DESTDIR)$(PREFIX)/share/pkgconfig $(DESTDIR)$(PREFIX)/share/sgdperf/plots
	install -m 755 $(BUILD)/sgdperf $(DESTDIR)$(PREFIX)/bin/
	install -m 644 $(HEADERS) $(DESTDIR)$(PREFIX)/include/
	cp -P $(SHARED) $(BUILD)/lib/libsgdperf.a $(DESTDIR)$(PREFIX)/lib/
	install -m 644 $(BUILD)/sgdperf.1 $(filter %.1,$(PAGES)) $(DESTDIR)$(PREFIX)/share/man/man1/
	install -m 644 $(filter %.3,$(PAGES)) $(DESTDIR)$(PREFIX)/share/man/man3/
	install -D -m 644 $(BUILD)/completion.bash \
	    $(DESTDIR)$(PREFIX)/share/bash-completion/completions/sgdperf
	install -D -m 644 $(BUILD)/completion.zsh $(DESTDIR)$(PREFIX)/share/zsh/site-functions/_sgdperf
	install -D -m 644 $(BUILD)/completion.fish \
	    $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/sgdperf.fish
	install -m 644 $(BUILD)/sgdperf.pc $(BUILD)/sgdperf-compiled.pc \
	    $(DESTDIR)$(PREFIX)/share/pkgconfig/
	install -m 644 plots/common.py plots/picture.py $(DESTDIR)$(PREFIX)/share/sgdperf/plots/

clean:
	rm -rf $(BUILD)

-include $(wildcard $(TOOLS:%=$(BUILD)/tools/%.d) $(TOOLS:%=$(BUILD)/test/tools/%.d) \
                    $(HEADERS:%.h=$(BUILD)/headers/%.d) $(HEADERS:%.h=$(BUILD)/test/headers/%.d) \
                    $(TESTS:%=$(BUILD)/test/%.d) \
                    $(patsubst %,$(BUILD)/mpi/%.d,sgdperf $(MPI_TOOLS)) \
                    $(BENCHES:%=$(BUILD)/bench/%.d) $(NODE:.o=.d) $(BUILD)/lib/sgdperf.d \
                    $(PAGE_OBJECTS:.o=.d))

# For what depends on variables given on the command line.
always:

.PHONY: all always built test mpi mpi-test check unit-tests coverage mutation \
        coverage-tools fuzz check-headers platforms analyze validate report results \
        referee testbed scheduling balancing planning collectives bench bench-peers \
        bench-against plots $(FIGURES) page library install clean
.DELETE_ON_ERROR:
