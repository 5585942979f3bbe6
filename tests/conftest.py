"""How generated tests run: as long as an example needs, and with the same examples each time.

No test asserts a timing, and a change should not fail for what another one left undiscovered.
"""

from hypothesis import settings

settings.register_profile("quire", deadline=None, derandomize=True)
settings.load_profile("quire")
