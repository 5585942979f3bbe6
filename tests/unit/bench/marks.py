"""Marks for tests of the benchmarks."""

from pathlib import Path

import pytest

needs_proc = pytest.mark.skipif(
    not Path("/proc/self/stat").exists(), reason="CPU times are read from /proc, which Linux has"
)
