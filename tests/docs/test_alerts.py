"""The alerting rules use existing metrics, with their labels and values."""

import re

import pytest
import yaml

from quire.database.stores.jobs import FAILED as JOB_FAILED
from quire.database.stores.webhook_deliveries import FAILED as DELIVERY_FAILED
from tests.docs.pages import ROOT
from tests.docs.test_dashboard import METRICS

(GROUP,) = yaml.safe_load((ROOT / "contrib" / "prometheus" / "alerts.yaml").read_text("utf-8"))[
    "groups"
]
RULES = [pytest.param(rule, id=rule["alert"]) for rule in GROUP["rules"]]
_NAME = re.compile(r"\b(?:quire|process)_[a-z_]+\b")
_SELECTOR = re.compile(r'([a-z_]+)="([^"]*)"')
_GROUPING = re.compile(r"\b(?:by|on) \(([a-z_, ]+)\)")
_OF_TARGETS = {"job", "instance"}
_VALUES = {"5xx", DELIVERY_FAILED, JOB_FAILED, "quire"}


@pytest.mark.parametrize("rule", RULES)
def test_metrics_and_labels_of_a_rule_exist(rule: dict[str, str]) -> None:
    expression = rule["expr"]
    names = _NAME.findall(expression)
    assert names or expression.startswith("up{")
    labels = _OF_TARGETS.union(*(METRICS[name].labels for name in names))
    if any(METRICS[name].kind == "histogram" for name in names):
        labels |= {"le"}
    for label, value in _SELECTOR.findall(expression):
        assert label in labels
        assert value in _VALUES
    for grouping in _GROUPING.findall(expression):
        assert set(grouping.split(", ")) <= labels
    shown = re.findall(r"\$labels\.([a-z_]+)", str(rule["annotations"]))
    assert set(shown) <= labels


def test_rules_have_names_and_severities_of_their_own() -> None:
    names = [rule["alert"] for rule in GROUP["rules"]]
    assert len({*names}) == len(names)
    assert {rule["labels"]["severity"] for rule in GROUP["rules"]} == {"critical", "warning"}
