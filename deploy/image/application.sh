#!/bin/sh
# Builds the wheel and installs it into /opt/quire, then removes what nobody needs to run it.
set -eu
python3 -m venv /tmp/build
/tmp/build/bin/pip install --quiet --require-hashes -r requirements/bootstrap.txt
/tmp/build/bin/uv build --quiet --wheel --out-dir /tmp/dist .
/opt/quire/bin/pip install --quiet --no-deps /tmp/dist/*.whl
/opt/quire/bin/pip uninstall --quiet --yes pip setuptools 2>/dev/null || true
# Debug symbols are a fifth of it. Libraries that a wheel carries along are packed so that they break.
if command -v strip >/dev/null; then
	find /opt/quire -name '*.so' -not -path '*.libs/*' -exec strip --strip-unneeded {} +
fi
find /opt/quire -depth \( -name __pycache__ -o -name tests -o -name test \) -type d -exec rm -rf {} +
find /opt/quire \( -name '*.pyi' -o -name '*.pyx' -o -name '*.c' \) -type f -delete
python3 -m compileall -q /opt/quire/lib || true
rm -rf /tmp/build /tmp/dist
