from tests.ui import recorded_blocks


def test_the_editor_is_tested_with_all_blocks_that_were_recorded() -> None:
    assert recorded_blocks.PATH.read_text() == recorded_blocks.recorded_blocks(), (
        "run `python -m tests.ui.recorded_blocks`"
    )
