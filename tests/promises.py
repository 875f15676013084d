#!/usr/bin/env python3
"""Checks that all tests named in tests/README.md exist.

Builds the tests of the workspace, and lists the tests of each binary and the sections of each file of calls. Exits with 1 and prints a line for each name in
the tables that no binary has.
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
STORES = "memory embedded redis redis_collated redis_script_free redis_servers redis_cluster".split()
# Packages with another name in the tables.
SHORT = {"megaboard-client": "client", "end-to-end": "e2e"}


def binaries():
    """Yields the name in the tables and the path of each test binary."""
    cargo = [os.environ.get("CARGO", "cargo"), "test", "--workspace", "--locked", "--no-run"]
    built = subprocess.run(
        [*cargo, "--message-format", "json"], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True
    )
    metadata = subprocess.run(
        [cargo[0], "metadata", "--no-deps", "--locked", "--format-version", "1"],
        cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True,
    )
    packages = {package["id"]: package["name"] for package in json.loads(metadata.stdout)["packages"]}
    for line in built.stdout.splitlines():
        message = json.loads(line)
        if not message.get("executable") or not message["profile"]["test"]:
            continue
        target = message["target"]
        package = packages[message["package_id"]]
        package = SHORT.get(package, package)
        name = package if target["kind"] != ["test"] else f"{package}/{target['name']}"
        yield name, message["executable"]


def sections():
    """Yields the path of each test that runs a file of calls, and those of the sections in the file."""
    folder = ROOT / "tests/e2e"
    for file in folder.rglob("*.calls"):
        test = "::".join(file.relative_to(folder).with_suffix("").parts)
        names = re.findall(r"^## (\w+)$", file.read_text(), re.M)
        yield test, [f"{test}::{name}" for name in names]


def tests_by_binary():
    """Returns the paths of all tests, also those in files of calls, by the name of their binary."""
    tests = {}
    for name, executable in binaries():
        listed = subprocess.run([executable, "--list"], stdout=subprocess.PIPE, text=True, check=True)
        paths = (line.removesuffix(": test") for line in listed.stdout.splitlines() if line.endswith(": test"))
        tests.setdefault(name, set()).update(paths)
    for test, paths in sections():
        if test in tests["e2e"]:
            tests["e2e"].update(paths)
    return tests


def names(readme):
    """Yields line number, binary and path of each test in the tables."""
    for number, line in enumerate(readme.splitlines(), 1):
        cells = line.split(" | ")
        if not line.startswith("| ") or len(cells) < 3 or line.startswith("| kind |"):
            continue
        for binary, path in re.findall(r"`([a-z0-9/_-]+) ((?:[a-z0-9_*]+::)*(?:\{[^}]+\}|[a-z0-9_*]+))`", cells[-1]):
            if binary in ("cargo", "tests/run", "benches/run"):
                continue
            before, brace, inside = path.partition("{")
            for last in inside.rstrip("}").split(",") if brace else [""]:
                yield number, binary, before + last.strip()


def has(tests, binary, path):
    """Returns whether a binary of this name has a test or a module with this path."""
    if path.startswith("*::"):
        own = {path for name, paths in tests.items() if name.startswith("store-") for path in paths}
        scenario = path.removeprefix("*::")
        return all(any(re.search(rf"\b{store}::(.*::)?{scenario}$", path) for path in own) for store in STORES)
    return any(
        path in paths or any(other.startswith(f"{path}::") for other in paths)
        for name, paths in tests.items()
        if binary in (name, name.rpartition("/")[2])
    )


def main():
    tests = tests_by_binary()
    named = list(names((ROOT / "tests/README.md").read_text()))
    missing = [name for name in named if not has(tests, *name[1:])]
    for number, binary, path in missing:
        print(f"tests/README.md:{number}: there is no test `{binary} {path}`", file=sys.stderr)
    print(f"tests/promises.py: {len(named)} tests are named, {len(missing)} do not exist")
    return 1 if missing or not named else 0


if __name__ == "__main__":
    sys.exit(main())
