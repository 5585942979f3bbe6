"""Draw the pictures of the example blog.

Every picture is computed: nothing is downloaded, and two runs with the same Pillow give the same
bytes, because all chance comes from generators with fixed seeds. The pictures are committed next to
this script; it is needed only by somebody who wants to change one.

    python -m pip install "pillow>=11"
    python make_images.py            # all pictures, next to this script
    python make_images.py gulls.png  # only that one

Distances are pixels of the finished picture. Silhouettes are drawn at ``SCALE`` times that size
and reduced afterwards, which gives them smooth edges.
"""

# ruff: noqa: S311 - run as a plain file; pictures need no cryptographic chance

import math
import sys
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

from PIL import Image, ImageChops, ImageDraw, ImageFilter

Colour = tuple[int, int, int]
Point = tuple[float, float]
Field = Callable[[float, float], float]

HERE = Path(__file__).resolve().parent
SCALE = 2

INK = (22, 34, 51)
FOAM = (240, 244, 240)
SAND = (233, 216, 182)


# --- Tools -----------------------------------------------------------------------------------


def mix(first: Colour, second: Colour, share: float) -> Colour:
    """Return the colour that lies ``share`` (0 to 1) of the way from first to second."""
    a, b, c = (round(x + (y - x) * share) for x, y in zip(first, second, strict=True))
    return a, b, c


def ramp(stops: Sequence[Colour], position: float) -> Colour:
    """Return the colour at ``position`` (0 to 1) along evenly spaced stops."""
    place = min(max(position, 0.0), 1.0) * (len(stops) - 1)
    index = min(int(place), len(stops) - 2)
    return mix(stops[index], stops[index + 1], place - index)


def sky(size: tuple[int, int], stops: Sequence[Colour]) -> Image.Image:
    """Return a canvas, ``SCALE`` times the given size, with a vertical gradient."""
    width, height = size[0] * SCALE, size[1] * SCALE
    column = Image.new("RGB", (1, height))
    for y in range(height):
        column.putpixel((0, y), ramp(stops, y / (height - 1)))
    return column.resize((width, height))


