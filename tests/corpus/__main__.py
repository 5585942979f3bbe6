"""Prints the result for each project, and totals."""

import argparse
import sys
from pathlib import Path

from quire.customisations.coverage import ServiceLevel, TypeSummary
from tests.corpus.projects import ProjectResult, find_projects, try_project


def main() -> int:
    """Try the projects of the command line; returns how many do not open."""
    parser = argparse.ArgumentParser(prog="python -m tests.corpus", description=__doc__)
    parser.add_argument("directories", nargs="+", type=Path)
    parser.add_argument(
        "--serve", action="store_true", help="run each project on a new database and ask it"
    )
    options = parser.parse_args()
    results = []
    for directory in options.directories:
        for project in find_projects(directory):
            result = try_project(project, serve=options.serve)
            results.append(result)
            _print_project(result)
    _print_sums(results)
    return sum(bool(result.problems) for result in results)


def _print_project(result: ProjectResult) -> None:
    if result.problems:
        sys.stdout.write(f"{result.name}: does not open\n")
        for problem in result.problems:
            sys.stdout.write(f"    {problem}\n")
        return
    sys.stdout.write(f"{result.name}: {result.complete} of {len(result.types)}\n")
    for one in result.types:
        if one.served is not ServiceLevel.COMPLETELY:
            sys.stdout.write(f"    {one.uid}: {one.served}: {_reasons(one)}\n")
    for wrong in result.wrong:
        sys.stdout.write(f"    wrong: {wrong}\n")


def _reasons(one: TypeSummary) -> str:
    reasons = []
    if one.closed_actions:
        reasons.append(f"{', '.join(one.closed_actions)} closed by {', '.join(one.files)}")
    if one.unserved_routes:
        reasons.append(f"not served: {', '.join(one.unserved_routes)}")
    if one.unserved_attributes:
        reasons.append(f"attributes not served: {', '.join(one.unserved_attributes)}")
    return "; ".join(reasons)


def _print_sums(results: list[ProjectResult]) -> None:
    opened = [result for result in results if not result.problems]
    types = [one for result in opened for one in result.types]
    by_served = {how: sum(one.served is how for one in types) for how in ServiceLevel}
    core = sum(not one.closed_actions for one in types)
    wrong = sum(len(result.wrong) for result in opened)
    sys.stdout.write(
        f"\n{len(opened)} of {len(results)} projects open. {len(types)} content types: "
        f"{', '.join(f'{count} {how}' for how, count in by_served.items())}; "
        f"{core} with all core routes. {wrong} wrong responses.\n"
    )


if __name__ == "__main__":
    sys.exit(main())
