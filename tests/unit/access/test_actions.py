"""The catalogue of all permissions."""

from quire.access.actions import all_actions, controllers
from quire.schema.load import build_schema
from tests.library.model import BOOK, HOMEPAGE, library_schema


def test_a_collection_has_five_actions_and_a_single_type_three() -> None:
    actions = {action for action in all_actions(library_schema()) if action.startswith("api::")}
    assert {action.removeprefix(f"{BOOK}.") for action in actions if action.startswith(BOOK)} == {
        "find",
        "findOne",
        "create",
        "update",
        "delete",
    }
    assert {a.removeprefix(f"{HOMEPAGE}.") for a in actions if a.startswith(HOMEPAGE)} == {
        "find",
        "update",
        "delete",
    }


def test_the_projects_types_come_first_in_the_order_of_their_uids() -> None:
    owners = [controller.owner for controller in controllers(library_schema())]
    own = [owner for owner in owners if owner.startswith("api::")]
    assert owners[: len(own)] == own == sorted(own)
    assert owners[len(own) :] == [owner for owner in owners if owner.startswith("plugin::")]


def test_plugins_have_actions_without_any_content_type() -> None:
    actions = all_actions(build_schema([]))
    assert "plugin::users-permissions.user.me" in actions
    assert "plugin::upload.content-api.findPage" in actions
    assert "plugin::i18n.locales.listLocales" in actions
    assert not [action for action in actions if action.startswith("api::")]


def test_every_action_has_an_owner_a_controller_and_a_name() -> None:
    for action in all_actions(library_schema()):
        owner, controller, name = action.rsplit(".", 2)
        assert owner.startswith(("api::", "plugin::"))
        assert controller
        assert name
