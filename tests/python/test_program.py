"""What the package asks of the program sgdperf: foreign traces, clusters, pictures."""

import contextlib
import io
import os
import pickle
import re
import shutil
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import numpy as np

import sgdperf

PROGRAM = os.environ.get("SGDPERF") or shutil.which("sgdperf")
TRANSFERS = """step,phase,start_s,end_s
0,downlink,0,0.125
0,uplink,0.375,0.5
1,downlink,0.5625,0.6875
1,uplink,0.9375,1.0625
"""


class Absent(unittest.TestCase):
    def test_a_program_that_is_absent_is_an_exception_with_the_remedy(self):
        with mock.patch.dict(os.environ, {"PATH": "/nowhere"}):
            os.environ.pop("SGDPERF", None)
            for call in (lambda: sgdperf.cluster(nodes=8, load=0.3),
                         lambda: sgdperf.import_trace("trace.json"),
                         lambda: sgdperf.plot({"workers": [1]}, "x.svg")):
                with self.assertRaises(sgdperf.ProgramMissing) as raised:
                    call()
                self.assertIn("make install", str(raised.exception))
                self.assertIn("SGDPERF", str(raised.exception))
            os.environ["SGDPERF"] = "/nowhere/sgdperf"
            with self.assertRaises(FileNotFoundError) as raised:
                sgdperf.cluster(nodes=8, load=0.3)
            self.assertIn("SGDPERF=/nowhere/sgdperf", str(raised.exception))
            self.assertIsInstance(pickle.loads(pickle.dumps(raised.exception)),
                                  sgdperf.ProgramMissing)


@unittest.skipUnless(PROGRAM, "the program sgdperf is not there")
class Present(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        before = Path.cwd()
        os.chdir(self.folder)
        self.addCleanup(os.chdir, before)

    def test_a_trace_is_imported_and_its_files_written(self):
        trace = self.folder / "transfers.csv"
        trace.write_text(TRANSFERS)
        found = sgdperf.import_trace(trace, profile="profile.csv")
        self.assertEqual(found["steps"], 2)
        self.assertEqual(found["predicted_step_s"], 0.5625)
        self.assertTrue((self.folder / "profile.csv").read_text())
        self.assertEqual(sgdperf.import_trace("transfers.csv", "transfers"), {
            **found, "notes": mock.ANY})
        Path("-odd.csv").write_text(TRANSFERS)          # no option
        self.assertEqual(sgdperf.import_trace("-odd.csv")["steps"], 2)

    def test_a_file_that_is_wrong_is_an_exception_with_the_programs_words(self):
        with self.assertRaises(sgdperf.ProgramFailed) as raised:
            sgdperf.import_trace("absent.json")
        self.assertEqual(raised.exception.status, 2)
        self.assertIn("absent.json", str(raised.exception))
        with self.assertRaises(sgdperf.ProgramFailed) as raised:
            sgdperf.cluster(nodes=8, load=0.3, bogus=2)
        self.assertIn("--bogus", str(raised.exception))
        with self.assertRaises(sgdperf.ProgramFailed):
            sgdperf.cluster(nodes=-8, load=0.3)

    def test_what_is_no_word_of_the_command_line_is_a_type_error(self):
        def says(text, wrong):
            with self.assertRaises(TypeError) as said:
                wrong()
            self.assertEqual(str(said.exception), text)

        says("import_trace: file: the name of a file (several: command('import', 'kineto', "
             "'RANK0', 'RANK1')) is expected, not ['a', 'b']",
             lambda: sgdperf.import_trace(["a", "b"]))
        says("command: a word of the command line is expected, not {'workers': [1, 2]}",
             lambda: sgdperf.command("fit", {"workers": [1, 2]}))
        says("workers: a text, a number or a list is expected, not {'a': 1}",
             lambda: sgdperf.command("predict", workers={"a": 1}))
        Path("transfers.csv").write_text(TRANSFERS)
        self.assertEqual(sgdperf.command("import", Path("transfers.csv"))["steps"], 2)

    def test_the_readme_shows_what_the_program_prints(self):
        page = Path(__file__).parents[2] / "bindings" / "python" / "README.md"
        block = page.read_text().split("```python\n")[2].split("```")[0]
        shown = io.StringIO()
        with contextlib.redirect_stdout(shown):
            exec(block, {"sgdperf": sgdperf})
        self.assertEqual(shown.getvalue().splitlines(),
                         re.findall(r"# (.*)", block))

    def test_a_cluster_is_simulated(self):
        one = sgdperf.cluster(nodes=8, load=0.2, precision=0.5, max_jobs=20000)
        self.assertEqual((one["policy"], one["nodes"]), ("hell", 8))
        self.assertGreater(one["mean_response_s"], 0)
        several = sgdperf.cluster(nodes=8, load=0.2, precision=0.5, max_jobs=20000,
                                  policies=["hell", "equal"])
        self.assertEqual([each["policy"] for each in several["points"]], ["hell", "equal"])
        for policies in np.array(["hell", "equal"]), (p for p in ("hell", "equal")):
            self.assertEqual(several, sgdperf.cluster(nodes=np.int64(8), load=0.2, precision=0.5,
                                                      max_jobs=20000, policies=policies))

    def test_a_cluster_that_is_not_precise_has_its_best_estimate(self):
        with self.assertRaises(sgdperf.ProgramFailed) as raised:
            sgdperf.cluster(nodes=8, load=0.3, max_jobs=3000, precision=1e-6)
        self.assertEqual(raised.exception.status, 3)
        self.assertEqual(str(raised.exception), "sgdperf ended with status 3: not_converged")
        self.assertGreater(raised.exception.out["mean_response_s"], 0)
        with self.assertRaisesRegex(sgdperf.ProgramFailed, "^sgdperf .* status 3: unstable$"):
            sgdperf.cluster(nodes=8, load=2, policies=["hell", "equal"])
        self.assertEqual(str(sgdperf.ProgramFailed(3, "", {"points": [
            {"status": "converged"}, {"status": "unstable"}, {}]})),
            "sgdperf ended with status 3: unstable")

    def test_columns_and_answers_are_drawn(self):
        said = sgdperf.plot({"workers": np.array([1, 2, 4]),
                             "batches_per_s": np.array([5.2, 9.5, 10.7])},
                            self.folder / "curve.svg", engine="own", title="of columns")
        self.assertEqual((said["picture"], said["points"]), ("throughput", 3))
        picture = (self.folder / "curve.svg").read_text()
        self.assertIn("of columns", picture)
        answer = sgdperf.command("predict", mode="async", workers=np.arange(1, 5), model_size="9MB",
                                 forward="10ms", backward="19ms", update="18ms",
                                 bandwidth="1Gbps")
        sgdperf.plot(answer, "answer.svg", engine="own")
        self.assertIn("<svg", (self.folder / "answer.svg").read_text())
        with self.assertRaises(ValueError) as raised:
            sgdperf.plot({"workers": [1, 2], "batches_per_s": [1.0]}, "x.svg")
        self.assertIn("batches_per_s", str(raised.exception))
        self.assertFalse((self.folder / "x.svg").exists())


if __name__ == "__main__":
    unittest.main()
