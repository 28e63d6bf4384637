"""`tabcast study`, as a person types it."""

import os
import re
import sys

import pytest
from typer.testing import CliRunner

from tabcast.cli import study as study_module
from tabcast.cli.study import study_app
from tabcast.study import run as run_module
from tests.conftest import needs
from tests.study.small_study import GRID, N_TRIALS, write_config


@pytest.fixture(autouse=True)
def environment(monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        monkeypatch.setenv(name, os.environ.get(name, "1"))  # the command sets them; they are restored afterward


@pytest.fixture
def config(tmp_path):
    return write_config(tmp_path)


TABLE = "[[tables]]\nname = 'scores'\ncolumns = ['dataset']\n"


def invoke(*arguments):
    return CliRunner().invoke(study_app, [str(argument) for argument in arguments])


def run(config, *arguments):
    return invoke("run", config, *arguments)


def words_of(output):
    """The text of an error box in one line."""
    return re.sub(r"[\s│]+", " ", output)


class TestRun:
    def test_says_what_became_of_the_trials(self, config):
        result = run(config)
        assert result.exit_code == 0, result.output
        assert f"Table 0: {N_TRIALS} done, 0 failed, 0 skipped, 0 missing\n" in result.output
        assert f"{N_TRIALS}/{N_TRIALS} trials" in result.output
        assert len(list((config.parent / "records").rglob("*.json"))) == N_TRIALS

    def test_again_there_is_nothing_to_do(self, config, monkeypatch):
        run(config)
        monkeypatch.setattr(run_module, "run_job", lambda job: pytest.fail("a job was run"))
        result = run(config)
        assert result.exit_code == 0
        assert "trials" not in result.output  # no bar
        assert f"Table 0: {N_TRIALS} done, 0 failed, 0 skipped, 0 missing\n" in result.output

    def test_several_configurations(self, config, tmp_path):
        other = write_config(tmp_path, GRID.replace("[0, 1]", "[2]"), name="other.toml")
        other.write_text(other.read_text().replace("Table 0", "Table 9"))
        result = run(config, other)
        assert result.exit_code == 0, result.output
        assert f"Table 0: {N_TRIALS} done" in result.output
        assert f"Table 9: {N_TRIALS // 2} done" in result.output
        assert "2 items (quick)" in result.output

    def test_other_folder_for_records(self, config, tmp_path):
        result = run(config, "--records", tmp_path / "elsewhere")
        assert result.exit_code == 0
        assert len(list((tmp_path / "elsewhere").rglob("*.json"))) == N_TRIALS
        assert not (tmp_path / "records").exists()

    def test_profile(self, tmp_path):
        config = write_config(
            tmp_path, profile="seeds = 1\n[profiles.tiny]\nseeds = 1\nfolds = [0]\nmethods = ['supervised']"
        )
        assert "Table 0: 1 done, 0 failed, 0 skipped, 0 missing" in run(config, "--profile", "tiny").output

    def test_skipped_trials_are_no_failure(self, tmp_path):
        config = write_config(tmp_path, GRID.replace('["bayes"]', '["bayes", "oracle"]'))
        result = run(config)
        assert result.exit_code == 0
        assert f"{N_TRIALS} done, 0 failed, {N_TRIALS} skipped, 0 missing" in result.output
        assert f"{N_TRIALS} x delphi is not installed" in result.output

    @pytest.mark.parametrize("others", [pytest.param('"clouds", ', marks=needs("tabulate")), ""])
    def test_failed_trials_end_with_code_1_and_the_reason(self, others, tmp_path):
        config = write_config(tmp_path, GRID.replace('"clouds"', f'{others}"gone"'), more=TABLE)
        (tmp_path / "plugins" / "gone.py").write_text(
            "from tabcast.study.datasets import DatasetInfo\n\n"
            "def load():\n    raise OSError('the disk is gone')\n\n"
            "gone = DatasetInfo(name='gone', metric='f1', n_rows=9, n_columns=1, n_classes=2, target='t', load=load)\n"
        )
        result = run(config)
        assert result.exit_code == 1
        n_done = N_TRIALS if others else 0
        assert f"Table 0: {n_done} done, {N_TRIALS} failed, 0 skipped, 0 missing" in result.output
        assert f"{N_TRIALS} x OSError: the disk is gone" in result.output
        table = invoke("table", config)
        assert table.exit_code == (0 if others else 2), table.output
        assert others or "No trial of small.toml is done; why: tabcast" in words_of(table.output)

    def test_workers_that_die_end_with_code_1(self, config, monkeypatch):
        def die(*arguments, **options):
            raise ChildProcessError("A worker process was killed (out of memory?).")

        monkeypatch.setattr(run_module, "run_jobs", die)
        result = run(config)
        assert result.exit_code == 1
        assert "A worker process was killed (out of memory?)." in result.output
        assert f"{N_TRIALS} missing" in result.output

    @needs("distributed")
    def test_a_scheduler_that_is_not_there(self, config, monkeypatch):
        monkeypatch.setattr("tabcast.runs._predict.PATIENCE", "1s")
        result = run(config, "--dask", "tcp://127.0.0.1:1")
        assert result.exit_code == 1
        assert "127.0.0.1:1" in result.stderr
        assert "Traceback" not in result.output


class TestStatus:
    def test_before_and_after(self, config):
        before = invoke("status", config)
        assert before.exit_code == 0
        assert f"Table 0: 0 done, 0 failed, 0 skipped, {N_TRIALS} missing\n" in before.output
        run(config)
        after = invoke("status", config)
        assert "Table 0: Small (quick)" in after.output
        assert re.search(rf"clouds +│ +{N_TRIALS} +│ +0 +│ +0 +│ +0 ", after.output)
        assert f"Table 0: {N_TRIALS} done, 0 failed, 0 skipped, 0 missing\n" in after.output

    def test_time_that_is_left(self, config):
        run(config)
        for path in list((config.parent / "records").rglob("*.json"))[:5]:
            path.unlink()
        output = invoke("status", config).output
        assert re.search(r"7 done, 0 failed, 0 skipped, 5 missing; about \d+ s of one worker left", output)

    @pytest.mark.parametrize(
        ("seconds", "words"), [(3.4, "3 s"), (89, "89 s"), (100, "2 min"), (5000, "83 min"), (9000, "2.5 h")]
    )
    def test_times_in_words(self, seconds, words):
        assert study_module._words(seconds) == words


class TestRestore:
    def test_records_that_are_gone(self, config, tmp_path):
        run(config)
        invoke("write", write_config(tmp_path, more=TABLE), "--out", tmp_path / "out")
        results = ("--results", tmp_path / "out" / "small" / "results.csv.gz", "--records", tmp_path / "others")
        result = invoke("restore", config, *results)
        assert result.exit_code == 0, result.output
        assert f"{N_TRIALS} records restored from" in words_of(result.output)
        assert f"{N_TRIALS} done" in invoke("status", config, "--records", tmp_path / "others").output

    def test_no_such_table(self, config, tmp_path):
        result = invoke("restore", config, "--results", tmp_path / "gone.csv")
        assert result.exit_code == 2
        assert "There is no results table" in words_of(result.output)


@pytest.mark.parametrize("command", ["run", "status"])
class TestErrors:
    """One sentence and exit code 2, no traceback."""

    def check(self, result, sentence):
        assert result.exit_code == 2
        assert isinstance(result.exception, SystemExit)
        assert sentence in words_of(result.output)

    def test_unknown_configuration(self, command, tmp_path):
        self.check(invoke(command, tmp_path / "table_7.toml"), "There is no configuration")

    def test_unknown_name(self, command, tmp_path):
        config = write_config(tmp_path, GRID.replace('["clouds"]', '["cloud"]'))
        self.check(invoke(command, config), "Unknown dataset in small.toml: 'cloud'.")

    def test_bad_toml(self, command, tmp_path):
        (tmp_path / "bad.toml").write_text("title =\n")
        self.check(invoke(command, tmp_path / "bad.toml"), "is not valid TOML")

    def test_missing_plugin_folder(self, command, config, tmp_path):
        self.check(invoke(command, config, "--plugins", tmp_path / "nowhere"), "nowhere does not exist.")

    def test_unknown_profile(self, command, config):
        self.check(invoke(command, config, "--profile", "quik"), "Did you mean 'quick'?")

    def test_a_package_that_is_missing(self, command, tmp_path, monkeypatch):
        monkeypatch.setitem(sys.modules, "xgboost", None)  # what import sees where it is not installed
        config = write_config(tmp_path, GRID.replace('["bayes"]', '["xgboost"]'))
        self.check(invoke(command, config), "Install it with: pip install 'tabcast[xgboost]'.")
