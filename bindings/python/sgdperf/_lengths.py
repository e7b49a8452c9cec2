"""How many elements arrays have where the comment of a struct's field does not say it by the
name of another field. A length is an expression over the fields of the struct or over the
arguments of the function. What a function takes and no line names has one element. "return" is
what a function returns.
"""

# Of a struct's own fields.
FIELDS = {
    "sgdp_network": {
        "population": "classes", "think_s": "classes", "demand_s": "classes * stations",
        "capacity": "stations", "discipline": "stations", "rates": "stations * rate_tasks"},
    "sgdfit_design": {"measured": "n * unknowns", "candidate": "m * unknowns"},
    "sgdpar_pipeline": {"stage": "devices * (chunks or 1)"},
    "sgdplan_split": {"worker": "(replications or 1) * (partitions or 1)"},
    "sgdfc_config": {"start": "weights(kind)"},
    "sgdsched_response": {"quantile_s": "probabilities or 4"},
    "sgdsim_step": {"op": "ops"},
    "sgdsim_trace": {"step": "steps"},
}

_MVA = {"out.throughput_per_s": "net.classes", "out.response_s": "net.classes * net.stations",
        "out.queue": "net.stations", "out.utilization": "net.stations",
        "out.gamma": "net.stations", "out.class_queue": "net.classes * net.stations",
        "out.class_utilization": "net.classes * net.stations"}
_TYPES = {"out.types.batches_per_s": "job.workers.types or 1",
          "out.types.waiting_share": "job.workers.types or 1"}
_CURVE = {"curve.out[].types.batches_per_s": "job.workers.types or 1",
          "curve.out[].types.waiting_share": "job.workers.types or 1"}
_SCHEME = {"config.balance.config.start": "config.workers.count",
           "config.balance.config.max_batch": "config.workers.count",
           "config.balance.config.least_batch": "config.workers.count",
           "config.balance.config.curve": "config.workers.count"}
_SCHEME_RUN = {**_SCHEME,
               "out.workers.waiting_share": "config.workers.count",
               "out.workers.last_batch": "config.workers.count",
               "out.workers.pushed": "config.workers.count"}
_RUN = {"config.links.worker_bandwidth_bytes_per_s": "config.workers.types",
        "config.links.delay_s": "config.workers.types",
        "config.workers.lead": "jobs(config.workers.job)",
        "config.variation.sequence": "total(config.workers.count) * config.length.steps"}
_RESULT = {"step_end_s": "total(config.workers.count) * config.length.steps",
           "waiting": "total(config.workers.count)",
           "job_batches_per_s": "jobs(config.workers.job)"}
_GIVEN = {"problem.fixed": "problem.job.layers"}

