"""The dashboard shows existing metrics, and all of them."""

import json
import re
from typing import Any

import pytest

from quire.metrics.catalogue import CATALOGUE
from quire.metrics.families import Metric
from tests.docs.pages import ROOT

DASHBOARD: dict[str, Any] = json.loads(
    (ROOT / "contrib" / "grafana" / "quire.json").read_text(encoding="utf-8")
)
PANELS = [panel for panel in DASHBOARD["panels"] if panel["type"] != "row"]
_SELECTOR = re.compile(r"\b((?:quire|process)_[a-z_]+)\{([^}]*)\}")
_GROUPING = re.compile(r"\bby \(([a-z_, ]+)\)")


def series(metric: Metric) -> set[str]:
    """The names that a metric has in the text form."""
    if metric.kind == "counter":
        return {f"{metric.name}_total"}
    if metric.kind == "histogram":
        return {f"{metric.name}{end}" for end in ("_bucket", "_count", "_sum")}
    return {metric.name}


METRICS = {name: one for one in CATALOGUE for name in series(one)}
EXPRESSIONS = [target["expr"] for panel in PANELS for target in panel["targets"]]


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_what_is_shown_exists_with_its_labels(expression: str) -> None:
    named = _SELECTOR.findall(expression)
    assert named
    known = {"job", "instance", "le"}
    for name, selector in named:
        labels = set(METRICS[name].labels)
        assert set(re.findall(r"([a-z_]+)=", selector)) <= labels | known
        known |= labels
    for grouping in _GROUPING.findall(expression):
        assert set(grouping.split(", ")) <= known


def test_every_metric_is_shown() -> None:
    shown = {METRICS[name].name for one in EXPRESSIONS for name, _ in _SELECTOR.findall(one)}

    assert shown == {one.name for one in CATALOGUE}


def test_panels_have_ids_and_places_of_their_own() -> None:
    assert len({panel["id"] for panel in DASHBOARD["panels"]}) == len(DASHBOARD["panels"])
    cells = [
        (panel["gridPos"]["x"] + x, panel["gridPos"]["y"] + y)
        for panel in DASHBOARD["panels"]
        for x in range(panel["gridPos"]["w"])
        for y in range(panel["gridPos"]["h"])
    ]
    assert len(set(cells)) == len(cells)
    assert max(x for x, _ in cells) < 24
