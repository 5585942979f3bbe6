"""Working folders of image processing are always removed."""

import os
import time
from pathlib import Path

import pytest

from quire.uploads.image_workers import REPLACEMENT_FOLDER, ImageWorkers


@pytest.fixture
def shop(tmp_path: Path) -> ImageWorkers:
    return ImageWorkers(tmp_path / "work", threads=1)


async def test_a_bench_is_gone_afterwards(shop: ImageWorkers) -> None:
    async with shop.bench() as bench:
        (bench / "a").write_bytes(b"x")
    assert not bench.exists()


async def test_a_bench_is_gone_when_work_fails(shop: ImageWorkers) -> None:
    benches = []

    async def fail() -> None:
        async with shop.bench() as bench:
            benches.append(bench)
            raise ValueError("x")

    with pytest.raises(ValueError, match="x"):
        await fail()
    assert [bench.exists() for bench in benches] == [False]


async def test_what_a_server_left_long_ago_is_removed(shop: ImageWorkers, tmp_path: Path) -> None:
    for name, age in (("old", 90_000), ("young", 60), (REPLACEMENT_FOLDER, 90_000)):
        (tmp_path / "work" / name).mkdir(parents=True)
        os.utime(tmp_path / "work" / name, (time.time() - age,) * 2)
    async with shop.bench():
        left = {path.name for path in (tmp_path / "work").iterdir()}
    assert {"young", REPLACEMENT_FOLDER} <= left
    assert "old" not in left


async def test_work_runs_on_threads_and_tells_its_errors(shop: ImageWorkers) -> None:
    assert await shop.run(sum, [1, 2]) == 3
    with pytest.raises(ZeroDivisionError):
        await shop.run(lambda: 1 / 0)
    shop.close()
