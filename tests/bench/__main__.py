"""`make bench`: every bench in turn, each in a process of its own; `--only NAME` one of them."""

import argparse
import json
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
        if asked.json:
            found[name] = json.loads(
                subprocess.run([*argv, "--json"], check=True, stdout=subprocess.PIPE).stdout
            )
        else:
            subprocess.run(argv, check=True)
    if asked.json:
        json.dump(found, sys.stdout, indent=2, ensure_ascii=False)
        sys.stdout.write("\n")


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit("stopped")
    except subprocess.CalledProcessError as error:
        sys.exit(error.returncode)
