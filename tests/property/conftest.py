"""How generated tests run: as long as an example needs, and with the same examples each time.

No test asserts a timing, and a change should not fail for what another one left undiscovered; with
``pytest --hypothesis-profile=explore`` the examples are others each time.
"""

from hypothesis import settings

settings.register_profile("explore", deadline=None)
settings.register_profile("quire", deadline=None, derandomize=True)
settings.load_profile("quire")
