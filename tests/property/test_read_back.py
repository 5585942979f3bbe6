"""Accepted values are returned as they were sent, in drafts and published versions."""

import asyncio
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from quire.app import build_app
from quire.seeding.import_content import seed as seed_project
from quire.seeding.load import read_content
from quire.settings import load_settings
from quire.strapi_project.schema import load_project_schema
from tests.conformance.client import AsgiClient, running
from tests.conformance.forms import FORM_TYPE, FilePart, form
from tests.databases.kind import Kind
from tests.databases.kinds import SQLITE
from tests.examples import examples
from tests.property.read_back_model import (
    LOCALES,
    GeneratedModel,
    GeneratedType,
    Json,
    PayloadStrategies,
    ReadBack,
    generate_model,
    populate_of,
    shown,
)
from tests.unit.admin_api.office import BOSS, SECRETS
from tests.unit.schema.trees import write_tree

SEEDS = (1, 2)
MANIFEST = {
    "locales": [
        {"code": "en", "name": "English (en)", "default": True},
        {"code": "fr", "name": "French (fr)"},
    ],
    "documents": [],
    "public": [],
}
REFUSED = range(400, 500)


class Reply(NamedTuple):
    """A response with its JSON."""

    status: int
    json: Any

    @property
    def is_success(self) -> bool:
        assert self.status < 300 or self.status in REFUSED, self
        return self.status < 300

    @property
    def data(self) -> Any:  # noqa: ANN401 - any JSON
        assert self.status < 300, self
        return self.json.get("data", self.json)


class Site:
    """A project of generated types, served on a separate event loop."""

    def __init__(self, project: Path, kind: Kind, seed: int) -> None:
        self.model: GeneratedModel = generate_model(seed)
        write_tree(project, *self.model.files(), {"content/manifest.json": MANIFEST})
        kind.settle(project)
        loaded = load_settings(project, environ=SECRETS)
        schema = load_project_schema(loaded)
        self._runner = asyncio.Runner()
        content = read_content(project / "content", schema)
        self._runner.run(seed_project(loaded, schema, content, lambda _: None))
        app = build_app(loaded)
        self._client = AsgiClient(app)
        self._running = running(app)
        self._runner.run(self._running.__aenter__())
        self._tokens = {"admin": ""}
        body = {**BOSS, "registrationToken": app.first_administrator}
        self._tokens["admin"] = self.admin("POST", "/admin/register-admin", body).data["token"]
        token = {"name": "full", "type": "full-access", "lifespan": None, "description": ""}
        made = self.admin("POST", "/admin/api-tokens", token)
        self._tokens["api"] = made.data["accessKey"]
        targets = [self.api("POST", "/api/targets", {"data": {"label": n}}) for n in "abcd"]
        self.payloads = PayloadStrategies(
            self.model,
            [reply.data["documentId"] for reply in targets],
            [self._upload(name) for name in ("one.txt", "two.txt", "three.txt")],
        )
        self.expected = ReadBack(self.model, sqlite=kind is SQLITE)
        self.outcomes: Counter[bool] = Counter()
        self._populate = {
            one.name: "&".join(populate_of(self.model, one.attributes, "populate"))
            for one in self.model.types
        }

    def close(self) -> None:
        self._runner.run(self._running.__aexit__(None, None, None))
        self._runner.close()

    def _upload(self, name: str) -> int:
        headers = {"authorization": f"Bearer {self._tokens['api']}", "content-type": FORM_TYPE}
        body = form([FilePart(name, name.encode(), "text/plain")])
        response = self._runner.run(self._client.request("POST", "/api/upload", headers, body))
        files: Any = response.json
        return int(files[0]["id"])

    def _send(self, who: str, method: str, target: str, body: object) -> Reply:
        headers = {"content-type": "application/json"}
        if self._tokens.get(who):
            headers["authorization"] = f"Bearer {self._tokens[who]}"
        content = b"" if body is None else json.dumps(body).encode()
        response = self._runner.run(self._client.request(method, target, headers, content))
        return Reply(response.status, response.json)

    def api(self, method: str, target: str, body: object = None) -> Reply:
        return self._send("api", method, target, body)

    def admin(self, method: str, target: str, body: object = None) -> Reply:
        return self._send("admin", method, target, body)

    def read(self, one: GeneratedType, document: str, status: str, locale: str | None) -> Json:
        """Read one version with all that it leads to."""
        path = one.route if one.single else f"{one.route}/{document}"
        where = f"&locale={locale}" if locale else ""
        reply = self.api("GET", f"/api/{path}?status={status}{where}&{self._populate[one.name]}")
        found: Json = reply.data
        return found


