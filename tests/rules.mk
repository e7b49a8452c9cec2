# rules.mk - tests: the same sources built with sanitizers, below build/test

TESTS    := $(patsubst tests/%.c,%,$(wildcard tests/test_*.c tests/fuzz_*.c))
SCRIPTS  := $(wildcard tests/house.sh tests/portability.sh tests/examples.sh \
              tests/packages.sh tests/python.sh tests/web.sh tests/cli/*.sh)
SCRIPTS  := $(filter-out tests/cli/mpi.sh,$(SCRIPTS))

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
$(call stamp,$(BUILD)/test/flags,$(CC) $(BASE) $(TEST_OPT) $(INNER_OPT) $(REST_OPT) $(OWN_OPT) \
    $(CPPFLAGS) $(strip $(LESS_UB)) $(if $(filter file,$(origin SANITIZE)),,$(SANITIZE)))
define compile_test
$(call say,CC,$<)
$(Q)$(CC) $(TEST_FLAGS) $(1) $(DEPENDS) -c -o $@ $(or $(2),$<)
endef

$(BUILD)/test/tools/%.o: tools/%.c $(BUILD)/test/flags
	$(call compile_test,$(LESS_START) $(CALLS) $(REST_OPT) -Itools)

$(BUILD)/test/headers/%.o: %.h $(BUILD)/test/flags
	$(call compile_test,$(TEST_OPT),$(implementation))

# Archives: a test of internals, which includes an implementation itself, takes only the
# others; and a test takes of the tools, if any, what it uses.
$(BUILD)/test/headers.a: $(HEADERS:%.h=$(BUILD)/test/headers/%.o)
$(BUILD)/test/tools.a: $(COMMON:%=$(BUILD)/test/tools/%.o)
$(BUILD)/test/headers.a $(BUILD)/test/tools.a:
	@rm -f $@
	$(Q)$(AR) rc $@ $^

# Fuzz targets meet work areas with gaps. Other tests ask for their sizes.
# In sgdperf.h the room of a curve's pass grows with them.
GAPPED := $(HEADERS:%.h=$(BUILD)/test/gaps/%.o)
$(BUILD)/test/gaps/%.h: %.h
	@mkdir -p $(@D)
	$(Q)sed 's/\(SGDP_PRIV_PASS_DOUBLES = \)64,/\1256,/' $< > $@
$(BUILD)/test/gaps/%.o: $(BUILD)/test/gaps/%.h tests/gaps.h $(BUILD)/test/flags
	$(call compile_test,$(TEST_OPT) -include tests/gaps.h,$(implementation))
$(patsubst %,$(BUILD)/test/fuzz_%,balance calibrate cluster collectives coordinate measure \
    network plan predict sched sgd sim trace traces): $(GAPPED)

$(BUILD)/test/sgdperf: $(BUILD)/test/headers.a $(TOOLS:%=$(BUILD)/test/tools/%.o)
	$(call say,LD,$@)
	$(Q)$(CC) $(TEST_FLAGS) $(REST_OPT) -o $@ $(filter %.o,$^) $< $(LDLIBS)

$(BUILD)/test/%.o: tests/%.c $(BUILD)/test/flags
	$(call compile_test,$(OPT) -Itools)

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
USE_TOOLS  := "((base|options|jobs|files|model|import)/|fuzz_(import|jobtrace)|trial|child|../tools)
TOOL_TESTS := $(patsubst tests/%.c,$(BUILD)/test/%,$(shell grep -lE '$(USE_TOOLS)' tests/*.c))
$(TOOL_TESTS): $(BUILD)/test/tools.a
$(BUILD)/test/fuzz_plot: $(patsubst %,$(BUILD)/test/tools/%.o,$(filter cmd/plot/%,$(TOOLS)))
$(BUILD)/test/fuzz_ranks $(BUILD)/test/test_commands $(BUILD)/test/test_relations: \
    $(patsubst %,$(BUILD)/test/tools/%.o,$(filter cmd/%,$(TOOLS)))

$(TESTS:%=$(BUILD)/test/%): %: %.o $(BUILD)/test/headers.a
	$(Q)$(CC) $(TEST_FLAGS) $(REST_OPT) -o $@ $(filter %.o,$^) $(filter %/tools.a,$^) \
	    $(BUILD)/test/headers.a $(LDLIBS)

# Builds what it can; a program that no longer builds is removed, and so fails.
TEST_PROGRAMS = $(TESTS:%=$(BUILD)/test/%)
again       = $(MAKE) --no-print-directory LESS_UB='$(LESS_UB)'
build_tests = $(again) -k built BUILT='$(1)' || for program in $(1); do \
    $(again) -q $$program 2>/dev/null || rm -f $$program; done
build_all   = $(call build_tests,$(BUILD)/test/sgdperf $(FAULTS) $(BUILD)/testbed/node \
                $(TEST_PROGRAMS))

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
           tests/cli/scaling.sh tests/cli/referee.sh tests/cli/scheduling.sh tests/cli/planning.sh \
           tests/cli/pipelines.sh
# Where no -j says otherwise, as many at once as tests/run.sh takes.
run_tests = CC='$(CC)' SANITIZE='$(SANITIZE)' BUILD='$(BUILD)' V='$(V)' sh tests/run.sh \
    $(patsubst -j%,-j %,$(filter-out -j$(CORES),$(filter -j%,$(MAKEFLAGS))))

test:
	+@$(build_all)
	@$(run_tests) $(filter-out $(WHOLE),$(ALL))

# The full size of a test contains the quick one.
OPTIMIZED ?= $(BUILD)/sgdperf
check: $(OPTIMIZED)
	+@$(build_all)
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
	+@$(MAKE) --no-print-directory built BUILD='$(MUTATION)' \
	    BUILT='$(MUTATION)/test/sgdperf $(TESTS:%=$(MUTATION)/test/%)' \
	    HEADERS='$(wildcard sgdperf*.h)' CC=gcc SANITIZE= LESS_UB= TEST_OPT=-O1 REST_OPT=-O1
	@python3 tests/mutate.py --mutants $(MUTANTS) --seed $(SEED) '$(MUTATION)' \
	    tests/equivalent_mutants.csv $(if $(filter file,$(origin HEADERS)),,$(HEADERS))

check-headers:
	@CC='$(CC)' TEST_FULL=1 sh tests/portability.sh

platforms:
	@sh tests/platforms.sh $(PLATFORM)

analyze:
	@sh tests/analyze.sh $(ANALYZER)

.PHONY: built test check unit-tests coverage mutation coverage-tools fuzz check-headers platforms \
        analyze
