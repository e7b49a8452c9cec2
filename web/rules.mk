# rules.mk - the page: the commands that it runs, as WebAssembly

WASM_CC    ?= clang --target=wasm32-wasi
WASM_FLAGS := -std=c99 -ffp-contract=off $(WARNINGS) -Wno-pass-failed \
              -Wno-gnu-statement-expression $(WERROR) -I. -Itools -isystem web/platform \
              -D_WASI_EMULATED_PROCESS_CLOCKS -D_WASI_EMULATED_GETPID \
              -O2 -ffunction-sections -fdata-sections
# What a page cannot do (processes, journals) web/ does in its own way, or leaves out.
NOT_PAGED  := base/forks base/printers base/svg jobs/% options/program cmd/simulate/timeline
PAGE_TOOLS := $(filter-out $(NOT_PAGED),$(filter base/% options/% files/% model/% import/% \
                cmd/rules cmd/networks cmd/stacks cmd/predict cmd/pipeline \
                cmd/simulate/% cmd/advise/% cmd/import/% \
                cmd/trace_from_layers,$(TOOLS)))
PAGE_OWN   := $(patsubst web/%.c,%,$(wildcard web/*.c web/platform/*.c))
PAGE_OBJECTS := $(HEADERS:%.h=$(BUILD)/page/headers/%.o) $(PAGE_TOOLS:%=$(BUILD)/page/tools/%.o) \
                $(PAGE_OWN:%=$(BUILD)/page/%.o)

$(BUILD)/page/flags: always
	@mkdir -p $(@D)
	@echo '$(WASM_CC) $(WASM_FLAGS)' | cmp -s - $@ || echo '$(WASM_CC) $(WASM_FLAGS)' > $@

define to_wasm
$(call say,WASM,$<)
$(Q)$(WASM_CC) $(WASM_FLAGS) $(DEPENDS) -c -o $@ $(or $(1),$<)
endef

$(BUILD)/page/headers/%.o: %.h $(BUILD)/page/flags
	$(call to_wasm,$(implementation))

$(BUILD)/page/tools/%.o: tools/%.c $(BUILD)/page/flags
	$(to_wasm)

$(BUILD)/page/%.o: web/%.c $(BUILD)/page/flags
	$(to_wasm)

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

.PHONY: page
