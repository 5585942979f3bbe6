"""The round trip with the reference: ``python -m tests.interop --strapi DIR``."""

import asyncio
import shutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import cyclopts
from rich.console import Console

from bench.servers import ServerError
from tests.databases.kinds import POSTGRESQL, SQLITE
from tests.interop.round_trip import there_and_back

app = cyclopts.App(name="interop", help="Let each server go on with what the other wrote.")


@app.default
def interop(*, strapi: Path, database: str = SQLITE.name) -> int:
    """Write with one server, open and read with the other, both ways.

    Parameters
    ----------
    strapi
        A folder with an installed Strapi, made as bench/strapi/README.md says.
    database
        The kind of database: ``sqlite`` or ``postgresql``.
    """
    console = Console()
    if shutil.which("node") is None:
        console.print("There is no node on PATH: the reference needs Node.js 20.", style="red")
        return 2
    kind = next((one for one in (SQLITE, POSTGRESQL) if one.name == database), None)
    if kind is None:
        console.print(f"There is no kind of database {database!r}.", style="red", markup=False)
        return 2
    clean = True
    try:
        with TemporaryDirectory() as folder, console.status("starting") as status:
            trips = asyncio.run(there_and_back(Path(folder), strapi, kind, status.update))
    except ServerError as error:
        console.print(str(error), style="red", markup=False)
        return 2
    for name, trip in trips.items():
        clean = clean and trip.is_clean
        console.print(f"{name}: {'no difference' if trip.is_clean else 'differences'}")
        for line in (*trip.complaints, *trip.changed, *trip.answers):
            console.print(f"  {line}", markup=False)
    return 0 if clean else 1


if __name__ == "__main__":
    sys.exit(app())