def finish(canvas: Image.Image) -> Image.Image:
    """Reduce a canvas to its final size."""
    size = (canvas.width // SCALE, canvas.height // SCALE)
    return canvas.resize(size, Image.Resampling.LANCZOS)


def scaled(points: Sequence[Point]) -> list[Point]:
    """Turn finished pixels into canvas pixels."""
    return [(x * SCALE, y * SCALE) for x, y in points]


def polygon(canvas: Image.Image, points: Sequence[Point], fill: Colour) -> None:
    """Fill a polygon given in finished pixels."""
    ImageDraw.Draw(canvas).polygon(scaled(points), fill=fill)


def disc(canvas: Image.Image, centre: Point, radius: float, fill: Colour) -> None:
    """Fill a circle given in finished pixels."""
    (x, y), r = centre, radius
    ImageDraw.Draw(canvas).ellipse(scaled([(x - r, y - r), (x + r, y + r)]), fill=fill)


def stroke(canvas: Image.Image, points: Sequence[Point], fill: Colour, width: float) -> None:
    """Draw a line through points given in finished pixels."""
    pen = max(1, round(width * SCALE))
    ImageDraw.Draw(canvas).line(scaled(points), fill=fill, width=pen, joint="curve")


def glow(canvas: Image.Image, centre: Point, radius: float, colour: Colour) -> None:
    """Add soft light around a point, in place."""
    light = Image.new("RGB", canvas.size)
    disc(light, centre, radius, colour)
    light = light.filter(ImageFilter.GaussianBlur(radius * SCALE * 0.6))
    canvas.paste(ImageChops.screen(canvas, light))


def swell(random: Random, width: int, base: float, height: float) -> list[Point]:
    """Return a wavy line across the picture: three sines with chosen lengths and phases."""
    waves = [
        (height / n, width / (n * random.uniform(1.2, 2.4)), random.uniform(0, math.tau))
        for n in (1, 2, 4)
    ]
    return [
        (x, base + sum(a * math.sin(x / length * math.tau + p) for a, length, p in waves))
        for x in range(0, width + 4, 4)
    ]


def sea(
    canvas: Image.Image,
    random: Random,
    *,
    horizon: float,
    colours: Sequence[Colour],
    bands: int,
    height: float,
) -> None:
    """Lay bands of water from the horizon down; nearer bands are taller and further apart."""
    width, bottom = canvas.width // SCALE, canvas.height // SCALE
    for band in range(bands):
        share = band / (bands - 1)
        base = horizon + (bottom - horizon) * share**1.5 * 0.94
        line = swell(random, width, base, height * share)
        colour = ramp(colours, share)
        polygon(canvas, [*line, (width, bottom), (0, bottom)], colour)
        if band:
            stroke(canvas, line, mix(colour, FOAM, 0.22), 0.6 + 1.6 * share)


def glitter(canvas: Image.Image, random: Random, path: tuple[Point, Point], fill: Colour) -> None:
    """Draw the path of light below a sun or lamp; it widens towards the viewer."""
    (x, top), (spread, bottom) = path
    for _ in range(170):
        share = random.random() ** 1.4
        y = top + (bottom - top) * share
        reach = 8 + spread * share
        middle = x + random.uniform(-reach, reach)
        half = random.uniform(4, 10 + 30 * share)
        stroke(canvas, [(middle - half, y), (middle + half, y)], fill, 0.8 + 2 * share)


def coast(random: Random, width: int, base: float, rough: float) -> list[Point]:
    """Return a rugged line from left to right, by repeated halving."""
    heights = [0.0, 0.0]
    step = rough
    while len(heights) < width // 6:
        between = [(a + b) / 2 + random.uniform(-step, step) for a, b in pairwise(heights)]
        heights = [h for pair in zip(heights, [*between, 0.0], strict=True) for h in pair][:-1]
        step *= 0.56
    last = len(heights) - 1
    return [(index / last * width, base + height) for index, height in enumerate(heights)]


def hills(random: Random, reach: float) -> Field:
    """Return a smooth landscape: the height, about -1 to 1, at a place from 0 to 1 each way."""
    waves = [
        (random.uniform(-reach, reach), random.uniform(-reach, reach), random.uniform(0, math.tau))
        for _ in range(9)
    ]

    def height(x: float, y: float) -> float:
        return sum(math.sin(math.tau * (a * x + b * y) + p) for a, b, p in waves) / 4.2

    return height


def paint(size: tuple[int, int], colour: Callable[[float, float], Colour]) -> Image.Image:
    """Compute a picture from a function of the place (0 to 1 each way)."""
    width, height = size
    picture = Image.new("RGB", size)
    picture.putdata([colour(x / width, y / height) for y in range(height) for x in range(width)])
    return picture


# --- Things ----------------------------------------------------------------------------------


def lighthouse(canvas: Image.Image, foot: Point, height: float, colours: Sequence[Colour]) -> Point:
    """Draw a tower with bands on ``foot``; return the place of its lamp."""
    x, y = foot
    low, high = height * 0.13, height * 0.075
    for band in range(5):
        near, far = band / 5, (band + 1) / 5
        a, b = low + (high - low) * near, low + (high - low) * far
        top, bottom = y - height * far * 0.82, y - height * near * 0.82
        outline = [(x - a, bottom), (x - b, top), (x + b, top), (x + a, bottom)]
        polygon(canvas, outline, colours[band % 2])
    deck = y - height * 0.82
    edge = high * 1.5
    polygon(
        canvas,
        [(x - edge, deck), (x - edge, deck - 5), (x + edge, deck - 5), (x + edge, deck)],
        colours[0],
    )
    room, top = high * 0.72, deck - height * 0.12
    polygon(
        canvas,
        [(x - room, deck), (x - room, top), (x + room, top), (x + room, deck)],
        (255, 236, 170),
    )
    for bar in (-0.5, 0.0, 0.5):
        stroke(canvas, [(x + bar * room, deck), (x + bar * room, top)], colours[0], 1.5)
    polygon(
        canvas, [(x - room * 1.3, top), (x, top - height * 0.07), (x + room * 1.3, top)], colours[0]
    )
    return x, (deck + top) / 2


def beam(canvas: Image.Image, lamp: Point, end: Point, spread: float) -> None:
    """Add one beam of light, in place."""
    light = Image.new("RGB", canvas.size)
    (x, y), (far_x, far_y) = lamp, end
    polygon(light, [(x, y), (far_x, far_y - spread), (far_x, far_y + spread)], (105, 92, 58))
    light = light.filter(ImageFilter.GaussianBlur(7 * SCALE))
    canvas.paste(ImageChops.screen(canvas, light))


def gull(canvas: Image.Image, centre: Point, span: float, lift: float, colour: Colour) -> None:
    """Draw a gliding bird: two tapering wings that bend at the wrist, and a body."""
    x, y = centre
    half, bend = span / 2, span * lift
    for side in (-1, 1):
        front = [(0.0, 0.0), (0.25, -0.7), (0.5, -1.0), (0.78, -0.75), (1.0, -0.2)]
        back = [(0.72, -0.5), (0.5, -0.68), (0.22, -0.3), (0.0, 0.32)]
        wing = [(x + side * half * a, y + bend * b) for a, b in [*front, *back]]
        polygon(canvas, wing, colour)
    body = [
        (x - span * 0.05, y + bend * 0.1),
        (x, y - bend * 0.2),
        (x + span * 0.05, y + bend * 0.1),
        (x, y + bend * 0.75),
    ]
    polygon(canvas, body, colour)


def buoy(canvas: Image.Image, foot: Point, height: float) -> None:
    """Draw an east cardinal buoy: black with a yellow band, two cones base to base."""
    x, y = foot
    tilt = height * 0.07
    bands = [(0.0, 0.2, INK), (0.2, 0.42, (226, 178, 60)), (0.42, 0.62, INK)]
    for low, high, colour in bands:
        a, b = height * (0.2 - 0.17 * low), height * (0.2 - 0.17 * high)
        p, q = x + tilt * low, x + tilt * high
        bottom, top = y - height * low, y - height * high
        polygon(canvas, [(p - a, bottom), (q - b, top), (q + b, top), (p + a, bottom)], colour)
    stroke(canvas, [(x + tilt * 0.62, y - height * 0.6), (x + tilt, y - height)], INK, 4)
    for low, high in ((0.84, 0.98), (0.81, 0.67)):
        middle, wide = x + tilt * low, height * 0.075
        points = [
            (middle - wide, y - height * low),
            (x + tilt * high, y - height * high),
            (middle + wide, y - height * low),
        ]
        polygon(canvas, points, INK)


# --- Pictures --------------------------------------------------------------------------------


def calm_sea_at_dawn() -> Image.Image:
    """A low sun over quiet water."""
    random = Random(11)
    canvas = sky((1600, 1000), [(52, 74, 122), (132, 128, 168), (232, 168, 150), (252, 214, 160)])
    glow(canvas, (1040, 520), 150, (255, 220, 160))
    disc(canvas, (1040, 520), 52, (255, 240, 206))
    sea(
        canvas,
        random,
        horizon=560,
        height=14,
        bands=17,
        colours=[(214, 160, 148), (120, 120, 156), (52, 78, 118), (26, 46, 82)],
    )
    glitter(canvas, random, ((1040, 566), (150, 940)), (255, 222, 176))
    return finish(canvas)


def lighthouse_at_dusk() -> Image.Image:
    """A banded tower on a headland, its beam over the evening sea."""
    random = Random(23)
    canvas = sky((1600, 1000), [(24, 32, 66), (66, 68, 112), (160, 104, 126), (240, 164, 120)])
    for _ in range(90):
        disc(
            canvas,
            (random.uniform(0, 1600), random.uniform(0, 330)),
            random.uniform(0.5, 1.5),
            (206, 208, 224),
        )
    sea(
        canvas,
        random,
        horizon=640,
        height=16,
        bands=13,
        colours=[(196, 132, 122), (104, 84, 118), (44, 52, 92), (20, 28, 58)],
    )
    head = [
        (0.0, 560.0),
        (120, 548),
        (260, 566),
        (380, 572),
        (470, 610),
        (520, 660),
        (610, 690),
        (650, 760),
        (760, 800),
        (800, 880),
        (900, 930),
        (960, 1000),
        (0, 1000),
    ]
    polygon(canvas, head, (18, 22, 42))
    lamp = lighthouse(canvas, (300, 580), 380, [(24, 28, 50), (196, 190, 200)])
    beam(canvas, lamp, (1600, 60), 120)
    beam(canvas, lamp, (-200, 320), 40)
    glow(canvas, lamp, 34, (255, 226, 150))
    return finish(canvas)


def storm_front() -> Image.Image:
    """Heavy water under a shelf of cloud, with a strip of light beneath it."""
    random = Random(37)
    canvas = sky((1600, 1000), [(40, 52, 64), (58, 72, 84), (104, 122, 126), (196, 204, 190)])
    for layer in range(7):
        cloud = Image.new("RGB", canvas.size)
        mask = Image.new("L", canvas.size)
        base = 470 - layer * 62
        line = coast(random, 1600, base, 50)
        polygon(
            cloud,
            [(0, 0), (1600, 0), (1600, 1000), (0, 1000)],
            mix((120, 134, 140), (34, 44, 56), layer / 6),
        )
        ImageDraw.Draw(mask).polygon(scaled([*line, (1600, 0), (0, 0)]), fill=150)
        canvas.paste(cloud, mask=mask.filter(ImageFilter.GaussianBlur(13 * SCALE)))
    sea(
        canvas,
        random,
        horizon=590,
        height=46,
        bands=14,
        colours=[(140, 158, 154), (74, 100, 108), (38, 64, 78), (18, 36, 52)],
    )
    return finish(canvas)


def harbour_houses() -> Image.Image:
    """A row of painted houses and their reflection."""
    random = Random(41)
    canvas = sky((1400, 900), [(122, 168, 196), (186, 210, 214), (240, 226, 204)])
    paints = [
        (190, 84, 70),
        (226, 178, 92),
        (92, 134, 148),
        (238, 228, 206),
        (128, 148, 112),
        (206, 132, 108),
        (74, 96, 122),
    ]
    x, quay = 60.0, 520.0
    while x < 1310:
        wide, tall = random.uniform(96, 140), random.uniform(170, 270)
        paint_, top = paints[random.randrange(len(paints))], quay - tall
        polygon(canvas, [(x, quay), (x, top), (x + wide, top), (x + wide, quay)], paint_)
        roof = random.uniform(46, 80)
        polygon(
            canvas,
            [(x - 4, top), (x + wide / 2, top - roof), (x + wide + 4, top)],
            mix(paint_, INK, 0.62),
        )
        for row in range(int(tall // 66)):
            for column in range(2):
                left, upper = x + wide * (0.2 + 0.38 * column), top + 20 + 62 * row
                frame = [
                    (left, upper),
                    (left + 22, upper),
                    (left + 22, upper + 34),
                    (left, upper + 34),
                ]
                polygon(canvas, frame, (252, 228, 158) if random.random() < 0.3 else (52, 66, 84))
        x += wide + random.choice([0, 0, 10])
    polygon(canvas, [(0, quay), (1400, quay), (1400, quay + 22), (0, quay + 22)], (96, 92, 92))
    return finish(reflected(canvas, round((quay + 22) * SCALE)))


def reflected(canvas: Image.Image, line: int) -> Image.Image:
    """Return the canvas with everything below ``line`` replaced by a rippled mirror image."""
    result = canvas.copy()
    below = canvas.height - line
    for y in range(below):
        ripple = math.sin(y / (5 + y / 26)) * (2 + y / 16)
        source = max(0, line - 1 - y)
        row = canvas.crop((0, source, canvas.width, source + 1))
        water = Image.new("RGB", row.size, (56, 92, 112))
        row = Image.blend(ImageChops.offset(row, round(ripple), 0), water, 0.34 + 0.4 * y / below)
        result.paste(row, (0, line + y))
    return result


def night_sky() -> Image.Image:
    """Stars to steer by: the Plough, and the line from its edge to the Pole Star."""
    random = Random(53)
    canvas = sky((1400, 900), [(8, 12, 32), (16, 26, 60), (38, 56, 98), (92, 108, 138)])
    for _ in range(620):
        place = (random.uniform(0, 1400), 780 * random.random() ** 1.15)
        size = 0.4 + 1.3 * random.random() ** 4
        disc(canvas, place, size, mix((120, 132, 170), (255, 250, 236), random.random()))
    plough: list[Point] = [
        (250, 420),
        (392, 372),
        (472, 420),
        (566, 462),
        (582, 566),
        (742, 590),
        (764, 474),
    ]
    lines = [*plough, plough[3]]
    stroke(canvas, lines, (112, 132, 178), 1.4)
    pole = (856.0, 130.0)
    for share in range(12):
        a, b = share / 12, (share + 0.45) / 12
        (x, y), (u, v) = plough[6], pole
        dash = [(x + (u - x) * a, y + (v - y) * a), (x + (u - x) * b, y + (v - y) * b)]
        stroke(canvas, dash, (150, 160, 190), 1.2)
    for star in (*plough, pole):
        glow(canvas, star, 6, (120, 130, 170))
        disc(canvas, star, 3.6, (255, 250, 232))
    sea(
        canvas,
        random,
        horizon=790,
        height=8,
        bands=7,
        colours=[(66, 84, 116), (26, 38, 70), (10, 16, 36)],
    )
    polygon(canvas, [(1040, 800), (1080, 815), (1170, 815), (1200, 796)], (6, 10, 24))
    polygon(canvas, [(1112, 794), (1112, 640), (1184, 788)], (8, 13, 30))
    polygon(canvas, [(1106, 794), (1106, 662), (1056, 786)], (8, 13, 30))
    return finish(canvas)


def gulls_over_a_cliff() -> Image.Image:
    """Eleven gulls hang in the updraught of a chalk cliff."""
    random = Random(67)
    canvas = sky((1400, 900), [(108, 158, 190), (168, 200, 212), (226, 232, 222)])
    sea(
        canvas,
        random,
        horizon=700,
        height=10,
        bands=9,
        colours=[(150, 186, 190), (84, 140, 152), (48, 106, 124)],
    )
    for shade, left, lift in (((214, 212, 200), 980, 300), ((236, 232, 220), 1110, 210)):
        edge = [(left + y * 0.16 + random.uniform(-12, 12), lift + y) for y in range(0, 640, 22)]
        polygon(canvas, [*edge, (1400, 900), (1400, lift - 26)], shade)
        for place in edge[2::3]:
            drop = [
                (place[0] + 16, place[1]),
                (place[0] + 30 + random.uniform(0, 60), place[1] + 40),
            ]
            stroke(canvas, drop, mix(shade, INK, 0.12), 2)
        polygon(
            canvas,
            [
                (left - 10, lift + 4),
                (left + 90, lift - 16),
                (1400, lift - 40),
                (1400, lift + 2),
                (left + 60, lift + 20),
            ],
            (112, 140, 92),
        )
    for bird in range(11):
        centre = (random.uniform(110, 900), random.uniform(90, 560))
        span = 64 + 15 * (bird % 6)
        gull(canvas, centre, span, random.uniform(0.16, 0.26), mix(INK, (96, 116, 134), bird / 16))
    return finish(canvas)


def buoy_in_fog() -> Image.Image:
    """A cardinal buoy, half gone in fog."""
    random = Random(71)
    canvas = sky((1400, 900), [(196, 204, 206), (214, 218, 216), (186, 198, 200)])
    sea(
        canvas,
        random,
        horizon=560,
        height=15,
        bands=12,
        colours=[(206, 212, 211), (176, 190, 193), (140, 162, 168), (104, 132, 142)],
    )
    foggy = canvas.copy()
    for place, height, haze in (((1060, 640), 120, 0.8), ((500, 740), 400, 0.3)):
        scene = foggy.copy()
        buoy(scene, place, height)
        veil = sky((1400, 900), [(206, 212, 212), (206, 212, 212)])
        changed = ImageChops.difference(scene, foggy).convert("L").point(lambda v: 255 * (v > 0))
        foggy.paste(Image.blend(scene, veil, haze), mask=changed)
    for row in range(9):
        half = 190 - row * 13
        ripple = [
            (500 + x, 742 + row * 9 + 3 * math.sin(x / 31 + row)) for x in range(-half, half, 4)
        ]
        stroke(foggy, ripple, mix((150, 170, 176), (196, 206, 207), row % 2 * 0.7), 8)
    return finish(foggy.filter(ImageFilter.GaussianBlur(1.2 * SCALE)))


def harbour_chart() -> Image.Image:
    """A chart of an invented bay: land, drying ground, three depths and their contours."""
    height = hills(Random(83), 1.7)
    colours = [(244, 248, 246), (206, 230, 240), (170, 208, 228), (170, 196, 150), (238, 214, 158)]

    def level(x: float, y: float) -> float:
        return height(x, y) * 0.85 + (abs(x - 0.45) + y * 0.35 - 0.35) * 1.6

    def colour(x: float, y: float) -> Colour:
        value = level(x, y)
        near = [level(x + 0.0011, y), level(x, y + 0.0017)]
        for limit in (-0.55, -0.2, 0.1, 0.32):
            if any((value < limit) != (other < limit) for other in near):
                return 92, 116, 130
        if value > 0.32:
            return colours[4]
        if value > 0.1:
            return colours[3]
        return colours[2] if value > -0.2 else colours[1] if value > -0.55 else colours[0]

    chart = paint((1200, 800), colour)
    canvas = chart.resize((1200 * SCALE, 800 * SCALE), Image.Resampling.BICUBIC)
    grid(canvas)
    return finish(canvas)


def grid(canvas: Image.Image) -> None:
    """Draw the graticule and the black-and-white scale around a chart."""
    width, height = canvas.width // SCALE, canvas.height // SCALE
    for x in range(200, width, 200):
        stroke(canvas, [(x, 0), (x, height)], (150, 170, 180), 0.8)
    for y in range(200, height, 200):
        stroke(canvas, [(0, y), (width, y)], (150, 170, 180), 0.8)
    for step in range(0, width, 40):
        fill = INK if step // 40 % 2 else (250, 250, 246)
        for top in (0, height - 14):
            polygon(
                canvas,
                [(step, top), (step + 40, top), (step + 40, top + 14), (step, top + 14)],
                fill,
            )
    for step in range(0, height, 40):
        fill = INK if step // 40 % 2 else (250, 250, 246)
        for left in (0, width - 14):
            polygon(
                canvas,
                [(left, step), (left + 14, step), (left + 14, step + 40), (left, step + 40)],
                fill,
            )


def tidal_flats() -> Image.Image:
    """Sand and creeks at low water, seen from above."""
    height = hills(Random(97), 2.2)
    ripple = hills(Random(98), 7)

    def colour(x: float, y: float) -> Colour:
        bend = height(x, y)
        creek = abs(math.sin(3.1 * (bend + 1.2 * x + 0.4 * y)))
        if creek < 0.13:
            return mix((62, 112, 128), (112, 158, 164), creek / 0.13)
        wet = min(1.0, (creek - 0.13) * 1.7)
        ground = mix((164, 160, 138), SAND, wet)
        return mix(ground, (250, 240, 216), max(0.0, 0.24 * math.sin(30 * ripple(x, y))))

    return paint((1200, 800), colour)


def tide_curve() -> Image.Image:
    """Two weeks of tide: small at neaps, large at springs, and small again."""
    canvas = sky((1200, 600), [(250, 248, 240), (250, 248, 240)])
    for row in range(1, 6):
        stroke(canvas, [(60, row * 100), (1140, row * 100)], (218, 220, 212), 1)
    for day in range(15):
        x = 60 + day * 1080 / 14
        stroke(canvas, [(x, 60), (x, 540)], (232, 232, 224), 1)

    def level(x: float) -> float:
        days = (x - 60) / 1080 * 14
        fortnight = 1.4 - 0.6 * math.cos(math.tau * days / 14)
        return 300 - 96 * fortnight * math.cos(math.tau * days / 0.5175)

    curve = [(x / 4, level(x / 4)) for x in range(240, 4561)]
    polygon(canvas, [(60, 540), *curve, (1140, 540)], (206, 226, 232))
    stroke(canvas, curve, (30, 92, 122), 2.4)
    stroke(canvas, [(60, 300), (1140, 300)], (196, 92, 72), 1.6)
    stroke(canvas, [(60, 60), (60, 540), (1140, 540)], INK, 2)
    moons = [(60.0, "half"), (600.0, "full"), (1140.0, "half")]
    for x, phase in moons:
        disc(canvas, (x, 34), 18, INK)
        disc(canvas, (x, 34), 16, (250, 240, 206))
        if phase == "half":
            ImageDraw.Draw(canvas).pieslice(scaled([(x - 16, 18), (x + 16, 50)]), 90, 270, fill=INK)
    return finish(canvas)


def swell_lines() -> Image.Image:
    """Swell from a far storm, drawn as lines that straighten and widen on their way."""
    canvas = sky((1200, 800), [(18, 52, 78), (34, 92, 116), (92, 158, 166)])
    for row in range(46):
        share = row / 45
        base = 30 + 800 * share**1.35
        rough = (1 - share) ** 2.2
        random = Random(100 + row)
        phases = [random.uniform(0, math.tau) for _ in range(4)]
        line = [
            (
                x,
                base
                + sum(
                    rough * 15 / (n + 1) * math.sin(x / (72 - 14 * n) + p)
                    for n, p in enumerate(phases)
                )
                + 11 * share * math.sin(x / 210 + base / 90),
            )
            for x in range(0, 1204, 4)
        ]
        stroke(canvas, line, mix((116, 170, 184), FOAM, share), 0.8 + 2.6 * share)
    return finish(canvas)


def portrait(seed: int, coat: Colour, back: Colour, hair: Colour, skin: Colour) -> Image.Image:
    """A head and shoulders in flat colours before a round horizon."""
    random = Random(seed)
    canvas = sky((400, 400), [mix(back, FOAM, 0.35), back])
    sea(
        canvas,
        random,
        horizon=250,
        height=7,
        bands=6,
        colours=[mix(back, INK, 0.2), mix(back, INK, 0.5)],
    )
    disc(canvas, (200, 152), 84, hair)
    if seed % 2:
        polygon(canvas, [(118, 150), (108, 280), (292, 280), (282, 150)], hair)
    polygon(canvas, [(172, 210), (228, 210), (234, 290), (166, 290)], mix(skin, INK, 0.16))
    ImageDraw.Draw(canvas).ellipse(scaled([(136, 92), (264, 248)]), fill=skin)
    polygon(
        canvas,
        [(136, 150), (150, 96), (200, 74), (250, 96), (264, 150), (232, 118), (170, 116)],
        hair,
    )
    ImageDraw.Draw(canvas).ellipse(scaled([(70, 270), (330, 560)]), fill=coat)
    polygon(canvas, [(160, 282), (240, 282), (200, 336)], mix(coat, FOAM, 0.6))
    for x in (174, 226):
        disc(canvas, (x, 172), 5, INK)
    smile = [(180 + n * 4, 212 + 6 * math.sin(n / 10 * math.pi)) for n in range(11)]
    stroke(canvas, smile, mix(skin, (140, 40, 40), 0.6), 3)
    return finish(canvas)


def compass_rose() -> str:
    """Return a compass rose as SVG text: thirty-two points, the cardinals strongest."""
    parts = [
        '<svg xmlns="http://www.w3.org/2000/svg" width="500" height="500"',
        ' viewBox="-250 -250 500 500" role="img" aria-label="Compass rose">',
        '<circle r="238" fill="#faf6ea" stroke="#162233" stroke-width="4"/>',
        '<circle r="206" fill="none" stroke="#162233" stroke-width="1.5"/>',
    ]
    for degree in range(0, 360, 5):
        inner = 216 if degree % 10 else 206
        parts.append(
            f'<path d="M0-{inner}V-238" stroke="#162233" stroke-width="1.5"'
            f' transform="rotate({degree})"/>'
        )
    rings = [
        (32, 96, 9, "#8fa6b2", "#dfe7e6"),
        (16, 128, 13, "#5f8296", "#cfdde0"),
        (8, 164, 19, "#2f6480", "#e9e4d2"),
        (4, 202, 27, "#162233", "#c65f4a"),
    ]
    for points, length, width, dark, light in rings:
        for point in range(points):
            if points > 4 and point % 2 == 0:
                continue
            turn = f'transform="rotate({point * 360 / points:g})"'
            parts.append(f'<path d="M0 0L-{width}-{width}L0-{length}Z" fill="{dark}" {turn}/>')
            parts.append(f'<path d="M0 0L{width}-{width}L0-{length}Z" fill="{light}" {turn}/>')
    parts.append('<circle r="9" fill="#faf6ea" stroke="#162233" stroke-width="3"/></svg>')
    return "\n".join(parts) + "\n"


# --- Files -----------------------------------------------------------------------------------

PORTRAITS = {
    "maren-voss.png": (1, (44, 78, 104), (158, 196, 206), (196, 166, 110), (240, 208, 180)),
    "idris-calloway.png": (2, (196, 150, 62), (120, 158, 178), (36, 30, 30), (134, 92, 68)),
    "tove-lindqvist.png": (3, (86, 116, 84), (214, 206, 176), (142, 74, 48), (246, 216, 196)),
    "eamon-rourke.png": (4, (62, 62, 78), (176, 176, 190), (206, 206, 208), (232, 192, 170)),
    "nadia-ferreira.png": (5, (166, 74, 70), (226, 190, 160), (50, 34, 32), (198, 148, 112)),
}

PICTURES: dict[str, Callable[[], Image.Image]] = {
    "calm-sea-at-dawn.jpg": calm_sea_at_dawn,
    "lighthouse-at-dusk.jpg": lighthouse_at_dusk,
    "storm-front.jpg": storm_front,
    "harbour-houses.jpg": harbour_houses,
    "gulls-over-a-cliff.png": gulls_over_a_cliff,
    "tide-curve.png": tide_curve,
    "night-sky.webp": night_sky,
    "buoy-in-fog.webp": buoy_in_fog,
    "harbour-chart.webp": harbour_chart,
    "tidal-flats.webp": tidal_flats,
    "swell-lines.webp": swell_lines,
}

SAVE_OPTIONS: dict[str, dict[str, Any]] = {
    ".jpg": {"quality": 84, "optimize": True, "progressive": True},
    ".png": {"optimize": True},
    ".webp": {"quality": 82, "method": 6},
}


def save(name: str, picture: Image.Image) -> None:
    """Write a picture next to this script; PNG pictures get a palette of 128 colours."""
    path = HERE / name
    if path.suffix == ".png":
        picture = picture.quantize(128, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
    picture.save(path, **SAVE_OPTIONS[path.suffix])


def make(name: str) -> None:
    """Draw and write one picture; an unknown name is a ``KeyError``."""
    if name == "compass-rose.svg":
        (HERE / name).write_text(compass_rose(), encoding="utf-8")
    elif name in PORTRAITS:
        save(name, portrait(*PORTRAITS[name]))
    else:
        save(name, PICTURES[name]())


def main(names: Sequence[str]) -> None:
    """Draw the named pictures, or all of them."""
    for name in names or [*PICTURES, *PORTRAITS, "compass-rose.svg"]:
        make(name)
        sys.stdout.write(f"{name}: {(HERE / name).stat().st_size:,} bytes\n")


if __name__ == "__main__":
    main(sys.argv[1:])