@pytest.fixture(scope="module", params=SEEDS, ids=lambda seed: f"seed {seed}")
def site(
    kind: Kind, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Site]:
    project = tmp_path_factory.mktemp("read-back")
    found = Site(project, kind, request.param)
    yield found
    found.close()
    kind.release(project)


@dataclass(slots=True)
class Version:
    """What one locale of a document reads back as: the draft, and what is published if it is.

    ``former`` is what they were before another locale was written. Whether a change of an attribute
    that all locales share reaches every other version depends on what they had before, so those
    may have the former value or the new one.
    """

    draft: Json = field(default_factory=dict)
    live: Json | None = None
    former: Json = field(default_factory=dict)


class Document:
    """One document of a site, and what it reads back as."""

    def __init__(self, site: Site, one: GeneratedType) -> None:
        self._site = site
        self.type = one
        self.id = ""
        self.versions: dict[str | None, Version] = {}

    # What it should be ---------------------------------------------------------------------------

    def changed(self, sent: Json, locale: str | None, *, published: bool) -> None:
        """Apply what a successful request has sent."""
        expected, attributes = self._site.expected, self.type.attributes
        version = self.versions.get(locale)
        if version is None:
            version = Version(draft=expected.entry(attributes, {}))
            for other in list(self.versions.values())[:1]:
                version.draft |= self._shared(other.draft)
                # A new locale has the values of the document where null is sent, too.
                kept = {name for name in sent if sent[name] is None and self.type.is_shared(name)}
                sent = {name: value for name, value in sent.items() if name not in kept}
            self.versions[locale] = version
        values = {name: expected.value(attributes[name], value) for name, value in sent.items()}
        version.draft = {**version.draft, **values}
        self._share(version, "draft")
        if published or not self.type.drafts:
            self.published(locale)

    def published(self, locale: str | None) -> None:
        """Apply that the draft was published."""
        version = self.versions[locale]
        version.live = version.draft
        self._share(version, "live")

    def discarded(self, locale: str | None) -> None:
        """Apply that the draft became what is published."""
        version = self.versions[locale]
        assert version.live is not None
        version.draft = version.live
        self._share(version, "draft")

    def _share(self, version: Version, status: str) -> None:
        for other in self.versions.values():
            before = getattr(other, status)
            if other is not version and before is not None:
                other.former = self._shared(before)
                setattr(other, status, {**before, **self._shared(getattr(version, status))})

    def _shared(self, values: Json) -> Json:
        return {name: value for name, value in values.items() if self.type.is_shared(name)}

    # What it is ----------------------------------------------------------------------------------

    def check(self) -> None:
        """Compare everything that is read with what was sent."""
        for locale, version in self.versions.items():
            version.draft = self._read("draft", version.draft, locale)
            self._check_form(version.draft, locale)
            if self.type.drafts and version.live is not None:
                version.live = self._read("published", version.live, locale)
            version.former = {}

    def _read(self, status: str, expected: Json, locale: str | None) -> Json:
        seen = self._site.read(self.type, self.id, status, locale)
        found = self._site.expected.seen_entry(self.type.attributes, seen)
        assert found.keys() == expected.keys() - {"hidden"}
        self._assert_equal(status, found, expected, self.versions[locale].former)
        return {**expected, **found}

    def _check_form(self, expected: Json, locale: str | None) -> None:
        """Compare what the content manager shows, which counts relations in collection types."""
        query = "status=draft" + (f"&locale={locale}" if locale else "")
        seen = self._site.admin("GET", f"{manager_path(self.type, self.id)}?{query}").data
        found = self._site.expected.seen_entry(self.type.attributes, seen)
        assert found.keys() == expected.keys()
        if not self.type.single:
            expected = self._site.expected.counted_entry(self.type.attributes, expected)
        self._assert_equal("form", found, expected, self.versions[locale].former)

    def _assert_equal(self, where: str, found: Json, expected: Json, former: Json) -> None:
        different = {
            name: (shown(expected[name]), shown(value))
            for name, value in found.items()
            if value != expected[name] and not (name in former and value == former[name])
        }
        assert not different, f"{self.type.name}, {where}: sent and read {different}"


def manager_path(one: GeneratedType, document: str = "") -> str:
    """Return the path of a type, or of one of its documents, in the content manager."""
    if one.single:
        return f"/content-manager/single-types/{one.uid}"
    return f"/content-manager/collection-types/{one.uid}/{document}".rstrip("/")


