# rules.mk - figures

# The first python3 that has matplotlib.
PYTHON  ?= $(firstword $(foreach p,python3 /usr/bin/python3,$(shell \
             $(p) -c 'import matplotlib' 2>/dev/null && echo $(p))) python3)

# Each script draws its figures; on a terminal it says which one. What the program notes while
# it works for them is not shown, unless it fails.
FIGURES := $(patsubst plots/plot_%.py,figures-%,$(wildcard plots/plot_*.py))
$(FIGURES): figures-%: plots/plot_%.py all
	$(Q)$(PYTHON) $< $(BUILD)/sgdperf $(BUILD)/plots

plots: $(FIGURES)
	@echo "figures: $(BUILD)/plots"

# The picture of the README, by the program alone.
picture: all
	$(Q)SGDPERF='$(BUILD)/sgdperf' sh plots/curve.sh docs/curve.svg

.PHONY: plots picture $(FIGURES)
