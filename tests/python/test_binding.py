"""The package as it is installed: the examples of docs/embedding.md give its digits; what comes
in wrongly is an exception, not a crash."""

import copy
import os
import pickle
import shutil
import unittest
import weakref

import numpy as np

import sgdperf
from sgdperf import balance, fit, plan, sched, sim

PROGRAM = os.environ.get("SGDPERF") or shutil.which("sgdperf")


def a_job(**more):
    compute = sgdperf.Compute(forward_s=0.010, backward_s=0.019, update_s=0.018)
    links = sgdperf.Links(bandwidth_bytes_per_s=125e6)
    return sgdperf.Job(model_bytes=9e6, **{"compute": compute, "links": links, **more})


def served_by_two(shares):
    return a_job(servers=sgdperf.Servers(count=2, shares=shares))


class Examples(unittest.TestCase):
    def test_a_prediction_is_that_of_the_readme(self):
        point = sgdperf.predict(a_job(), sgdperf.Model.ASYNC_SWITCH, 4)
        self.assertEqual(f"{point.batches_per_s:.2f}", "10.64")
        self.assertEqual(sgdperf.resource_text(point.bottleneck), "uplink")
        self.assertIsInstance(point.bottleneck, sgdperf.Resource)

    def test_a_replay_is_that_of_the_readme(self):
        layers = [sim.Layer(4e6, 0.004, 0.008, 0.006), sim.Layer(5e6, 0.006, 0.011, 0.012)]
        ops = [sim.Op() for _ in range(10)]
        waits = np.zeros(10, np.uint32)
        sim.trace_layers(layers, 2, 0, ops, waits)
        trace = sim.Trace([sim.Step(ops, 10)], 1)
        run = sim.Config(workers=sim.Workers(1, [trace], [4]), length=sim.Length(steps=1000),
                         links=sim.Links(sim.Link.FCFS, bandwidth_bytes_per_s=125e6))
        self.assertEqual(f"{sim.run(run).batches_per_s:.2f}", "13.88")

    def test_an_allocation_is_that_of_the_readme(self):
        curves = [sched.Curve(throughput_per_s=x, nodes=4)
                  for x in ([1, 1.9, 2.6, 3], [2, 2.4, 2.5, 2.5])]
        jobs = [sched.Job(0, 9000), sched.Job(1, 4000), sched.Job(0, 2000)]
        rules = sched.Rules(policy=sched.Policy.HELL, nodes=8, fill=1)
        nodes, idle = np.zeros(3, np.uint32), np.zeros(1, np.uint32)
        sched.allocate(rules, sched.Jobs(curves, 2, jobs, 3), nodes, idle)
        self.assertEqual((list(nodes), idle[0]), ([3, 1, 4], 0))

    def test_balanced_batches_are_those_of_the_readme(self):
        gpus = [balance.Worker(*row) for row in
                ((0.28, 0.0088, 0, 0.1), (0.43, 0.03, 0, 0.1), (0.46, 0.05, 0, 0.1),
                 (0.6, 0.077, 0, 0.1))]
        job = balance.SchemeConfig(
            scheme=balance.Scheme.LB_BSP,
            workers=balance.Team(count=4, curve=gpus, batch=[32] * 4),
            balance=balance.Balancing(config=balance.BalancerConfig(method=balance.Method.PAIRS)),
            length=balance.Length(iterations=1000), against_bsp=1)
        out = balance.SchemeResult(workers=balance.ByWorker(last_batch=np.zeros(4, np.uint32)))
        balance.scheme_run(job, out)
        self.assertEqual(list(out.workers.last_batch), [89, 21, 12, 6])
        self.assertEqual(f"{100 * out.bsp.reduction:.0f}", "62")

    def test_a_plan_is_that_of_the_readme(self):
        layer = [plan.Layer(kind=plan.LayerKind.FC, n_in=4096, n_out=4096),
                 plan.Layer(kind=plan.LayerKind.FC, n_in=4096, n_out=1000)]
        problem = plan.Problem()
        job = problem.job
        job.layer, job.layers, job.samples, job.read_samples = layer, 2, 60000, 70
        job.machines.count, job.machines.cores = 4, 2
        job.machines.connection_s.number = 1e-9
        job.machines.bandwidth_bytes_per_s = 1.25e9
        best = plan.Plan()
        out = plan.Ranking(plan=best, split=[plan.Split(), plan.Split()], room=1)
        plan.search(problem, out)
        self.assertEqual((best.configuration.replicas, f"{best.epoch_s:.2f}"), (3, "572.93"))


