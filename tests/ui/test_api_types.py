from tests.ui import api_types


async def test_the_types_that_the_ui_uses_are_those_of_the_admin_api() -> None:
    assert api_types.PATH.read_text() == await api_types.described_types(), (
        "run `python -m tests.ui.api_types`"
    )
