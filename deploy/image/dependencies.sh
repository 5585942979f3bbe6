#!/bin/sh
# Installs the locked dependencies into /opt/quire. Runs in the source folder, as root.
set -eu
python3 -m venv /opt/quire
/opt/quire/bin/pip install --quiet --require-hashes -r requirements/run.txt
