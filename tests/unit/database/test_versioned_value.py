"""Values that are valid in one version of the content."""

from quire.database.versioned_value import VersionedValue


def test_value_is_valid_in_its_version_only() -> None:
    value: VersionedValue[str] = VersionedValue()
    assert value.get(1) is None
    value.set(1, "a")
    assert value.get(1) == "a"
    assert value.get(2) is None
    value.set(2, "b")
    assert value.get(1) is None
    assert value.get(2) == "b"


def test_unknown_version_has_no_value() -> None:
    value: VersionedValue[str] = VersionedValue()
    value.set(None, "a")
    assert value.get(None) is None
    assert value.get_or_make(None, str) is None
    value.set(1, "a")
    assert value.get(None) is None
    value.set(None, "b")
    assert value.get(1) is None


def test_value_is_made_once_per_version() -> None:
    value: VersionedValue[list[str]] = VersionedValue()
    first = value.get_or_make(1, list)
    assert first is not None
    assert value.get_or_make(1, list) is first
    second = value.get_or_make(2, list)
    # A read that began in the former version finishes only now.
    first.append("late")
    assert second == []
    assert value.get_or_make(2, list) is second
