"""Arrays of all kinds: counts come from them, none is read or written beyond its end, and
what does not fit is an exception that names the field."""

import inspect
import threading
import unittest

import numpy as np

import sgdperf
from sgdperf import _base, _lengths, balance, core, fit, forecast, parallel, plan, sched, sim

MODULES = (balance, core, fit, forecast, parallel, plan, sched, sim)


def a_job(**more):
    compute = sgdperf.Compute(forward_s=0.010, backward_s=0.019, update_s=0.018)
    return sgdperf.Job(model_bytes=9e6, compute=compute,
                       links=sgdperf.Links(bandwidth_bytes_per_s=125e6), **more)


def curves():
    return [sched.Curve([1, 1.9, 2.6, 3]), sched.Curve([2, 2.4, 2.5, 2.5])]


def three_jobs():
    return [sched.Job(0, 9000), sched.Job(1, 4000), sched.Job(0, 2000)]


def rules():
    return sched.Rules(policy=sched.Policy.HELL, nodes=8, fill=1)


def two_layers():
    return [sim.Layer(4e6, 0.004, 0.008, 0.006), sim.Layer(5e6, 0.006, 0.011, 0.012)]


def a_run(**more):
    ops, waits = [sim.Op() for _ in range(10)], np.zeros(10, np.uint32)
    sim.trace_layers(two_layers(), None, 0, ops, waits)
    return sim.Config(workers=sim.Workers(trace=[sim.Trace([sim.Step(ops)])], count=[4]),
                      length=sim.Length(steps=100),
                      links=sim.Links(sim.Link.FCFS, bandwidth_bytes_per_s=125e6), **more)


def closed(**more):
    return sgdperf.Network(population=[3, 2], think_s=[0.1, 0.2],
                           demand_s=np.array([[0.1, 0.2, 0.3], [0.3, 0.2, 0.1]]), **more)


class Says(unittest.TestCase):
    def says(self, text, wrong, kind=ValueError):
        with self.assertRaises(kind) as said:
            wrong()
        self.assertEqual(str(said.exception), text)


class Counts(Says):
    def test_a_count_is_the_length_of_its_array(self):
        self.assertEqual(sched.Curve([1, 2, 3]).nodes, 3)
        self.assertEqual(sgdperf.Servers(shares=[0.25, 0.75]).count, 2)
        in_ = sched.Jobs(curves(), job=three_jobs())
        self.assertEqual((in_.curves, in_.jobs), (2, 3))
        net = closed()
        self.assertEqual((net.classes, net.stations), (2, 3))
        job = a_job()
        job.servers.shares = [0.5, 0.3, 0.2]
        self.assertEqual(job.servers.count, 3)
        job.servers.shares = None
        self.assertEqual(job.servers.count, 0)

    def test_a_count_given_as_none_is_that_of_the_call(self):
        nodes, idle = np.zeros(3, np.uint32), np.zeros(1, np.uint32)
        sched.allocate(rules(), sched.Jobs(curves(), job=three_jobs()), nodes, idle)
        self.assertEqual((list(nodes), idle[0]), ([3, 1, 4], 0))
        self.assertEqual(f"{sim.run(a_run()).batches_per_s:.2f}", "13.84")
        knee, x = np.zeros(1, np.uintp), np.array([1, 1.9, 2.6, 2.65])
        sgdperf.knee(x, None, 0.1, knee)
        again = knee.copy()
        sgdperf.knee(x, 4, 0.1, again)
        self.assertEqual(knee[0], again[0])

    def test_results_left_out_are_as_many_as_what_is_run(self):
        def cost(ctx, what, size, out):
            out.alone_s = size / 1e8
            return 1

        group = sim.Group(workers=a_run().workers, length=sim.Length(steps=10), cost=cost)
        one = sim.run_groups(group)
        self.assertGreater(one.batches_per_s, 0)
        self.assertEqual([each.batches_per_s for each in sim.run_groups([group, group])],
                         [one.batches_per_s] * 2)

    def test_a_smaller_count_that_is_given_holds(self):
        curve = sched.Curve([1, 1.9, 2.6, 3], nodes=2)
        self.assertEqual(curve.nodes, 2)
        in_ = sched.Jobs(curves(), 2, three_jobs(), 1)
        nodes, idle = np.zeros(1, np.uint32), np.zeros(1, np.uint32)
        sched.allocate(rules(), in_, nodes, idle)
        curve.throughput_per_s = [1, 2, 3]
        self.assertEqual(curve.nodes, 2)

    def test_arrays_that_disagree_are_refused(self):
        self.says("Workers.trace: 1 element, but types = 2",
                  lambda: sim.Workers(trace=[sim.Trace()], count=[1, 2]))
        self.says("Workers.trace: 2 elements, but another array has 1; give types",
                  lambda: sim.Workers(trace=[sim.Trace(), sim.Trace()], count=[1]))


