from importlib import metadata, resources

import quire


def test_the_version_in_the_code_is_the_one_that_was_installed() -> None:
    assert quire.__version__ == metadata.version("quire")


def test_type_checkers_are_told_that_the_package_is_typed() -> None:
    assert resources.files(quire).joinpath("py.typed").is_file()
