#!/bin/sh
# Builds the wheel and installs it into /opt/quire. Runs in the source folder, as root.
set -eu
python3 -m venv /tmp/build
/tmp/build/bin/pip install --quiet --require-hashes -r requirements/bootstrap.txt
/tmp/build/bin/uv build --quiet --wheel --out-dir /tmp/dist .
/opt/quire/bin/pip install --quiet --no-deps /tmp/dist/*.whl
/opt/quire/bin/pip uninstall --quiet --yes pip setuptools 2>/dev/null || true
rm -rf /tmp/build /tmp/dist