class Ends(Says):
    def test_an_array_too_short_is_refused_with_its_field(self):
        self.says("Curve.throughput_per_s: 2 elements, but nodes = 4",
                  lambda: sched.Curve([1, 2], nodes=4))
        self.says("Servers.shares: 1 element, but count = 3",
                  lambda: sgdperf.Servers(count=3, shares=[1.0]))
        self.says("Jobs.job: 3 elements, but jobs = 4294967296",
                  lambda: sched.Jobs(job=three_jobs(), jobs=2**32))
        job = a_job()
        job.servers = sgdperf.Servers(shares=[0.5, 0.5])
        job.servers.count = 4
        self.says("Servers.shares: 2 elements, but count = 4",
                  lambda: sgdperf.predict(job, sgdperf.Model.SYNC_PS, 4))

    def test_rows_are_taken_where_an_array_has_them(self):
        self.says("Servers.shares: array([[0.5, 0.5]]): shape (1, 2), but an array of 1 dimension "
                  "is needed", lambda: sgdperf.Servers(shares=np.array([[0.5, 0.5]])))
        self.says("knee: batches_per_s: [[1.0, 2.0]]: shape (1, 2), but an array of 1 dimension "
                  "is needed", lambda: sgdperf.knee([[1.0, 2.0]], 2, 0.1, np.zeros(1, np.uintp)))
        with self.assertRaises(ValueError):
            closed(capacity=[[1, 1, 1]])
        self.says("Network.demand_s: rows of 2 elements, but stations = 3",
                  lambda: sgdperf.Network(classes=2, stations=3, population=[3, 2],
                                          think_s=[0.1, 0.2], demand_s=np.ones((3, 2))))
        queue = np.zeros((2, 3))
        sgdperf.mva_exact(closed(), None, sgdperf.MvaResult(class_queue=queue))
        self.assertTrue((queue > 0).all())
        self.says("mva_exact: out.response_s: rows of 2 elements, but net.stations = 3",
                  lambda: sgdperf.mva_exact(closed(), None,
                                            sgdperf.MvaResult(response_s=np.zeros((3, 2)))))
        self.says("run: out.step_end_s: rows of 4 elements, but config.length.steps = 100",
                  lambda: sim.run(a_run(), sim.Result(step_end_s=np.zeros((100, 4)))))
        ops, waits = [sim.Op() for _ in range(10)], np.zeros((2, 5), np.uint32)
        with self.assertRaisesRegex(ValueError, "trace_layers: waits: .*1 dimension"):
            sim.trace_layers(two_layers(), None, 0, ops, waits)

    def test_an_output_too_short_is_refused_with_its_name_and_unchanged(self):
        in_ = sched.Jobs(curves(), job=three_jobs())
        whole = np.full(3, 7, np.uint32)
        idle = np.zeros(1, np.uint32)
        self.says("allocate: nodes: 2 elements, but in_.jobs = 3",
                  lambda: sched.allocate(rules(), in_, whole[:2], idle))
        self.says("allocate: idle: 0 elements, but 1 is needed",
                  lambda: sched.allocate(rules(), in_, whole, idle[:0]))
        self.assertEqual(list(whole), [7, 7, 7])
        for name, length in ("throughput_per_s", 2), ("queue", 3), ("response_s", 6):
            out = sgdperf.MvaResult(**{name: np.zeros(length - 1)})
            with self.assertRaises(ValueError) as said:
                sgdperf.mva_exact(closed(), None, out)
            self.assertIn(f"mva_exact: out.{name}: {length - 1} element{'s' * (length > 2)}, but ",
                          str(said.exception))
            sgdperf.mva_exact(closed(), None, sgdperf.MvaResult(**{name: np.zeros(length)}))

    def test_arrays_behind_structs_of_structs_are_checked(self):
        out = sim.Result(step_end_s=np.zeros(399))
        self.says("run: out.step_end_s: 399 elements, but "
                  "total(config.workers.count) * config.length.steps = 400",
                  lambda: sim.run(a_run(), out))
        out = sim.Result(waiting=[sim.Waiting() for _ in range(3)])
        self.says("run: out.waiting: 3 elements, but total(config.workers.count) = 4",
                  lambda: sim.run(a_run(), out))
        run = a_run(variation=sim.Variation(sequence=[0] * 10))
        self.says("run: config.variation.sequence: 10 elements, but "
                  "total(config.workers.count) * config.length.steps = 400", lambda: sim.run(run))
        share = sgdperf.Types(batches_per_s=np.zeros(0))
        self.says("predict: out.types.batches_per_s: 0 elements, but "
                  "job.workers.types or 1 = 1",
                  lambda: sgdperf.predict(a_job(), sgdperf.Model.SYNC_PS, 2,
                                          sgdperf.Prediction(types=share)))
        ops, waits = [sim.Op() for _ in range(10)], np.zeros(9, np.uint32)
        self.says("trace_layers: waits: 9 elements, but 5 * n = 10",
                  lambda: sim.trace_layers(two_layers(), None, 0, ops, waits))
        self.says("trace_layers: op: 9 elements, but 5 * n = 10",
                  lambda: sim.trace_layers(two_layers(), None, 0, ops[:9], np.zeros(10, np.uint32)))

    def test_a_struct_that_is_written_twice_is_refused(self):
        out = [sgdperf.Prediction()] * 2
        with self.assertRaisesRegex(ValueError, "Curve.out: .*: a struct stands twice"):
            sgdperf.Curve(workers=[1, 2], out=out)
        with self.assertRaisesRegex(ValueError, "trace_layers: op: .*: a struct stands twice"):
            sim.trace_layers(two_layers(), None, 0, [sim.Op()] * 10, np.zeros(10, np.uint32))

    def test_points_of_a_curve_are_checked_one_by_one(self):
        def room(*lengths):
            return [sgdperf.Prediction(types=sgdperf.Types(batches_per_s=np.zeros(n)))
                    for n in lengths]

        curve = sgdperf.Curve(workers=[1, 2], out=room(1, 0))
        self.says("predict_curve: curve.out[1].types.batches_per_s: 0 elements, but "
                  "job.workers.types or 1 = 1",
                  lambda: sgdperf.predict_curve(a_job(), sgdperf.Model.SYNC_PS, curve))
        curve = sgdperf.Curve(workers=[1, 2], out=room(1, 1))
        sgdperf.predict_curve(a_job(), sgdperf.Model.SYNC_PS, curve)
        self.assertGreater(curve.out[1].types.batches_per_s[0], 0)
        self.says("Curve.out: 1 element, but points = 2",
                  lambda: sgdperf.Curve(workers=[1, 2], out=room(1)))

    def test_a_handle_knows_how_long_its_arrays_are(self):
        made = balance.balancer_open(balance.BalancerConfig(
            method=balance.Method.SPEED, start=[10, 10]))
        batch = np.zeros(2, np.uint32)
        step = balance.Iteration(time_s=[1.0, 3.0], batch=[10, 10])
        self.says("balancer_step: batch: 1 element, but b.workers = 2",
                  lambda: balance.balancer_step(made, step, batch[:1], balance.Decision()))
        self.says("balancer_step: iteration.time_s: 1 element, but b.workers = 2",
                  lambda: balance.balancer_step(made, balance.Iteration(time_s=[1.0]), batch,
                                                balance.Decision()))
        balance.balancer_step(made, step, batch, balance.Decision())
        queue = sched.queue_open(8, sched.Queueing.EASY, 5)
        self.says("queue_decide: start: 4 elements, but min(q.jobs, q.nodes) = 5",
                  lambda: sched.queue_decide(queue, np.zeros(4, np.uintp), np.zeros(1, np.uintp)))

    def test_rows_of_gradients_are_checked_one_by_one(self):
        out = np.zeros(3)
        rows = [np.ones(3), np.full(3, 3.0)]
        balance.gradient_aggregate(rows, [1, 1], None, 3, out)
        self.assertEqual(list(out), [2.0, 2.0, 2.0])
        self.says("gradient_aggregate: gradient[1]: 2 elements, but size = 3",
                  lambda: balance.gradient_aggregate([rows[0], rows[1][:2]], [1, 1], 2, 3, out))
        self.says("gradient_aggregate: gradient: 1 element, but workers = 2",
                  lambda: balance.gradient_aggregate(rows[:1], [1, 1], 2, 3, out))
        self.says("gradient_aggregate: out: 3 elements, but size = 4",
                  lambda: balance.gradient_aggregate([np.ones(4)] * 2, [1, 1], 2, 4, out))

    def test_fits_without_a_point_need_room_for_each(self):
        points = [fit.Point(workers=n, batches_per_s=n / (0.1 + 0.01 * n)) for n in (1, 2, 4)]
        model = fit.Blackbox.OPTIMUS_ASYNC
        left = fit.LeftOut(curve=[fit.Curve() for _ in range(2)])
        self.says("leave_out: out.curve: 2 elements, but n = 3",
                  lambda: fit.leave_out(model, points, 3, left))
        left = fit.leave_out(model, points)
        self.assertEqual(len(left.curve), 3)
        self.assertLess(left.max_error, 1e-12)
        self.says("leave_out: point: 3 elements, but n = 1099511627776",
                  lambda: fit.leave_out(model, points, 2**40))
        self.assertEqual(list(fit.fit(model, points).parameter),
                         list(fit.fit(model, points, 3).parameter))
        low, high = np.zeros(1), np.zeros(1)
        fit.left_out_range(left, 3, 8, 0, low, high)
        self.assertAlmostEqual(low[0], 8 / 0.18, 9)
        self.says("left_out_range: of.curve: 3 elements, but n = 4",
                  lambda: fit.left_out_range(left, 4, 8, 0, low, high))

    def test_counts_of_any_size_are_refused_before_memory_is_read(self):
        for n in 3, 2**32, 2**63:
            with self.assertRaises(ValueError):
                sgdperf.knee([1.0, 2.0], n, 0.1, np.zeros(1, np.uintp))
        with self.assertRaises(ValueError):
            sim.trace_layers(two_layers(), 2**40, 0, [sim.Op()], np.zeros(1, np.uint32))

    def test_every_pointer_has_a_length(self):
        """What no line of the table names is one struct, one number or a context."""
        single = {"sgdp_measurement.job", "sgdp_profile.job", "sgdp_profile.unsure",
                  "sgdbal_balancing.config", "sgdfit_point_design.fit", "sgdfit_rows.only",
                  "sgdfit_rows.without", "sgdsim_links.tcp", "sgdsim_transfers.overhead",
                  "sgdbal_barrier.time_s", "sgdbal_barrier.batch",      # made by C alone
                  "sgdsched_shared_link.share", "sgdsched_shared_link.work"}    # a context
        by_call = {path.split(".")[-1] for lengths in _lengths.CALLS.values()
                   for path in lengths if "." in path}
        missing = []
        for name, made in _base._CLASSES.items():
            for field, about in made._fields().items():
                if about.type.kind != "pointer" or about.type.item.kind in ("function", "void") \
                        or about.type.item.cname.endswith("char"):
                    continue
                known = field in made._lengths or f"{name}.{field}" in single \
                    or field in by_call or field + "_" in by_call
                if not known:
                    missing.append(f"{name}.{field}")
        self.assertEqual(missing, [])

    def test_every_length_of_the_table_can_be_said(self):
        known = set(_base._SAYS)
        for module in MODULES:
            for name, function in inspect.getmembers(module, inspect.isfunction):
                lengths = next((lengths for c, lengths in _lengths.CALLS.items()
                                if c.partition("_")[2] == name
                                and hasattr(_base.lib, c) and c in inspect.getsource(function)), {})
                arguments = set(inspect.signature(function).parameters)
                for path, length in lengths.items():
                    self.assertIn(path.split(".")[0].replace("[]", ""), {"return", *arguments}, name)
                    names = {each for each in _base._compiled(length).co_names}
                    self.assertTrue(names & (known | arguments) or length.isdigit(), (name, length))
        for function in _lengths.CALLS:
            self.assertTrue(hasattr(_base.lib, function), function)


