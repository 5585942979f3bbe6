"""A generated image for uploads: like a photograph, and equal on every machine."""

import pyvips  # type: ignore[import-untyped]

WIDTH, HEIGHT = 2_448, 1_632
"""Four megapixels."""

_SEED = 5
_QUALITY = 85


def photograph() -> bytes:
    """Return a JPEG with large forms, fine structure and the noise of a sensor."""
    channels = [_channel(_SEED + number) for number in range(3)]
    picture = channels[0].bandjoin(channels[1:]).cast("uchar").copy(interpretation="srgb")
    written: bytes = picture.jpegsave_buffer(Q=_QUALITY)
    return written


def _channel(seed: int) -> pyvips.Image:
    forms = pyvips.Image.perlin(WIDTH, HEIGHT, cell_size=400, seed=seed)
    structure = pyvips.Image.worley(WIDTH, HEIGHT, cell_size=64, seed=seed)
    noise = pyvips.Image.gaussnoise(WIDTH, HEIGHT, sigma=16, mean=0, seed=seed)
    return forms * 70 + structure * 0.8 + noise + 100
