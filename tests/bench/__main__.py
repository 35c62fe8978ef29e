"""`make bench`: every bench in turn, each in a process of its own; `--only NAME` one of them."""

import argparse
import json
import signal
import subprocess
import sys

BENCHES = ("rules", "append", "api", "replay", "feeds", "scale")


def main() -> None:
    """Run them, and print a table of each, or one JSON object of all; what else is given goes to each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=BENCHES, help="one of them")
    parser.add_argument("--json", action="store_true", help="print JSON")
    asked, more = parser.parse_known_args()
    found = {}
    for name in [asked.only] if asked.only else BENCHES:
        argv = [sys.executable, "-m", f"tests.bench.{name}", *more]
        told = _run(argv, asked.json)
        if told is not None:
            found[name] = json.loads(told)
    if asked.json:
        json.dump(found, sys.stdout, indent=2, ensure_ascii=False)
        sys.stdout.write("\n")


def _run(argv: list[str], as_json: bool) -> bytes | None:
    """Run a bench to its end, or until we are stopped: then it ends what it has started."""
    child = subprocess.Popen(
        [*argv, "--json"] if as_json else argv, stdout=subprocess.PIPE if as_json else None
    )
    try:
        told, _ = child.communicate()
    except BaseException:
        child.terminate()
        child.wait()
        raise
    if child.returncode:
        sys.exit(child.returncode)
    return told


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        main()
    except KeyboardInterrupt:
        sys.exit("stopped")
