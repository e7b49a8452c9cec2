# rules.mk - micro-benchmarks

BENCHES  := $(patsubst bench/%.c,%,$(wildcard bench/bench_*.c))

$(BUILD)/bench/%: bench/%.c $(BUILD)/flags
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

.PHONY: bench bench-peers bench-against