def write(
    site: Site, document: Document, sent: Json, by: str, locale: str | None, *, publish: bool
) -> bool:
    """Create or update a document by one of the APIs; return whether it was accepted."""
    one, new = document.type, not document.id
    where = f"locale={locale}" if locale else ""
    if by == "admin":
        method = "POST" if new and not one.single else "PUT"
        reply = site.admin(method, f"{manager_path(one, document.id)}?{where}", sent)
        publish = False
    elif by == "batch":
        create = new and not one.single
        operation = {
            "action": "create" if create else "update",
            "type": one.uid,
            "data": sent,
            "status": "published" if publish else "draft",
            **({"locale": locale} if locale else {}),
            **({} if new or one.single else {"documentId": document.id}),
        }
        reply = site.api("POST", "/api/_batch", {"operations": [operation]})
    else:
        method = "POST" if new and not one.single else "PUT"
        path = f"/api/{one.route}" + ("" if new or one.single else f"/{document.id}")
        status = "published" if publish else "draft"
        reply = site.api(method, f"{path}?status={status}&{where}", {"data": sent})
    if reply.is_success:
        written = reply.data[0] if by == "batch" else reply.data
        document.id = written["documentId"]
        document.changed(sent, locale, published=publish)
    return reply.is_success


def publish(site: Site, document: Document, by: str, locale: str | None) -> None:
    """Publish the draft."""
    one, where = document.type, {"locale": locale} if locale else {}
    if by == "batch":
        operation = {"action": "publish", "type": one.uid, "documentId": document.id, **where}
        reply = site.api("POST", "/api/_batch", {"operations": [operation]})
    else:
        query = f"locale={locale}" if locale else ""
        path = f"{manager_path(one, document.id)}/actions/publish"
        reply = site.admin("POST", f"{path}?{query}", {})
    if reply.is_success:
        document.published(locale)


def discard(site: Site, document: Document, locale: str | None) -> None:
    """Make the draft what is published."""
    query = f"locale={locale}" if locale else ""
    reply = site.admin(
        "POST", f"{manager_path(document.type, document.id)}/actions/discard?{query}"
    )
    if reply.is_success:
        document.discarded(locale)


def clone(site: Site, document: Document, sent: Json, locale: str | None) -> list[Document]:
    """Make another document of one locale, in which ``sent`` takes the place of values."""
    query = f"locale={locale}" if locale else ""
    path = f"{manager_path(document.type)}/clone/{document.id}"
    reply = site.admin("POST", f"{path}?{query}", sent)
    if not reply.is_success:
        return []
    copy = Document(site, document.type)
    copy.id = reply.data["documentId"]
    copy.versions[locale] = Version(draft=document.versions[locale].draft)
    copy.changed(sent, locale, published=False)
    return [copy]


class Step(NamedTuple):
    """One step of a sequence, drawn before anything is sent."""

    action: str
    locale: str | None
    by: str
    publish: bool
    sent: Json


generated = settings(
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


def sequences(site: Site, most: int) -> st.SearchStrategy[tuple[GeneratedType, list[Step]]]:
    """Sequences of steps about one document of one of the types."""

    def steps(one: GeneratedType) -> st.SearchStrategy[tuple[GeneratedType, list[Step]]]:
        step = st.builds(
            Step,
            action=st.sampled_from(("write", "write", "write", "publish", "discard", "clone")),
            locale=st.sampled_from(LOCALES) if one.localized else st.none(),
            by=st.sampled_from(("content", "content", "batch", "admin")),
            publish=st.booleans(),
            sent=site.payloads.of[one.name],
        )
        return st.tuples(st.just(one), st.lists(step, min_size=1, max_size=most))

    return st.sampled_from(site.model.types).flatmap(steps)


def run_sequence(site: Site, one: GeneratedType, steps: list[Step]) -> None:
    """Write a document and change it, comparing it after each step; then delete it."""
    documents = [Document(site, one)]
    try:
        for step in steps:
            run_step(site, documents, step)
            for document in documents:
                if document.id:
                    document.check()
    finally:
        for document in documents:
            if document.id:
                path = one.route if one.single else f"{one.route}/{document.id}"
                site.api("DELETE", f"/api/{path}?locale=*")


def run_step(site: Site, documents: list[Document], step: Step) -> None:
    """Do what a step says to the first document; a clone is added to the others."""
    document, *_ = documents
    one, locale = document.type, step.locale
    if step.action == "write" or locale not in document.versions:
        accepted = write(site, document, step.sent, step.by, locale, publish=step.publish)
        site.outcomes[accepted] += 1
    elif step.action == "publish" and one.drafts:
        publish(site, document, step.by, locale)
    elif step.action == "discard" and one.drafts:
        discard(site, document, locale)
    elif step.action == "clone" and not one.single:
        documents += clone(site, document, step.sent, locale)


@settings(generated, max_examples=examples(40))
@given(st.data())
def test_what_is_accepted_is_read_back(site: Site, data: st.DataObject) -> None:
    run_sequence(site, *data.draw(sequences(site, 4)))


def test_most_of_what_was_sent_was_accepted(site: Site) -> None:
    assert site.outcomes[True] > 2 * site.outcomes[False] > 0
