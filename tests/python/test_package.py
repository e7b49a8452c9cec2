"""What a package of Python has beside its functions: a version, exceptions by status, pickling,
docstrings and type hints in words of Python."""

import copy
import importlib.metadata
import inspect
import multiprocessing
import pickle
import re
import typing
import unittest

import numpy as np

import sgdperf
from sgdperf import _base, balance, core, fit, forecast, parallel, plan, sched, sim

MODULES = (balance, core, fit, forecast, parallel, plan, sched, sim)


def a_job(**more):
    compute = sgdperf.Compute(forward_s=0.010, backward_s=0.019, update_s=0.018)
    return sgdperf.Job(model_bytes=9e6, compute=compute,
                       links=sgdperf.Links(bandwidth_bytes_per_s=125e6), **more)


def a_run():
    layers = [sim.Layer(4e6, 0.004, 0.008, 0.006), sim.Layer(5e6, 0.006, 0.011, 0.012)]
    ops, waits = [sim.Op() for _ in range(10)], np.zeros(10, np.uint32)
    sim.trace_layers(layers, 2, 0, ops, waits)
    return sim.Config(workers=sim.Workers(trace=[sim.Trace([sim.Step(ops)])], count=[4]),
                      length=sim.Length(steps=100),
                      links=sim.Links(sim.Link.FCFS, bandwidth_bytes_per_s=125e6))


def threshold(_ctx, utilization):
    return float(utilization < 0.5)


def throughput(job):
    return sgdperf.predict(job, sgdperf.Model.SYNC_PS, 4).batches_per_s


class Version(unittest.TestCase):
    def test_the_version_is_that_of_the_library(self):
        major, minor, patch = map(int, sgdperf.__version__.split("."))
        self.assertEqual(major * 10000 + minor * 100 + patch, sgdperf.version())


class Exceptions(unittest.TestCase):
    def test_each_status_has_an_exception_of_its_own(self):
        for module in MODULES:
            for status in module.Status:
                if status.name == "OK":
                    continue
                made = getattr(module, "".join(map(str.capitalize, status.name.split("_"))))
                self.assertTrue(issubclass(made, sgdperf.Error))
                self.assertIn(made, [each[status] for each in _base._ERRORS.values()
                                     if status in each])
                self.assertTrue(made.__doc__)
        self.assertIs(sim.BadArgument, sgdperf.BadArgument)
        self.assertTrue(issubclass(sgdperf.BadArgument, ValueError))
        self.assertTrue(issubclass(sched.BadCurve, ValueError))

    def test_a_refusal_raises_the_exception_of_its_status(self):
        with self.assertRaises(sgdperf.BadArgument) as refused:
            sgdperf.predict(a_job(), sgdperf.Model.ASYNC_SWITCH, 0)
        self.assertIs(refused.exception.status, sgdperf.Status.BAD_ARGUMENT)
        jobs = sched.Jobs([sched.Curve([1, -2])], job=[sched.Job(0, 9000)])
        with self.assertRaises(sched.BadCurve):
            sched.allocate(sched.Rules(nodes=8), jobs, np.zeros(1, np.uint32),
                           np.zeros(1, np.uint32))
        run = a_run()
        run.length.warmup = 10 ** 6
        with self.assertRaises(sim.NoWindow):
            sim.run(run)

    def test_what_did_not_converge_has_its_best_iterate(self):
        x = np.zeros(1)
        net = sgdperf.Network(population=[40], demand_s=[0.1, 0.09], stations=2)
        options = sgdperf.MvaOptions(max_iterations=1, tolerance=1e-14)
        with self.assertRaises(sgdperf.NotConverged) as raised:
            sgdperf.mva_approx(net, options, sgdperf.MvaResult(throughput_per_s=x))
        self.assertGreater(raised.exception.out.throughput_per_s[0], 0)

    def test_the_readme_says_which_model_is_auto(self):
        told = importlib.metadata.metadata("sgdperf")
        self.assertIn("`Model.SYNC_STAGGERED`", told["Description"] or told.get_payload())

    def test_an_exception_is_pickled(self):
        for error in (sgdperf.BadArgument("predict", sgdperf.Status.BAD_ARGUMENT, "None"),
                      sched.BadCurve("allocate", sched.Status.BAD_CURVE, "a curve"),
                      sgdperf.ProgramFailed(2, "no such file", {"a": 1})):
            again = pickle.loads(pickle.dumps(error))
            self.assertEqual((type(again), str(again), again.status),
                             (type(error), str(error), error.status))