class Guards(unittest.TestCase):
    """Each output has as many elements as the table says, and two more that stay."""

    def numbers(self, count, dtype=np.uint32):
        self.held.append(np.full(count + 2, 77, dtype))
        return self.held[-1]

    def ops(self, count):
        made = [sim.Op(duration_s=77.0) for _ in range(count + 2)]
        self.held.append(made)
        return made

    def setUp(self):
        self.held = []
        self.step_ops, self.step_waits = [sim.Op() for _ in range(10)], np.zeros(10, np.uint32)
        sim.trace_layers(two_layers(), 2, 0, self.step_ops, self.step_waits)
        self.step = sim.Step(self.step_ops)
        self.waits = sum(op.waits for op in self.step_ops)

    def tearDown(self):
        for each in self.held:
            rest = [op.duration_s if isinstance(op, sim.Op) else op for op in each[-2:]]
            self.assertEqual(rest, [77, 77])

    def draft(self, ops, waits, origin=0):
        return sim.Draft(self.ops(ops), self.numbers(waits), self.numbers(origin))

    def one(self, dtype=np.uintp):
        return np.zeros(1, dtype)

    def test_steps(self):
        n = self.one()
        sim.trace_layers(two_layers(), 2, 1, self.ops(10), self.numbers(10))
        sim.trace_split(self.step, [0.5, 0.3, 0.2], 3, self.ops(30),
                        self.numbers(3 * self.waits), self.numbers(11, np.uintp))
        sim.trace_chain(self.step, 3, self.ops(30), self.numbers(3 * (10 + self.waits)))
        sim.trace_tensors(sim.Tensors(tensor=two_layers(), forward_s=0.01),
                          self.draft(8, 10), n)
        sim.trace_accumulate(self.step, 4, 3, 1, self.draft(
            3 * 5 + 10, 3 * (8 + self.waits) + 10), n)
        sim.trace_expose(self.step, 1.5, self.draft(10, 40 + self.waits, 10))
        sim.trace_machine(self.step, 4, 1e9, self.draft(20, 10 + self.waits, 20), n)
        sim.trace_join(two_layers(), 2, 1.0, [sim.Layer(), sim.Layer()], n)
        sim.trace_units(two_layers(), 2, 1, 1.0, self.ops(11), self.numbers(16))
        sim.order_transfers(self.step, sim.Ordering(sim.Order.REVERSE), self.numbers(10), n)
        sim.order_search(a_run(), 3, self.numbers(10), n)
        out = sim.Draft(self.step_ops + self.ops(0), self.numbers(4))
        sim.trace_buckets(two_layers(), 2, 1e6, out, self.numbers(2, np.uintp), n)

    def test_recorded_steps(self):
        records = [sim.Record(resource=sim.Resource.WORKER, start_s=0.0, end_s=1.0),
                   sim.Record(resource=sim.Resource.UPLINK, start_s=1.0, end_s=2.0, bytes=1e6,
                              waits_for=[0])]
        self.assertEqual(records[1].waits, 1)
        sim.trace_recorded(sim.Records(records, servers=1), self.draft(2, 3, 2), sim.Fault())
        exchanges = [sim.Exchange(0.5, 1.0, 1e6, stalled_from_s=0.8),
                     sim.Exchange(0.7, 1.4, 2e6, stalled_from_s=1.2)]
        sim.trace_exchanges(sim.Exchanges(exchange=exchanges, end_s=2.0),
                            self.draft(7, 12, 7), self.one())

    def test_runs(self):
        sim.run(a_run(), sim.Result(step_end_s=self.numbers(400, np.float64)))
        sim.replicate(a_run(), 3, sim.Replications(
            run_batches_per_s=self.numbers(3, np.float64),
            result=sim.Result(step_end_s=self.numbers(400, np.float64))))

    def test_networks_and_jobs(self):
        x = [self.numbers(n, np.float64) for n in (2, 6, 3, 3, 3, 6, 6)]
        out = sgdperf.MvaResult(throughput_per_s=x[0], response_s=x[1], queue=x[2],
                                utilization=x[3], gamma=x[4], class_queue=x[5],
                                class_utilization=x[6])
        for solve in sgdperf.mva_exact, sgdperf.mva_hybrid_approx, sgdperf.mva_approx:
            solve(closed(), None, out)
        sgdperf.mva_bounds(closed(), self.numbers(2, np.float64), self.numbers(2, np.float64))
        inputs, remedies = len(sgdperf.Input), len(sgdperf.Remedy)
        sgdperf.elasticity(a_job(), sgdperf.Model.SYNC_PS, 4, self.numbers(inputs, np.float64))
        sgdperf.remedies(a_job(), sgdperf.Model.SYNC_PS, 4, self.numbers(remedies, np.float64))
        sgdperf.greedy_shares([3.0, 2.0, 1.0], 3, 2, self.numbers(2, np.float64), self.numbers(3))

    def test_decisions(self):
        sched.allocate(rules(), sched.Jobs(curves(), job=three_jobs()), self.numbers(3),
                       self.one(np.uint32))
        queue = sched.queue_open(8, sched.Queueing.EASY, 5)
        for job in range(5):
            sched.queue_submit(queue, job, 1, 10.0)
        starts = self.one()
        sched.queue_decide(queue, self.numbers(5, np.uintp), starts)
        self.assertEqual(starts[0], 5)

    def test_batches_and_forecasts(self):
        workers = [balance.Worker(0.28, 0.0088, 0, 0.1), balance.Worker(0.43, 0.03, 0, 0.1)]
        balance.batches_optimal(workers, 2, 64, 1, self.numbers(2), self.one(np.float64))
        balance.batches_proportional(balance.Shares(speed=[1.0, 3.0], total=64), self.numbers(2))
        balance.gradient_weights([3, 5], 2, 0, self.numbers(2, np.float64))
        config = forecast.Config(train=20, kind=forecast.Kind.ARX)
        rng = np.random.default_rng(1)
        series = forecast.Series(speed=rng.uniform(1, 2, 60), cpu=rng.uniform(0, 1, 60),
                                 memory=rng.uniform(0, 1, 60))
        forecast.run(config, series, self.one(), forecast.Result(
            predicted=self.numbers(60, np.float64),
            weights=self.numbers(forecast.weights(config.kind), np.float64)))

    def test_fits(self):
        rng = np.random.default_rng(1)
        fit.nnls(fit.System(a=rng.uniform(0, 1, (4, 2)), b=rng.uniform(0, 1, 4)),
                 self.numbers(2, np.float64), self.one(np.float64))
        fit.suggest_runs(fit.Design(unknowns=2, candidate=rng.uniform(0.1, 1, (5, 2)), m=5), 3,
                         self.numbers(3, np.uintp), self.numbers(3, np.float64))

    def test_plans(self):
        layer = [plan.Layer(kind=plan.LayerKind.FC, n_in=4096, n_out=4096),
                 plan.Layer(kind=plan.LayerKind.FC, n_in=4096, n_out=1000)]
        sizes = [plan.LayerSize() for _ in range(2)]
        plan.layer_sizes(layer, None, 0, sizes, plan.Refusal())
        self.assertEqual(sizes[1].weights, 4096 * 1000)
        stages = plan.Stages(piece=[plan.Piece(time_s=x) for x in (1.0, 2.0, 3.0)], stages=2)
        plan.split_stages(stages, self.numbers(2, np.uintp), plan.Largest())
        tensor = [parallel.Tensor(bytes=1 << 20) for _ in range(3)]
        parallel.buckets(tensor, None, None, self.numbers(3, np.uint64),
                         self.numbers(3, np.uintp), self.one())


