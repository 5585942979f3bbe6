"""How generated tests run: as long as an example needs, for no test asserts a timing."""

from hypothesis import settings

settings.register_profile("quire", deadline=None)
settings.load_profile("quire")
