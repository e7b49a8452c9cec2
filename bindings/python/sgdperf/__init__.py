"""Performance models of distributed SGD.

    import sgdperf
    compute = sgdperf.Compute(forward_s=0.010, backward_s=0.019, update_s=0.018)
    job = sgdperf.Job(model_bytes=9e6, compute=compute,
                      links=sgdperf.Links(bandwidth_bytes_per_s=125e6))
    point = sgdperf.predict(job, sgdperf.Model.ASYNC_SWITCH, 4)
    print(f"{point.batches_per_s:.2f} steps/s", sgdperf.resource_text(point.bottleneck))

sgdperf has what sgdperf.h predicts with; sgdperf.fit learns from measurements, sgdperf.sim
replays, sgdperf.sched decides who gets nodes, sgdperf.balance evens out workers, sgdperf.forecast
foresees their speeds, sgdperf.parallel predicts steps on accelerators, sgdperf.plan splits a network.
Names are those of the headers without their prefix: sgdsim_run is sgdperf.sim.run, sgdp_mva_result
is sgdperf.MvaResult. The package brings work areas, takes counts from arrays, and raises statuses
as exceptions. import_trace, cluster and plot call the program sgdperf.
"""

from . import balance, core, fit, forecast, parallel, plan, program, sched, sim
from .core import *  # noqa: F401,F403
from .program import (  # noqa: F401
    ProgramFailed, ProgramMissing, cluster, command, import_trace, plot)

__version__ = "{}.{}.{}".format(
    core.version() // 10000, core.version() // 100 % 100, core.version() % 100)
__all__ = [*core.__all__, *program.__all__, "balance", "fit", "forecast", "parallel", "plan",
           "sched", "sim"]
