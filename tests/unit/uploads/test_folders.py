"""Folders of the media library, as in the reference."""

import pytest

from quire.database.program import Program
from quire.database.stores.files import FileRow, find_files
from quire.database.stores.folders import FolderRow, all_folders
from quire.document_service.unit_of_work import UnitOfWork
from quire.errors import NotFoundError, ValidationError
from quire.uploads.folders import (
    DeletedFiles,
    FolderTree,
    change_folder,
    create_folder,
    delete,
    folder_for_api,
    folder_structure,
    move,
)
from tests.unit.uploads.desk import Desk

API, DOCUMENTS = 1, 2
"""Ids of the folders that the recorded project has, at the root."""


async def make(desk: Desk, name: str, parent: int | None = None) -> FolderRow:
    return await desk.write(lambda unit: create_folder(unit, name=name, parent=parent))


async def paths(desk: Desk) -> dict[str, str]:
    return {folder.name: folder.path for folder in await desk.read(all_folders)}


async def files(desk: Desk, *ids: int) -> list[FileRow]:
    return await desk.read(lambda store: find_files(store, ids))


async def moved(
    desk: Desk, to: int | None, *, files: tuple[int, ...] = (), folders: tuple[int, ...] = ()
) -> tuple[list[int], list[int]]:
    return await desk.write(lambda unit: move(unit, files=files, folders=folders, destination=to))


async def deleted(
    desk: Desk, *, files: tuple[int, ...] = (), folders: tuple[int, ...] = ()
) -> DeletedFiles:
    return await desk.write(lambda unit: delete(unit, files=files, folders=folders))


async def refused(desk: Desk, name: str, parent: int | None) -> str:
    with pytest.raises(ValidationError) as caught:
        await make(desk, name, parent)
    return caught.value.message


async def test_paths_are_made_of_numbers_that_are_never_used_twice(desk: Desk) -> None:
    photos = await make(desk, "Photos")
    inner = await make(desk, "Inner", photos.id)
    deepest = await make(desk, "Deepest", inner.id)

    assert [f.path for f in (photos, inner, deepest)] == ["/3", "/3/4", "/3/4/5"]
    assert (deepest.path_id, deepest.parent) == (5, inner.id)


async def test_names_are_unique_within_a_folder(desk: Desk) -> None:
    photos = await make(desk, "Photos")
    await make(desk, "Inner", photos.id)

    assert await refused(desk, "Photos", None) == "A folder with this name already exists"
    assert await refused(desk, "Inner", photos.id) == "A folder with this name already exists"
    assert (await make(desk, "Inner")).parent is None


async def test_a_parent_has_to_be_there(desk: Desk) -> None:
    assert await refused(desk, "y", 999) == "parent folder does not exist"


async def test_the_structure_is_sorted_by_name(desk: Desk) -> None:
    photos = await make(desk, "Photos")
    for name in ("b", "a"):
        await make(desk, name, photos.id)

    api, documents, last = await desk.read(folder_structure)
    assert (api, documents) == (
        FolderTree(API, "API Uploads", ()),
        FolderTree(DOCUMENTS, "Documents", ()),
    )
    assert [child.name for child in last.children] == ["a", "b"]


async def test_a_folder_that_moves_takes_everything_along(desk: Desk) -> None:
    target = await make(desk, "Target", DOCUMENTS)
    inner = await make(desk, "Inner", target.id)
    await moved(desk, inner.id, files=(9, 12))
    changed = await desk.write(
        lambda unit: change_folder(unit, target.id, name="Renamed", parent=API)
    )

    assert (changed.name, changed.path) == ("Renamed", "/1/3")
    assert await paths(desk) == {
        "API Uploads": "/1",
        "Documents": "/2",
        "Renamed": "/1/3",
        "Inner": "/1/3/4",
    }
    assert [file.folder_path for file in await files(desk, 9, 12)] == ["/1/3/4", "/1/3/4"]


async def test_a_path_that_begins_alike_is_another_one(desk: Desk) -> None:
    """``/1`` is not above ``/10``."""
    made = [await make(desk, f"f{number}") for number in range(8)]
    assert made[-1].path == "/10"
    await moved(desk, made[-1].id, files=(9,))
    await moved(desk, DOCUMENTS, folders=(API,))

    assert (await files(desk, 9))[0].folder_path == "/10"
    assert (await files(desk, 1))[0].folder_path == "/2/1"


async def test_a_folder_does_not_go_into_itself(desk: Desk) -> None:
    outer = await make(desk, "Outer")
    inner = await make(desk, "Inner", outer.id)
    for parent in (outer.id, inner.id):

        def into(unit: UnitOfWork, parent: int = parent) -> Program[FolderRow]:
            return (yield from change_folder(unit, outer.id, parent=parent))

        with pytest.raises(ValidationError, match="folder cannot be moved inside itself"):
            await desk.write(into)
        with pytest.raises(ValidationError, match="one of its children: Outer"):
            await moved(desk, parent, folders=(outer.id,))


async def test_a_folder_that_is_not_there_is_not_changed(desk: Desk) -> None:
    with pytest.raises(NotFoundError):
        await desk.write(lambda unit: change_folder(unit, 999, name="x"))


async def test_a_folder_keeps_its_name_where_only_its_place_changes(desk: Desk) -> None:
    photos = await make(desk, "Photos")
    changed = await desk.write(lambda unit: change_folder(unit, photos.id, parent=DOCUMENTS))
    again = await desk.write(lambda unit: change_folder(unit, photos.id, name="Photos"))

    assert (changed.name, changed.path) == ("Photos", "/2/3")
    assert again == changed


async def test_files_are_moved_to_a_folder_and_back(desk: Desk) -> None:
    assert await moved(desk, DOCUMENTS, files=(9, 999)) == ([9], [])
    assert (await files(desk, 9))[0].folder_path == "/2"
    await moved(desk, None, files=(9,))
    assert (await files(desk, 9))[0].folder_path == "/"


async def test_a_destination_has_to_be_there(desk: Desk) -> None:
    with pytest.raises(ValidationError, match="destination folder does not exist"):
        await moved(desk, 999, files=(9,))


async def test_two_folders_of_one_name_do_not_meet(desk: Desk) -> None:
    inner = await make(desk, "Documents", API)
    with pytest.raises(ValidationError, match="already exists"):
        await moved(desk, None, folders=(inner.id,))


async def test_a_folder_is_deleted_with_all_that_is_in_it(desk: Desk) -> None:
    target = await make(desk, "Target", DOCUMENTS)
    inner = await make(desk, "Inner", target.id)
    await moved(desk, inner.id, files=(9,))
    gone = await deleted(desk, files=(12, 999), folders=(target.id, 999))

    assert (gone.folders, gone.files) == ((target.id,), (12,))
    assert sorted(row.id for row in gone.rows) == [9, 12]
    assert await files(desk, 9, 12) == []
    assert set(await paths(desk)) == {"API Uploads", "Documents"}
    await desk.library.forget_bytes_of(gone.rows)
    folder = desk.app.settings.project / "public/uploads"
    assert not [path for path in folder.iterdir() if "red_" in path.name or "tiny_" in path.name]


async def test_uploads_of_the_api_have_a_folder_of_their_own(desk: Desk) -> None:
    assert (await desk.write(folder_for_api)).id == API
    await deleted(desk, folders=(API,))
    await make(desk, "API Uploads")
    made = await desk.write(folder_for_api)
    assert (made.name, made.path) == ("API Uploads (1)", "/4")
    assert await desk.write(folder_for_api) == made