class Pickling(unittest.TestCase):
    def test_a_struct_comes_back_with_its_arrays_and_structs(self):
        job = a_job(servers=sgdperf.Servers(shares=np.array([0.25, 0.75])))
        for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
            again = pickle.loads(pickle.dumps(job, protocol))
            self.assertEqual(repr(again), repr(job))
            self.assertEqual(throughput(again), throughput(job))
        again.servers.shares = [0.2, 0.3, 0.5]
        self.assertEqual((again.servers.count, job.servers.count), (3, 2))
        job.servers.count = 1                           # given: it holds for a copy
        again = pickle.loads(pickle.dumps(job))
        again.servers.shares = [0.2, 0.3, 0.5]
        self.assertEqual(again.servers.count, 1)

    def test_a_trace_whose_pointers_c_has_set_comes_back(self):
        run = a_run()
        for again in pickle.loads(pickle.dumps(run)), copy.deepcopy(run), copy.copy(run):
            self.assertEqual(sim.run(again).batches_per_s, sim.run(run).batches_per_s)
        again = copy.deepcopy(run)
        again.workers.trace[0].step[0].op[9].duration_s = 1.0
        self.assertNotEqual(sim.run(again).batches_per_s, sim.run(run).batches_per_s)

    def test_results_come_back_with_what_they_hold(self):
        point = sgdperf.predict(a_job(), sgdperf.Model.ASYNC_SWITCH, 4)
        again = pickle.loads(pickle.dumps(point))
        self.assertEqual(repr(again), repr(point))
        self.assertEqual(list(again.utilization), list(point.utilization))
        self.assertIs(again.bottleneck, point.bottleneck)
        out = sim.Result(step_end_s=np.zeros(400), waiting=[sim.Waiting() for _ in range(4)])
        sim.run(a_run(), out)
        again = pickle.loads(pickle.dumps(out))
        self.assertEqual(repr(again), repr(out))
        sim.run(a_run(), again)                         # its arrays can be written
        self.assertEqual(repr(again), repr(out))

    def test_a_part_of_a_struct_is_pickled_alone(self):
        part = a_job(servers=sgdperf.Servers(shares=[0.25, 0.75])).servers
        self.assertEqual(repr(pickle.loads(pickle.dumps(part))), repr(part))

    def test_a_callback_goes_by_its_name(self):
        options = pickle.loads(pickle.dumps(sgdperf.MvaOptions(gamma=threshold)))
        self.assertIs(options.gamma, threshold)
        with self.assertRaises((pickle.PicklingError, AttributeError)):
            pickle.dumps(sgdperf.MvaOptions(gamma=lambda ctx, u: 0.0))

    def test_a_handle_is_not_pickled(self):
        queue = sched.queue_open(8, sched.Queueing.EASY, 5)
        for wrong in pickle.dumps, copy.copy, copy.deepcopy:
            with self.assertRaises(pickle.PicklingError):
                wrong(queue)

    def test_a_pool_of_processes_predicts_as_one_does(self):
        jobs = [a_job(servers=sgdperf.Servers(count=n)) for n in (1, 2, 4)]
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            self.assertEqual(pool.map(throughput, jobs), [throughput(job) for job in jobs])


class Words(unittest.TestCase):
    OF_C = re.compile(r"\bsgd[a-z]*_\w+|\bSGD[A-Z]*_\w+|\bNULL\b|->|/\*|\bconst\b|\bsize_t\b|"
                      r"\buint\d+_t\b|\bdouble \*|\bstruct \w+ \{")

    def documented(self):
        for module in MODULES:
            for name in module.__all__:
                yield f"{module.__name__}.{name}", getattr(module, name)

    def test_docstrings_have_no_words_of_c(self):
        found = [(name, match[0]) for name, what in self.documented()
                 for match in self.OF_C.finditer(what.__dict__.get("__doc__") or ""
                                                 if inspect.isclass(what) else what.__doc__ or "")]
        self.assertEqual(found, [])

    def test_each_field_has_its_line(self):
        for module in MODULES:
            for _, made in inspect.getmembers(module, inspect.isclass):
                if made.__module__ == module.__name__ and issubclass(made, _base.Struct):
                    for field in made.__annotations__:
                        self.assertRegex(made.__doc__, rf"(?m)^\s*(\w+, )*{field}(, \w+)*: ")

    def test_hints_can_be_evaluated(self):
        for name, what in self.documented():
            if inspect.isfunction(what):
                hints = typing.get_type_hints(what)
                self.assertEqual(set(hints) - {"return"}, set(inspect.signature(what).parameters),
                                 name)

    def test_what_a_name_of_the_package_is_has_a_name_there(self):
        for name in sgdperf.__all__:
            self.assertTrue(hasattr(sgdperf, name), name)
        self.assertIn("Raises", sched.live_open.__doc__)
        self.assertIn("workers: int. number of workers", sgdperf.Prediction.__doc__)


if __name__ == "__main__":
    unittest.main()