# Of a function's arguments, and of fields of these.
CALLS = {
    "sgdp_mva_exact": _MVA, "sgdp_mva_hybrid_approx": _MVA, "sgdp_mva_approx": _MVA,
    "sgdp_mva_bounds": {"lower_per_s": "net.classes", "upper_per_s": "net.classes"},
    "sgdp_predict": _TYPES,
    "sgdp_predict_curve": _CURVE,
    "sgdp_elasticity": {"elasticity": "count('SGDP_INPUT_COUNT')"},
    "sgdp_knee": {"batches_per_s": "n"},
    "sgdp_greedy_shares": {"layer_bytes": "layers", "shares": "servers", "server": "layers"},
    "sgdp_runs_open": {"range": "runs.unknowns"},
    "sgdp_runs_predict": {"value": "ctx.unknowns", "rate": "count"},
    "sgdp_runs_elasticity": {"value": "ctx.unknowns", "e": "ctx.unknowns"},
    "sgdp_remedies": {"gain": "count('SGDP_REMEDY_COUNT')"},
    "sgdbal_worker_fit": {"batch": "points", "time_s": "points"},
    "sgdbal_balancer_batches": {"return": "b.workers"},
    "sgdbal_batches_optimal": {"worker": "workers", "batch": "workers"},
    "sgdbal_batches_proportional": {"batch": "shares.workers"},
    "sgdbal_balancer_step": {
        "batch": "b.workers", "iteration.time_s": "b.workers", "iteration.batch": "b.workers",
        "iteration.memory": "b.workers", "iteration.predicted": "b.workers"},
    "sgdbal_scheme_run": _SCHEME_RUN, "sgdbal_scheme_run_steady": _SCHEME_RUN,
    "sgdbal_scheme_check": _SCHEME,
    "sgdbal_gradient_weights": {"batch": "workers", "weight": "workers"},
    "sgdbal_gradient_aggregate": {"gradient": "workers", "gradient[]": "size",
                                  "batch": "workers", "out": "size"},
    "sgdbal_partitions_step": {"batch": "p.workers"},
    "sgdfit_nnls": {"x": "of.columns"},
    "sgdfit_fit": {"point": "n"},
    "sgdfit_leave_out": {"point": "n", "out.curve": "n"},
    "sgdfit_left_out_range": {"of.curve": "n"},
    "sgdfit_suggest_points": {"chosen": "count", "spread": "count"},
    "sgdfit_profile_phases": {"record": "n", "statistics": "count('SGDFIT_PHASE_COUNT')"},
    "sgdfit_profile_steps": {"record": "n"},
    "sgdfit_profile_gaps": {"record": "n", "gap": "2 * n"},
    "sgdfit_profile_activity": {"stalled_from_s": "of.n"},
    "sgdfit_told": {"value": "of.unknowns", "told": "of.unknowns"},
    "sgdfit_suggest_runs": {"chosen": "count", "spread": "count"},
    "sgdfit_line": {"x": "n", "y": "n"},
    "sgdpar_stream_ends": {"stream": "n", "end_s": "n"},
    "sgdfit_quantile": {"sorted": "n"},
    "sgdfc_learned": {"weights": "p.weights"},
    "sgdfc_run": {"out.predicted": "series.rows", "out.weights": "weights(config.kind)"},
    "sgdpar_buckets": {"tensor": "n", "bucket_bytes": "n", "first": "n"},
    "sgdpar_pipeline_time": {"device": "pipeline.devices"},
    "sgdpar_pipeline_transfers": {
        "stage": "devices * chunks", "of.gradient_bytes": "devices * chunks",
        "of.output_bytes": "devices * chunks"},
    "sgdpar_pipeline_replay": {"device": "pipeline.devices",
                               "links.machine": "pipeline.devices"},
    "sgdpar_remedies": {"gain": "count('SGDPAR_REMEDY_COUNT')"},
    "sgdplan_layer_sizes": {"layer": "layers", "size": "layers"},
    "sgdplan_weight_time": {"configuration.split": "job.layers"},
    "sgdplan_epoch_time": {"configuration.split": "job.layers", "by_layer": "job.layers"},
    "sgdplan_check_problem": _GIVEN,
    "sgdplan_best_splits": {**_GIVEN, "split": "problem.job.layers"},
    "sgdplan_search": {**_GIVEN, "out.split": "out.room * problem.job.layers"},
    "sgdplan_search_count": _GIVEN,
    "sgdplan_place_contiguously": {
        "worker": "(split.replications or 1) * (split.partitions or 1)"},
    "sgdplan_place_costs": {
        "cost": "(split.replications or 1) * (split.partitions or 1) * workers"},
    "sgdplan_assign_segments": {"worker": "matching.segments"},
    "sgdplan_place_segments": {
        "configuration.split": "job.layers", "out.split": "job.layers",
        "out.worker": "job.layers * configuration.workers", "out.assigned": "job.layers"},
    "sgdplan_split_stages": {"first": "of.stages"},
    "sgdplan_largest_stage": {"first": "of.stages"},
    "sgdplan_improve_split": {"first": "of.stages"},
    "sgdsched_advise": {"choice": "n", "outlay": "n"},
    "sgdsched_allocate": {"nodes": "in_.jobs"},
    "sgdsched_live_decide": {"change": "s.jobs"},
    "sgdsched_cluster_run": {
        "out.part": "cluster.parts", "out.response.quantile_s": "out.response.probabilities or 4",
        "out.part[].quantile_s": "out.response.probabilities or 4"},
    "sgdsched_rigid_run": {"stay": "in_.jobs"},
    "sgdsched_queue_decide": {"start": "min(q.jobs, q.nodes)"},
    "sgdsim_trace_layers": {"layer": "n", "op": "5 * n", "waits": "5 * n"},
    "sgdsim_trace_buckets": {"layer": "n", "out.op": "5 * n", "out.waits": "2 * n",
                             "closing": "n"},
    "sgdsim_trace_split": {
        "share": "servers", "out": "step.ops * servers", "first": "step.ops + 1",
        "waits": "waits_of(step.op, step.ops) * servers"},
    "sgdsim_trace_chain": {
        "out": "step.ops * copies",
        "waits": "(step.ops + waits_of(step.op, step.ops)) * copies"},
    "sgdsim_trace_recorded": {
        "out.op": "in_.records", "out.from_": "in_.records",
        "out.waits": "in_.records + waits_of(in_.record, in_.records)"},
    "sgdsim_trace_exchanges": {
        "out.op": "3 * in_.exchanges + 1", "out.waits": "5 * in_.exchanges + 2",
        "out.from_": "3 * in_.exchanges + 1"},
    "sgdsim_share_max_min": {"flow": "flows"},
    "sgdsim_run_check": _RUN,
    "sgdsim_run": {**_RUN, **{"out." + name: length for name, length in _RESULT.items()}},
    "sgdsim_estimate_mean": {"x": "n"},
    "sgdsim_find_rates": {"x": "n"},
    "sgdsim_replicate": {
        **_RUN, **{"out.result." + name: length for name, length in _RESULT.items()},
        "out.run_batches_per_s": "runs"},
    "sgdsim_run_groups": {
        "group": "groups", "out": "groups",
        "out[].step_end_s": "group[].length.steps", "out[].waiting":
        "total(group[].workers.count)"},
    "sgdsim_trace_tensors": {"out.op": "2 * in_.tensors + 4", "out.waits": "3 * in_.tensors + 4"},
    "sgdsim_trace_join": {"layer": "n", "unit": "n"},
    "sgdsim_trace_units": {"unit": "n", "op": "5 * n + 1", "waits": "8 * n"},
    "sgdsim_trace_accumulate": {
        "out.op": "passes * (pass_ + 1) + step.ops",
        "out.waits": "passes * (2 * pass_ + waits_of(step.op, step.ops)) + step.ops"},
    "sgdsim_trace_expose": {
        "out.op": "step.ops", "out.from_": "step.ops",
        "out.waits": "4 * step.ops + waits_of(step.op, step.ops)"},
    "sgdsim_trace_machine": {
        "out.op": "2 * step.ops", "out.from_": "2 * step.ops",
        "out.waits": "step.ops + waits_of(step.op, step.ops)"},
    "sgdsim_order_transfers": {"order": "step.ops"},
    "sgdsim_order_search": {**_RUN, "order": "ops_of(config.workers.trace)"},
}

# What a handle knows of the arguments with which it was opened.
HANDLES = {
    "sgdbal_balancer_open": {"workers": "config.workers"},
    "sgdbal_partitions_open": {"workers": "config.workers"},
    "sgdfc_open": {"weights": "weights(config.kind)"},
    "sgdsched_live_open": {"jobs": "room.jobs"},
    "sgdsched_queue_open": {"jobs": "max_jobs", "nodes": "nodes"},
}

# Functions that C calls back without Python between, and the struct that is their context.
CONTEXTS = {"sgdp_runs_predict": "sgdp_runs", "sgdp_runs_elasticity": "sgdp_runs"}

# Functions whose result has arrays that C wants: they are made where `out` has none.
ROOM = {"sgdfit_leave_out", "sgdplan_place_segments", "sgdsim_trace_expose"}
