"""The databases of tests: every test with rows runs on each kind of `KINDS`.

A project says in its ``.env`` which database it has, so whatever is given the project's folder
finds it: settings, commands, processes. The fixture ``kind`` of ``tests/conftest.py`` goes through
all kinds.
"""