class Memory(unittest.TestCase):
    def test_what_a_result_points_to_is_a_copy(self):
        for _ in range(2):
            row = sched.policy_about(sched.Policy.EQUAL)
            self.assertEqual((row.word, row.family, row.wants), (
                "equal", sched.Family.MALLEABLE, sched.Wants.SHARE))
            row.wants = sched.Wants.ALL
        self.assertEqual(pickle.loads(pickle.dumps(row)).word, "equal")
        self.assertEqual(sched.queueing_about(sched.Queueing.EASY).word, "easy")
        made = balance.balancer_open(balance.BalancerConfig(
            method=balance.Method.SPEED, start=[10, 20]))
        self.assertEqual(balance.balancer_batches(made), (10, 20))
        self.assertIsNone(balance.balancer_batches(None))

    def test_arrays_live_as_long_as_the_struct(self):
        job = served_by_two(np.array([0.25, 0.75]))
        np.random.rand(1000)
        self.assertEqual(list(job.servers.shares), [0.25, 0.75])
        measured = sgdperf.Measurement(job=job, workers=2, batches_per_s=1.0)
        self.assertEqual(measured.job.compute.forward_s, 0.010)

    def test_an_array_of_a_struct_outlives_its_name(self):
        whole = sgdperf.predict(a_job(), sgdperf.Model.ASYNC_SWITCH, 4)
        alone = sgdperf.predict(a_job(), sgdperf.Model.ASYNC_SWITCH, 4).utilization
        others = [sgdperf.Prediction() for _ in range(100)]
        for other in others:
            other.utilization[:] = 7.0
        self.assertEqual(list(alone), list(whole.utilization))

    def test_structs_of_a_list_are_read_as_they_are_at_the_call(self):
        curve = sched.Curve([1, 1.9, 2.6, 3], nodes=4)
        jobs = sched.Workload(kind=[sched.JobKind(0, 1, size_mean=1)], kinds=1, load=0.2)
        given = sched.Cluster(
            rules=sched.Rules(policy=sched.Policy.EQUAL, nodes=4), curve=[curve], curves=1,
            workload=jobs, stop=sched.Stop(max_jobs=2000))
        old = weakref.ref(curve.throughput_per_s)
        curve.throughput_per_s = [1, 1, 1, 1]
        self.assertIsNotNone(old())                     # C points there until the call
        alike = sched.Cluster(
            rules=given.rules, curve=[sched.Curve([1, 1, 1, 1], nodes=4)], curves=1,
            workload=jobs, stop=sched.Stop(max_jobs=2000))
        means = [sched.cluster_run(each).response.mean_s.value for each in (given, alike)]
        self.assertGreater(means[0], 0)
        self.assertEqual(*means)

    def test_what_c_points_to_lives_as_long_as_what_it_wrote(self):
        ops, waits = [sim.Op() for _ in range(5)], np.zeros(5, np.uint32)
        sim.trace_layers([sim.Layer(4e6, 0.004, 0.008, 0.006)], 1, 0, ops, waits)
        known = weakref.ref(waits)
        del waits
        self.assertIsNotNone(known())
        step = sim.Step(ops, 5)
        del ops
        self.assertIsNotNone(known())
        self.assertEqual(step.op[1].waits_for[0], 0)

    def test_a_struct_within_a_struct_shows_what_it_was_given(self):
        job = plan.Job(layer=[plan.Layer(n_in=3)], layers=1)
        problem = plan.Problem(job=job)
        job.layer = None
        self.assertEqual(problem.job.layer[0].n_in, 3)
        problem.job = plan.Job()
        self.assertIsNone(problem.job.layer)

    def test_a_copy_is_another_struct(self):
        job = served_by_two([0.25, 0.75])
        other = copy.copy(job)
        other.compute.forward_s, other.servers.shares = 1.0, [0.5, 0.5]
        self.assertEqual(job.compute.forward_s, 0.010)
        self.assertEqual(list(job.servers.shares), [0.25, 0.75])

    def test_a_handle_keeps_its_workspace(self):
        made = balance.balancer_open(balance.BalancerConfig(
            workers=2, method=balance.Method.SPEED, start=[10, 10]))
        batch = np.zeros(2, np.uint32)
        for _ in range(100):
            np.random.rand(1000)
            balance.balancer_step(made, balance.Iteration(time_s=[1.0, 3.0], batch=[10, 10]),
                                  batch, balance.Decision())
        self.assertEqual(list(batch), [15, 5])

    def test_a_callback_is_called_while_the_struct_lives(self):
        def fixed(ctx, utilization):
            asked.append(utilization)
            return 0.0

        asked = []
        net = sgdperf.Network(
            classes=1, stations=2, population=[4], think_s=[0.029], demand_s=[0.072, 0.018],
            discipline=[sgdperf.Discipline.HYBRID] * 2)
        of_fcfs = sgdperf.Network(
            classes=1, stations=2, population=[4], think_s=[0.029], demand_s=[0.072, 0.018],
            discipline=[sgdperf.Discipline.FCFS] * 2)
        options = sgdperf.MvaOptions(gamma=fixed)
        self.assertIs(options.gamma, fixed)
        found, other = np.zeros(1), np.zeros(1)
        sgdperf.mva_hybrid_approx(net, options, sgdperf.MvaResult(throughput_per_s=found))
        sgdperf.mva_hybrid_approx(of_fcfs, None, sgdperf.MvaResult(throughput_per_s=other))
        self.assertTrue(asked)
        self.assertAlmostEqual(found[0], other[0], 9)

    def test_what_a_struct_points_to_is_written(self):
        share = np.zeros(1)
        point = sgdperf.Prediction(types=sgdperf.Types(batches_per_s=share))
        sgdperf.predict(a_job(), sgdperf.Model.ASYNC_SWITCH, 4, point)
        self.assertAlmostEqual(share[0], point.batches_per_s, 12)

    def test_structs_that_a_struct_points_to_are_written(self):
        ops, waits = [sim.Op() for _ in range(5)], np.zeros(5, np.uint32)
        sim.trace_layers([sim.Layer(4e6, 0.004, 0.008, 0.006)], 1, 0, ops, waits)
        run = sim.Config(workers=sim.Workers(1, [sim.Trace([sim.Step(ops, 5)], 1)], [2]),
                         length=sim.Length(steps=100),
                         links=sim.Links(sim.Link.FCFS, bandwidth_bytes_per_s=125e6))
        out = sim.Result(waiting=[sim.Waiting(), sim.Waiting()])
        sim.run(run, out)
        self.assertAlmostEqual(out.waiting[0].computing_s, 1.2, 9)

    def test_a_fault_in_a_callback_is_raised(self):
        def faulty(ctx, utilization):
            raise ZeroDivisionError("of the callback")

        net = sgdperf.Network(
            classes=1, stations=2, population=[4], think_s=[0.029], demand_s=[0.072, 0.018],
            discipline=[sgdperf.Discipline.HYBRID] * 2)
        found = sgdperf.MvaResult(throughput_per_s=np.zeros(1))
        with self.assertRaises(ZeroDivisionError):
            sgdperf.mva_hybrid_approx(net, sgdperf.MvaOptions(gamma=faulty), found)


