"""Copies a database to another one, of the same kind or not.

`copy_database` is the way in. `structure` says what tables there will be, `values` what becomes of
a value, `pages` reads and writes rows, `progress` remembers how far it got, and `compare` looks at
the end whether all of it arrived.
"""
