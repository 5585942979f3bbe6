"""Build the wheel, and install and use it with several interpreters.

``python -m tests.distribution python3.11 python3.12 ...`` says for each whether it works, and ends
with 1 if one does not.
"""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.distribution.wheel import build_wheel, install_wheel, use


def main(interpreters: list[str]) -> int:
    """Use the wheel with each interpreter."""
    failed = False
    with TemporaryDirectory() as made:
        wheel = build_wheel(Path(made) / "dist")
        for number, python in enumerate(interpreters):
            folder = Path(made) / str(number)
            folder.mkdir()
            try:
                use(install_wheel(wheel, folder / "venv", python) / "quire", folder)
            except AssertionError as error:
                print(f"{python}: {error}")  # noqa: T201 - the result
                failed = True
            else:
                print(f"{python}: works")  # noqa: T201 - the result
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or [sys.executable]))