class Arrays(Says):
    def test_an_array_of_the_right_type_is_not_copied(self):
        shares = np.array([0.25, 0.75])
        self.assertIs(sgdperf.Servers(shares=shares).shares, shares)
        fixed = shares.copy()
        fixed.setflags(write=False)
        self.assertIs(sgdperf.Servers(shares=fixed).shares, fixed)
        self.assertFalse(np.shares_memory(sgdperf.Servers(shares=shares[::-1]).shares, shares))

    def test_strides_orders_and_types_are_read_as_they_look(self):
        shares = np.array([0.1, 9, 0.2, 9, 0.7, 9])
        for given in (shares[::2], shares[::2][::-1][::-1], shares[::2].astype(">f8"),
                      shares[4::-2][::-1], list(shares[::2]), tuple(shares[::2]),
                      np.asfortranarray(np.stack([shares[::2]] * 2))[0]):
            self.assertEqual(list(sgdperf.Servers(shares=given).shares), [0.1, 0.2, 0.7])
        self.assertEqual(list(sgdperf.Servers(shares=shares[4::-2]).shares), [0.7, 0.2, 0.1])
        fortran = np.asfortranarray([[0.1, 0.2, 0.3], [0.3, 0.2, 0.1]])
        found, other = np.zeros(2), np.zeros(2)
        for demand, x in (fortran, found), (np.ascontiguousarray(fortran).ravel(), other):
            net = sgdperf.Network(classes=2, stations=3, population=[3, 2], demand_s=demand)
            sgdperf.mva_exact(net, None, sgdperf.MvaResult(throughput_per_s=x))
        self.assertEqual(list(found), list(other))
        self.assertEqual(sgdperf.Servers(shares=np.array(1.0)).count, 1)        # 0-d: one

    def test_what_is_no_array_of_numbers_is_refused(self):
        for wrong in (np.array([0.5, None]), np.array(["a"]), [[0.5], [0.2, 0.3]], 1j, object(),
                      np.array([0.5, 0.5], dtype="complex128"), np.array([1], "datetime64[s]"),
                      np.zeros(2, dtype=[("a", "f8")]), {"a": 1}, iter([0.5, 0.5])):
            with self.assertRaises((TypeError, ValueError), msg=repr(wrong)):
                sgdperf.Servers(shares=wrong)

    def test_numbers_of_a_struct_take_no_text_and_no_other_length(self):
        point = sgdperf.Prediction()
        for wrong in (["0.5"] * len(point.utilization), [0.5, 0.5], None):
            with self.assertRaises((TypeError, ValueError), msg=repr(wrong)):
                point.utilization = wrong

    def test_outputs_that_are_no_writable_memory_are_refused(self):
        kept = np.zeros(2)
        kept.setflags(write=False)
        for wrong in (kept, np.zeros(4)[::2], np.zeros(2)[::-1], np.zeros(2, object),
                      np.zeros(2, ">f8"), np.zeros(2, np.float32), [0.0, 0.0], 0.0,
                      np.broadcast_to(np.zeros(1), (2,))):
            with self.assertRaises(TypeError, msg=repr(wrong)):
                sgdperf.mva_bounds(closed(), wrong, None)
        shifted = np.frombuffer(bytearray(17), np.uint8)[1:].view(np.float64)
        self.assertFalse(shifted.flags.aligned)
        with self.assertRaises(TypeError):
            sgdperf.mva_bounds(closed(), shifted, None)

    def test_an_output_made_read_only_later_is_not_written(self):
        x = np.zeros(2)
        out = sgdperf.MvaResult(throughput_per_s=x)
        x.setflags(write=False)
        self.says("MvaResult.throughput_per_s: the array is read-only",
                  lambda: sgdperf.mva_exact(closed(), None, out))
        self.assertEqual(list(x), [0.0, 0.0])

    def test_an_array_that_was_moved_is_refused(self):
        x = np.zeros(2)
        out = sgdperf.MvaResult(throughput_per_s=x)
        with self.assertRaises(ValueError):
            x.resize(1 << 20)                           # the struct holds it
        x.resize(1 << 20, refcheck=False)
        self.says("MvaResult.throughput_per_s: the array was moved by resize",
                  lambda: sgdperf.mva_exact(closed(), None, out))

    def test_memory_of_others_is_written_up_to_its_end(self):
        guarded = np.full(6, 7.0)
        sgdperf.mva_bounds(closed(), guarded[2:4], None)
        self.assertEqual(list(guarded[[0, 1, 4, 5]]), [7.0] * 4)
        self.assertNotIn(7.0, guarded[2:4])
        shared = memoryview(bytearray(16)).cast("d")
        sgdperf.mva_bounds(closed(), np.asarray(shared), None)
        self.assertGreater(shared[0], 0)

    def test_a_pointer_that_c_has_set_is_an_array_of_its_length(self):
        run = a_run()
        ops = run.workers.trace[0].step[0].op
        self.assertIsInstance(ops[2].waits_for, np.ndarray)
        self.assertEqual([len(op.waits_for) if op.waits else 0 for op in ops],
                         [op.waits for op in ops])

    def test_a_handle_of_another_kind_is_refused(self):
        queue = sched.queue_open(8, sched.Queueing.EASY, 5)
        with self.assertRaises(TypeError):
            balance.balancer_batches(queue)
        with self.assertRaises(TypeError):
            sched.live_idle_nodes(queue)
        with self.assertRaises(TypeError):
            sgdperf.predict(queue, sgdperf.Model.SYNC_PS, 2)