WORKERS, MEASURED = [1, 2, 4, 8], [5.2, 8.3, 10.1, 10.6]


def measured_runs(job=a_job()):
    """Measured runs with an unknown bandwidth: prepared, and the range of 1 / bandwidth."""
    runs = sgdperf.Runs(model=sgdperf.Model.ASYNC_SWITCH, unknown=[sgdperf.Input.BANDWIDTH],
                        run=[sgdperf.Measurement(job, n, x) for n, x in zip(WORKERS, MEASURED)])
    range_ = sgdperf.Range()
    sgdperf.runs_open(runs, range_)
    return runs, fit.Unknown(fit.Kind.RATE, range_.least, range_.low, range_.high)


class Calibration(unittest.TestCase):
    def fitted(self, runs, unknown, **model):
        model = fit.Model(**{"predict": sgdperf.runs_predict, "ctx": runs, **model})
        return fit.calibrate(fit.Problem(model=model, unknown=[unknown], measured=MEASURED,
                                         level=0.9))

    def test_measured_jobs_are_calibrated_as_by_the_program(self):
        found = self.fitted(*measured_runs(), elasticity=sgdperf.runs_elasticity)
        self.assertEqual(found.evaluations, 416)
        if not PROGRAM:
            self.skipTest("the program sgdperf is not there")
        table = "workers,batches_per_s\n" + "".join(
            f"{n},{x}\n" for n, x in zip(WORKERS, MEASURED))
        said = sgdperf.command("calibrate", "-", stdin=table, mode="async", model="switch",
                               model_size="9MB", forward="10ms", backward="19ms",
                               update="18ms", fit="bandwidth")
        self.assertEqual(said["fitted"], {"bandwidth_bytes_per_s": found.value[0]})
        self.assertEqual(said["intervals"]["bandwidth_bytes_per_s"], [found.low[0], found.high[0]])
        self.assertEqual(said["evaluations"], found.evaluations)

    def test_a_job_may_lack_what_is_unknown(self):
        found = [self.fitted(*measured_runs(job), elasticity=sgdperf.runs_elasticity).value[0]
                 for job in (a_job(), a_job(links=sgdperf.Links()))]
        self.assertEqual(*found)
        with self.assertRaisesRegex(sgdperf.BadArgument, "runs_open"):
            self.fitted(sgdperf.Runs(), fit.Unknown())

    def test_a_callback_gets_what_was_given_as_its_context(self):
        runs, unknown = measured_runs()
        seen = []

        def predict(ctx, value, first, count, work, rate):
            seen.append(ctx)
            return sgdperf.runs_predict(runs, value, first, count, rate)

        for ctx in {"any": "object"}, runs, None:
            seen.clear()
            found = self.fitted(runs, unknown, predict=predict, ctx=ctx)
            self.assertTrue(seen and all(each is ctx for each in seen))
            self.assertAlmostEqual(found.value[0], 117682373.7, 0)

    def test_measured_jobs_are_predicted(self):
        runs, _ = measured_runs()
        rate, e = np.zeros(2), np.zeros(1)
        self.assertEqual(sgdperf.runs_predict(runs, [125e6], 2, 2, rate), 0)
        self.assertEqual(rate[0], sgdperf.predict(a_job(), runs.model, 4).batches_per_s)
        self.assertEqual(sgdperf.runs_elasticity(runs, [125e6], 3, e), 0)
        self.assertGreater(e[0], 0)

    def test_what_the_library_would_read_or_write_beyond_its_end_is_refused(self):
        runs, unknown = measured_runs()
        other = sgdperf.Runs(runs.model, runs.run, unknown=runs.unknown)

        def says(kind, text, wrong):
            with self.assertRaises(kind) as said:
                wrong()
            self.assertIn(text, str(said.exception))

        says(ValueError, "Model.predict: its ctx was not prepared by runs_open",
             lambda: self.fitted(other, unknown))
        says(TypeError, "Model.predict: its ctx is not a Runs: None",
             lambda: self.fitted(None, unknown))
        says(TypeError, "Model.predict: its ctx is not a Runs", lambda: self.fitted(a_job(), unknown))
        says(ValueError, "Model.work_bytes: 8 elements, but ",
             lambda: self.fitted(runs, unknown, work_bytes=8))
        says(ValueError, "runs_predict: its ctx was not prepared by runs_open",
             lambda: sgdperf.runs_predict(other, [1e8], 0, 1, np.zeros(1)))
        says(ValueError, "runs_predict: rate: 1 element, but count = 2",
             lambda: sgdperf.runs_predict(runs, [1e8], 0, 2, np.zeros(1)))
        says(TypeError, "gamma_threshold: ctx: 0.5: not None or a pointer of cffi",
             lambda: sgdperf.gamma_threshold(0.5, 0.9))
        says(TypeError, "Model.predict: 5: not a function", lambda: fit.Model(predict=5))
        with self.assertRaises(ValueError):
            fit.calibrate(fit.Problem(
                model=fit.Model(predict=sgdperf.runs_predict, ctx=runs),
                unknown=[unknown] * 2, measured=MEASURED))


