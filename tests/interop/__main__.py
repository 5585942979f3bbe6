"""The round trip with the reference: ``python -m tests.interop --strapi DIR``."""

import asyncio
import shutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import cyclopts
from cyclopts import Parameter
from rich.console import Console

from bench.servers import ServerError
from tests.databases.kind import Kind
from tests.databases.kinds import KINDS, SQLITE
from tests.interop.changes import changed_and_opened
from tests.interop.moving import there_and_back_again
from tests.interop.python_code import coded_and_back
from tests.interop.round_trip import Report, Trip, there_and_back

app = cyclopts.App(name="interop", help="Let each server go on with what the other wrote.")


@app.default
def interop(
    *,
    strapi: Path,
    database: str = SQLITE.name,
    moved: Annotated[bool, Parameter(negative=())] = False,
    changes: Annotated[bool, Parameter(negative=())] = False,
    code: Annotated[bool, Parameter(negative=())] = False,
) -> int:
    """Write with one server, open and read with the other, both ways.

    Parameters
    ----------
    strapi
        A folder with an installed Strapi, made as bench/strapi/README.md says.
    database
        The kind of database: ``sqlite`` or ``postgresql``.
    moved
        Let ``quire copy`` move the database to the other kind and back, and Strapi open both.
    changes
        Change content types instead, and let one server bring the tables there for the other one.
    code
        Serve a project with Python code instead: an attribute type, and grants of a route.
    """
    console = Console()
    if shutil.which("node") is None:
        console.print("There is no node on PATH: the reference needs Node.js 20.", style="red")
        return 2
    kind = next((one for one in KINDS if one.name == database), None)
    if kind is None:
        console.print(f"There is no kind of database {database!r}.", style="red", markup=False)
        return 2
    clean = True
    try:
        with TemporaryDirectory() as folder, console.status("starting") as status:
            trips = asyncio.run(
                _trips(
                    Path(folder) / "project",
                    strapi,
                    kind,
                    status.update,
                    moved=moved,
                    changes=changes,
                    code=code,
                )
            )
    except ServerError as error:
        console.print(str(error), style="red", markup=False)
        return 2
    for name, trip in trips.items():
        clean = clean and trip.is_clean
        console.print(f"{name}: {'no difference' if trip.is_clean else 'differences'}")
        for line in (*trip.complaints, *trip.changed, *trip.responses, *trip.accounts):
            console.print(f"  {line}", markup=False)
    return 0 if clean else 1


async def _trips(
    folder: Path,
    installed: Path,
    kind: Kind,
    report: Report,
    *,
    moved: bool,
    changes: bool,
    code: bool,
) -> dict[str, Trip]:
    if changes:
        return await changed_and_opened(folder, installed, kind, report)
    if code:
        return await coded_and_back(folder, installed, kind, report)
    if not moved:
        return await there_and_back(folder, installed, kind, report)
    other = next(one for one in KINDS if one is not kind)
    return await there_and_back_again(folder, installed, kind, other, report)


if __name__ == "__main__":
    sys.exit(app())
