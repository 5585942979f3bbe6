"""Every route of the admin API is used by the admin UI, or listed here with a reason."""

import re

from tests.ui.api_types import PATH

_SOURCES = PATH.parents[1]
_OPERATION = re.compile(r'^  "([A-Z]+ /[^"]*)":', re.MULTILINE)
_QUOTE = "['\"`]"
_CALL = re.compile(rf"{_QUOTE}(GET|POST|PUT|PATCH|DELETE)(?: |', '){_QUOTE}?(/[^'\"`]*){_QUOTE}")
_UPLOAD = re.compile(rf"upload\({_QUOTE}(/[^'\"`]*){_QUOTE}")
_PART = re.compile(r"\$\{[\w.]+\}")

_ONE_CHANGE = "update-schema applies all changes of a review in one transaction"
_ONE_SCHEMA = "GET /content-type-builder/schema has the whole model"
_INIT = "GET /content-manager/init has all of it"
_HOME = "GET /admin/x/home has all that the home screen shows"
_FORM = "the editor compares what is in the form, which the server does not know"
_RESTORE = "the values of a revision are taken over into the form, where that can be undone"
_BATCH = "POST /admin/x/publish-check tells more, and bulk actions go on in parts"
_AI = "there is no service that describes images"
_STRAPI_PANEL = "only the panel of Strapi has logos and telemetry"
_SEVERAL_FILES = "other routes tell the same of several files at once"
_CHILDREN = "GET /upload/folder-structure has all folders"

UNUSED = {
    "DELETE /content-type-builder/component-categories/{name}": _ONE_CHANGE,
    "DELETE /content-type-builder/components/{uid}": _ONE_CHANGE,
    "DELETE /content-type-builder/content-types/{uid}": _ONE_CHANGE,
    "DELETE /admin/users/me/sessions": "POST /admin/logout ends them and removes the cookie",
    "DELETE /upload/files/{id}": "bulk-delete deletes one file, too",
    "GET /admin/homepage/key-statistics": _HOME,
    "GET /admin/homepage/layout": _HOME,
    "GET /admin/project-settings": _STRAPI_PANEL,
    "GET /admin/project-type": "nothing is reserved for an edition",
    "GET /admin/telemetry-properties": _STRAPI_PANEL,
    "GET /admin/x/difference/{uid}/{id}": _FORM,
    "GET /admin/x/entry/{uid}/{id}": _FORM,
    "GET /admin/x/media/{id}/usage": _SEVERAL_FILES,
    "GET /admin/x/openapi.json": "the types of the UI are made of it when it is built",
    "GET /content-manager/components": _INIT,
    "GET /content-manager/content-types": _INIT,
    "GET /content-manager/content-types-settings": _INIT,
    "GET /content-manager/homepage/count-documents": _HOME,
    "GET /content-manager/homepage/recent-documents": _HOME,
    "GET /content-type-builder/components": _ONE_SCHEMA,
    "GET /content-type-builder/components/{uid}": _ONE_SCHEMA,
    "GET /content-type-builder/content-types": _ONE_SCHEMA,
    "GET /content-type-builder/content-types/{uid}": _ONE_SCHEMA,
    "GET /content-type-builder/update-schema-status": "changes need no restart to wait for",
    "GET /email/settings": "the setup screen shows settings, and a template sends a test mail",
    "GET /i18n/settings": _AI,
    "GET /upload/ai-metadata-jobs/pending-count": _AI,
    "GET /upload/configuration": "the address of the library has its order and its page",
    "GET /upload/files/{id}": _SEVERAL_FILES,
    "GET /upload/folders/{id}": _CHILDREN,
    "GET /users-permissions/policies": "policies of end users cannot be chosen",
    "POST /admin/permissions/check": "the permissions of the role say it without a request",
    "POST /admin/x/revisions/{uid}/{id}/{revision}/restore": _RESTORE,
    "POST /content-manager/collection-types/{uid}/actions/bulkFindForValidation": _BATCH,
    "POST /content-manager/collection-types/{uid}/clone/{id}": "auto-clone needs no form",
    "POST /content-type-builder/components": _ONE_CHANGE,
    "POST /content-type-builder/content-types": _ONE_CHANGE,
    "POST /email/test": "a template of end users sends a test mail",
    "POST /i18n/content-manager/actions/get-non-localized-fields": "an entry has them at once",
    "POST /upload/actions/generate-ai-metadata": _AI,
    "POST /upload/actions/upload-from-urls": "POST /admin/x/media/import tells what went wrong",
    "POST /upload/ai-metadata-jobs": _AI,
    "POST /upload/files": "POST /upload is the same",
    "PUT /admin/homepage/layout": _HOME,
    "PUT /content-type-builder/component-categories/{name}": _ONE_CHANGE,
    "PUT /content-type-builder/components/{uid}": _ONE_CHANGE,
    "PUT /content-type-builder/content-types/{uid}": _ONE_CHANGE,
    "PUT /i18n/settings": _AI,
    "PUT /upload/configuration": "the address of the library has its order and its page",
}


def test_each_route_is_used_or_has_a_reason_not_to_be() -> None:
    routes = set(_OPERATION.findall(PATH.read_text()))
    called: set[str] = set()
    for source in _SOURCES.rglob("*.ts*"):
        if source != PATH:
            text = source.read_text()
            called.update(f"{method} {path}" for method, path in _CALL.findall(text))
            called.update(f"POST {path}" for path in _UPLOAD.findall(text))
    patterns = [re.compile(r"[\w{}]+".join(map(re.escape, _PART.split(one)))) for one in called]
    unused = {one for one in routes if not any(each.fullmatch(one) for each in patterns)}
    assert unused == set(UNUSED)