class Threads(unittest.TestCase):
    def test_threads_that_share_inputs_get_the_numbers_of_one(self):
        run, job = a_run(), a_job()
        job.servers.shares = [0.5, 0.5]
        alone = (sim.run(run).batches_per_s,
                 sgdperf.predict(job, sgdperf.Model.SYNC_PS, 4).batches_per_s)
        found, errors = [], []

        def work():
            try:
                for _ in range(10):
                    found.append((sim.run(run).batches_per_s, sgdperf.predict(
                        job, sgdperf.Model.SYNC_PS, 4).batches_per_s))
            except Exception as error:                  # noqa: BLE001
                errors.append(error)

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(errors, [])
        self.assertEqual(set(found), {alone})

    def test_one_thread_at_a_time_is_in_a_handle(self):
        live = sched.live_open(rules(), sched.Jobs(curves(), jobs=400))
        errors = []

        def work(first):
            changes, count = [sched.Change() for _ in range(400)], np.zeros(1, np.uintp)
            try:
                for job in range(first, first + 100):
                    sched.live_submit(live, job, sched.Job(job % 2, 1000.0 + job))
                    sched.live_decide(live, changes, count)
            except Exception as error:                  # noqa: BLE001
                errors.append(error)

        threads = [threading.Thread(target=work, args=(100 * i,)) for i in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(errors, [])
        self.assertEqual(sum(sched.live_job_nodes(live, job) for job in range(400))
                         + sched.live_idle_nodes(live), 8)

    def test_arrays_given_anew_during_a_call_live_until_its_end(self):
        job = a_job()
        job.servers.shares = [0.5, 0.5]
        stop = threading.Event()

        def renew():
            while not stop.is_set():
                job.servers.shares = [0.5, 0.5]

        thread = threading.Thread(target=renew)
        thread.start()
        try:
            found = {sgdperf.predict(job, sgdperf.Model.SYNC_PS, 4).batches_per_s
                     for _ in range(200)}
        finally:
            stop.set()
            thread.join()
        self.assertEqual(len(found), 1)


if __name__ == "__main__":
    unittest.main()
