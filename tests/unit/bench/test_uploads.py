"""The results of uploads to both servers are compared before measuring."""

import pytest

from bench.uploads import Turn, difference, tables

MADE = {"original": (2448, 1632, 1200.0), "thumbnail": (234, 156, 10.0)}


def test_files_of_about_the_same_size_are_equal() -> None:
    assert difference(MADE, {**MADE, "thumbnail": (234, 156, 10.9)}) is None


@pytest.mark.parametrize(
    ("other", "reported"),
    [
        ({"original": MADE["original"]}, "files ['original', 'thumbnail'] and ['original']"),
        ({**MADE, "thumbnail": (233, 156, 10.0)}, "thumbnail: [234, 156] and [233, 156]"),
        ({**MADE, "original": (2448, 1632, 700.0)}, "original: 1200.0 and 700.0 KB"),
    ],
)
def test_what_differs_is_reported(other: dict[str, tuple[int, int, float]], reported: str) -> None:
    assert difference(MADE, other) == reported


def test_tables_show_medians_and_what_others_waited() -> None:
    own = [Turn(8.0, 100_000, (1.0, 2.0)), Turn(6.0, 120_000, (3.0,)), Turn(7.0, 110_000, ())]
    peer = [Turn(3.5, 220_000, (4.0,))]
    found = {(clients, name): turns for clients in (1, 4) for name, turns in
             (("Quire", own), ("Strapi", peer))}  # fmt: skip
    costs, waits = tables(found, with_peer=True)
    assert costs.rows[0] == ("one client", "3.5", "7.0", "2.0x", "220 ms", "110 ms", "2.0x")
    assert waits.rows[1] == ("4 clients", "4.0 / 4.0 / 4.0 ms", "2.0 / 3.0 / 3.0 ms")


def test_without_a_peer_its_places_stay_empty() -> None:
    turn = Turn(8.0, 100_000, (1.0,))
    costs, _ = tables({(1, "Quire"): [turn], (4, "Quire"): [turn]}, with_peer=False)
    assert costs.rows[0][1:4] == ("n/a", "8.0", "n/a")
