# rules.mk - predictions against what was measured and published; the testbed

validate: all
	$(Q)$(BUILD)/sgdperf validate --bounds validation/bounds.csv
	$(Q)$(BUILD)/sgdperf validate validation/infiniband.csv --bounds validation/infiniband_bounds.csv
	$(Q)$(BUILD)/sgdperf validate --bounds validation/streams/bounds.csv \
	    validation/streams/grpc.csv

report: all
	$(Q)$(BUILD)/sgdperf report --out $(BUILD)/report.html

results: all
	@SGDPERF='$(BUILD)/sgdperf' sh validation/results.sh

bands: all
	@SGDPERF='$(BUILD)/sgdperf' sh validation/bands.sh
	@$(MAKE) --no-print-directory all

referee: all
	@BUILD='$(BUILD)' sh validation/referee.sh
	@BUILD='$(BUILD)' sh validation/referee.sh fcfs

# The emulator; every point of PLAN is measured, into $(BUILD)/testbed/PLAN-measured.csv.
# OPTIONS are those of testbed.py.
NODE    := $(patsubst validation/%.c,$(BUILD)/%.o,$(wildcard validation/testbed/*.c))
PLAN    ?= validation/testbed/plans/full.csv
OPTIONS ?=

$(BUILD)/testbed/%.o: validation/testbed/%.c $(BUILD)/flags
	$(call compile,$(CFLAGS))

$(BUILD)/testbed/node: $(NODE)
	$(call say,LD,$@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS)

testbed: $(BUILD)/testbed/node
	@python3 validation/testbed/testbed.py --node $< $(OPTIONS) '$(PLAN)'

# Real streams of gRPC, recorded anew into $(BUILD)/streams/grpc.csv; needs libgrpc++-dev and root.
$(BUILD)/streams/node: validation/streams/streams.cc
	@mkdir -p $(@D)
	$(Q)$(CXX) -std=c++17 -O2 -o $@ $< $$(pkg-config --cflags --libs grpc++)

streams: $(BUILD)/streams/node
	@sh validation/streams/record.sh $< > $(BUILD)/streams/grpc.csv

scheduling balancing planning collectives: all
	@SGDPERF='$(BUILD)/sgdperf' sh validation/$@.sh check

.PHONY: validate report results bands referee testbed streams scheduling balancing planning \
        collectives
