"""Where administrators are answered otherwise than by the reference, and why.

Steps of recorded scenarios, by the row of docs/compatibility.md that explains them.
"""

from collections.abc import Mapping

ELSEWHERE: tuple[str, ...] = (
    "restricted/",
    "cm-bulk/auto-clone",
    "cm-bulk/clone",
    "cm-bulk/publish, unpublish and delete several",
    "cm-configuration/component",
    "cm-configuration/uid",
    "cm-create/every attribute, then publish",
    "cm-locales/new locale in the list of locales",
    "cm-locales/publish several locales",
    "cm-locales/relations follow the locale",
    "cm-publish/end user through the content manager",
    "cm-publish/publish with a body",
    "cm-publish/update keeps the published version",
    "cm-relations/draft and published targets",
    "cm-relations/from the other side",
    "cm-relations/search leaves out what is linked",
    "cm-relations/wrong shapes",
    "cm-single/homepage",
    "cm-single/setting without drafts",
    "cm-validation/draft: structures",
    "cm-validation/odd bodies and reserved keys",
    "cm-validation/publish: structures",
    "cm-validation/several errors at their paths",
)
"""Scenarios of what Quire does not have yet."""

EXPECTED: Mapping[str, Mapping[int, str]] = {}