class Refusals(unittest.TestCase):
    def test_a_status_is_an_error_with_its_text(self):
        with self.assertRaises(sgdperf.Error) as refused:
            sgdperf.predict(a_job(), sgdperf.Model.ASYNC_SWITCH, 0)
        self.assertEqual(refused.exception.status, sgdperf.Status.BAD_ARGUMENT)
        self.assertEqual(str(refused.exception),
                         "predict: None, zero size, or value out of domain; look at workers = 0")

    def test_a_bad_argument_is_named(self):
        def says(text, wrong):
            with self.assertRaises(sgdperf.BadArgument) as refused:
                wrong()
            self.assertEqual(refused.exception.text.partition("; ")[2], text)

        def predicted(job):
            return lambda: sgdperf.predict(job, sgdperf.Model.ASYNC_SWITCH, 4)

        says("look at job.compute.update_s = -1.0",
             predicted(a_job(compute=sgdperf.Compute(update_s=-1))))
        says("look at job.servers.shares[1] = -0.5", predicted(served_by_two([0.5, -0.5])))
        says("no number is negative or infinite: is a field missing in job",
             predicted(sgdperf.Job(model_bytes=9e6)))

    def test_a_misspelt_field_is_refused(self):
        with self.assertRaises(AttributeError):
            a_job(modle_bytes=1.0)
        with self.assertRaises(AttributeError):
            _ = a_job().computing

    def test_outputs_of_another_type_are_refused(self):
        for wrong in ([0.0], np.zeros(1, np.float32), np.zeros(4)[::2]):
            with self.assertRaises(TypeError):
                sgdperf.slowest(sgdperf.Variation(cv=0.1), 4, wrong)
        kept = np.zeros(1)
        kept.setflags(write=False)
        for wrong in ([0.0], np.zeros(1, np.float32), np.zeros(4)[::2], np.zeros(1, ">f8"), kept):
            with self.assertRaises(TypeError):
                sgdperf.Types(batches_per_s=wrong)

    def test_numbers_that_do_not_fit_are_refused(self):
        with self.assertRaises(ValueError):
            sgdperf.predict(a_job(), sgdperf.Model.ASYNC_SWITCH, -1)
        with self.assertRaises(ValueError):
            sim.Workers(count=[-4])
        for wrong in ([1.5], [float("nan")], np.array([4.0, 0.5])):
            with self.assertRaises(TypeError):
                sim.Workers(count=wrong)
        self.assertEqual(list(sim.Workers(count=np.array([4.0, 2.0])).count), [4, 2])
        for wrong in ([2**32 + 4], np.array([2**32 + 4]), [2**64], [-2**63], [2.0**32],
                      [-1.0], [float("inf")]):
            with self.assertRaises(ValueError):
                sim.Workers(count=wrong)
        for wrong in ([0.5, None], ["0.5", "0.5"], [0.5 + 1j, 0.5]):
            with self.assertRaises(TypeError):
                served_by_two(wrong)
        with self.assertRaises(TypeError):
            sgdperf.predict(a_job(), 1.7, 4)
        with self.assertRaises(TypeError):
            sim.Links(rule=0.5)
        with self.assertRaises(TypeError):
            sim.Layer(4e6, bytes=4e6)
        with self.assertRaises(TypeError):
            sgdperf.predict(sim.Config(), sgdperf.Model.ASYNC_SWITCH, 4)

    def test_a_refusal_names_the_place_the_value_and_what_may_stand_there(self):
        def says(text, wrong):
            with self.assertRaises((TypeError, ValueError, AttributeError)) as said:
                wrong()
            self.assertEqual(str(said.exception), text)

        links = " ".join(link.name for link in sim.Link)
        says(f"Links.rule: 'fcfs': not a Link, one of {links}", lambda: sim.Links(rule="fcfs"))
        says(f"Links.rule: 99: not a Link, one of {links}", lambda: sim.Links(rule=99))
        says(f"Links.rule: {sim.Mode.SYNC!r}: not a Link, one of {links}",
             lambda: sim.Links(rule=sim.Mode.SYNC))
        self.assertEqual(sim.Links(rule=int(sim.Link.FCFS)).rule, sim.Link.FCFS)
        says("Job.servers: '10': not a Servers", lambda: sgdperf.Job(servers="10"))
        for wrong in "10", -1, 1.5:
            says(f"Servers.count: {wrong!r}: not an int from 0 to 4294967295",
                 lambda: sgdperf.Servers(count=wrong))
        says("Compute.forward_s: '10ms': not a number",
             lambda: sgdperf.Compute(forward_s="10ms"))
        says("Compute.forward_s: None: not a number", lambda: sgdperf.Compute(forward_s=None))
        says("Workers.count: [-4]: -4 is no number of uint32", lambda: sim.Workers(count=[-4]))
        says("Servers.shares: 'even': an array of float64 takes numbers, not str128",
             lambda: served_by_two("even"))
        says("Workers.trace: 'trace.csv': not a Trace, nor a list of these",
             lambda: sim.Workers(trace="trace.csv"))
        says("Workers.trace: 5: not a Trace, nor a list of these", lambda: sim.Workers(trace=5))
        says("Workers.trace: [5]: not a Trace: 5", lambda: sim.Workers(trace=[5]))
        says("Problem.job: 5: not a Job", lambda: plan.Problem(job=5))
        models = " ".join(model.name for model in sgdperf.Model)
        says(f"predict: model: 'ASYNC_SWITCH': not a Model, one of {models}",
             lambda: sgdperf.predict(a_job(), "ASYNC_SWITCH", 4))
        says(f"predict: model: {fit.Blackbox.USL!r}: not a Model, one of {models}",
             lambda: sgdperf.predict(a_job(), fit.Blackbox.USL, 4))
        inputs = " ".join(each.name for each in sgdperf.Input)
        says(f"Runs.unknown: [{fit.Kind.RATE!r}]: not an Input, one of {inputs}",
             lambda: sgdperf.Runs(unknown=[fit.Kind.RATE]))
        says("predict: workers: -1: not an int from 0 to 4294967295",
             lambda: sgdperf.predict(a_job(), sgdperf.Model.ASYNC_SWITCH, -1))
        says("predict: job: 'job.csv': not a Job, nor a list of these",
             lambda: sgdperf.predict("job.csv", sgdperf.Model.ASYNC_SWITCH, 4))
        says("struct_bytes: name: 5: not a text", lambda: sgdperf.struct_bytes(5))
        says("Job has no field modle_bytes, did you mean model_bytes?",
             lambda: a_job(modle_bytes=1.0))

    def test_arrays_of_any_order_and_type_are_read(self):
        shares = np.array([0.25, 9, 0.75, 9])
        for given in (shares[::2], shares[::2].astype(">f8"), shares[::2].astype(np.float32)):
            self.assertEqual(list(served_by_two(given).servers.shares), [0.25, 0.75])
        self.assertEqual(sim.Workers(count=[]).count.size, 0)

    def test_the_size_of_a_struct_is_asked_by_name(self):
        self.assertGreater(sgdperf.struct_bytes("sgdp_job"), 100)

    def test_the_text_of_the_header_is_the_docstring(self):
        self.assertIn("throughput and step time", sgdperf.predict.__doc__)
        self.assertIn("M, bytes of one transfer", sgdperf.Job.__doc__)
        self.assertEqual(sgdperf.predict.__annotations__["return"], "Prediction")


if __name__ == "__main__":
    unittest.main()
