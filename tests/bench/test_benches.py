"""Each bench of the store runs to its end and compares something; how fast it was is no test's business."""

import json
import subprocess
import sys

import pytest


@pytest.mark.parametrize("bench", [["append"], ["replay"], ["scale", "--tables", "100"]], ids=lambda b: b[0])
def test_a_bench_measures_product_and_floor(bench):
    name, *more = bench
    argv = [sys.executable, "-m", f"tests.bench.{name}", "--json", "--rounds", "1", *more]
    told = subprocess.run(argv, check=True, capture_output=True, timeout=300)
    results = json.loads(told.stdout)["results"]
    assert results
    assert all(result["ratio"] > 0 for result in results)
