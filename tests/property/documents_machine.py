"""Random sequences of writes over HTTP, each compared with the model.

`Site` is all that the machine knows of a server: whoever answers its requests can be tested by it.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol, TypeVar

from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
)

from tests.property.documents_model import (
    ARTICLE,
    CATEGORY,
    LOCALES,
    STATUSES,
    TAG,
    Change,
    Connect,
    Documents,
    Key,
    Place,
    Section,
    Status,
    Write,
)

ROUTES = {ARTICLE: "articles", CATEGORY: "categories", TAG: "tags"}
NAMES = {ARTICLE: "title", CATEGORY: "name", TAG: "label"}
MOST = {ARTICLE: 6, CATEGORY: 4, TAG: 5}
"""How many documents of each kind there are at the most; few, so that they often meet."""

QUOTE, CALL = "blocks.quote", "blocks.call-to-action"
QUERIES = {
    ARTICLE: "&".join(
        [
            "locale=*&fields=title,createdAt,updatedAt,publishedAt,locale",
            *(
                f"populate[{name}][fields]=documentId"
                for name in ("author", "categories", "tags", "related", "relatedBy", "sources")
            ),
            "populate[links]=true",
            f"populate[sections][on][{QUOTE}][fields]=text",
            f"populate[sections][on][{CALL}][populate][target][fields]=documentId",
        ]
    ),
    CATEGORY: "fields=name,createdAt,updatedAt,publishedAt"
    "&populate[parent][fields]=documentId&populate[children][fields]=documentId",
    TAG: "locale=*&fields=label,locale&populate[articles][fields]=documentId",
}
"""What is read of each kind."""

T = TypeVar("T")
Json = Mapping[str, Any]


class Site(Protocol):
    """A server with the recorded content types, and no articles, categories or tags as yet."""

    @property
    def authors(self) -> Sequence[str]:
        """The ids of some authors, which nobody changes."""
        ...

    def send(self, method: str, target: str, body: Json | None = None) -> Any:  # noqa: ANN401 - any JSON
        """Send a request with full access; return the JSON of the response, which is a success."""
        ...

    def unpublish(self, key: Key) -> None:
        """Take a published version away, which is no matter of the content API."""
        ...

    def discard_draft(self, key: Key) -> None:
        """Replace a draft by the published version."""
        ...

    def problems(self) -> Sequence[str]:
        """Say in words what is wrong with the rows."""
        ...


# What is drawn -----------------------------------------------------------------------------------

titles = st.integers(0, 99).map("title {}".format)
link_texts = st.lists(st.integers(0, 9).map("link {}".format), max_size=3).map(tuple)


def some(candidates: Sequence[str], most: int = 3) -> st.SearchStrategy[tuple[str, ...]]:
    """Draw some of the documents, in any order."""
    if not candidates:
        return st.just(())
    return st.lists(st.sampled_from(candidates), max_size=most, unique=True).map(tuple)


@st.composite
def changes(draw: st.DrawFn, current: Sequence[str], candidates: Sequence[str]) -> Change:
    """Draw a change of a relation that leads to ``current`` and may lead to ``candidates``."""
    if draw(st.booleans()):
        return Change(set=draw(some(candidates)))
    connected = draw(some(candidates, 2))
    staying = [target for target in current if target not in connected]
    places: list[Place] = ["end", "start", "before", "after"] if staying else ["end", "start"]
    connect = []
    for target in connected:
        place = draw(st.sampled_from(places))
        anchored = place in {"before", "after"}
        connect.append(Connect(target, place, draw(st.sampled_from(staying)) if anchored else None))
    anchors = {item.anchor for item in connect}
    return Change(
        connect=tuple(connect),
        disconnect=draw(some([one for one in staying if one not in anchors], 2)),
    )


@st.composite
def memberships(draw: st.DrawFn, candidates: Sequence[str]) -> Change:
    """Draw a change from the other end of a relation, where places are not spoken of."""
    connected = draw(some(candidates, 2))
    rest = [target for target in candidates if target not in connected]
    return Change(connect=tuple(map(Connect, connected)), disconnect=draw(some(rest, 2)))


@st.composite
def sections(draw: st.DrawFn, articles: Sequence[str]) -> tuple[Section, ...]:
    """Draw the items of a dynamic zone."""
    targets = st.none() | some(articles, 2)
    made = st.builds(Section, st.integers(0, 9).map("section {}".format), targets)
    return tuple(draw(st.lists(made, max_size=2)))


# What is sent ------------------------------------------------------------------------------------


def sent_change(change: Change) -> object:
    """Return a change of a relation in the form of the API."""
    if change.set is not None:
        return list(change.set)
    connect: list[dict[str, object]] = []
    for item in change.connect:
        position = {item.place: item.anchor or True}
        connect.append(
            {"documentId": item.target, **({} if item.place == "end" else {"position": position})}
        )
    disconnect = [{"documentId": target} for target in change.disconnect]
    return {"connect": connect, "disconnect": disconnect}


def sent(kind: str, data: Write) -> dict[str, object]:
    """Return the data of a request."""
    body: dict[str, object] = {name: sent_change(change) for name, change in data.relations.items()}
    if "parent" in data.relations:
        body["parent"] = next(iter(data.relations["parent"].set or ()), None)
    if data.title is not None:
        body[NAMES[kind]] = data.title
    if data.author is not None:
        body["author"] = data.author[0]
    if data.links is not None:
        body["links"] = [{"text": text, "url": "/"} for text in data.links]
    if data.sections is not None:
        body["sections"] = [_sent_section(section) for section in data.sections]
    return body


def _sent_section(section: Section) -> dict[str, object]:
    if section.targets is None:
        return {"__component": QUOTE, "text": section.text}
    return {"__component": CALL, "title": section.text, "target": list(section.targets)}


def selected(key: Key, status: Status) -> str:
    """Return the query that names a version."""
    return f"status={status}" + ("" if key.locale is None else f"&locale={key.locale}")


def renamed(value: Any, names: Mapping[str, str]) -> Any:  # noqa: ANN401 - any JSON
    """Replace the texts that are names of documents, wherever they stand."""
    match value:
        case dict():
            return {member: renamed(inner, names) for member, inner in value.items()}
        case list():
            return [renamed(inner, names) for inner in value]
        case str():
            return names.get(value, value)
        case _:
            return value


# What is read ------------------------------------------------------------------------------------


def seen_article(data: Json) -> dict[str, object]:
    """Return the compared values of an article in a response."""
    return {
        "title": data["title"],
        "author": data["author"] and data["author"]["documentId"],
        "links": tuple(link["text"] for link in data["links"]),
        "sections": tuple(_seen_section(section) for section in data["sections"]),
        "relatedBy": set(_ids(data["relatedBy"])),
        **{name: _ids(data[name]) for name in ("categories", "tags", "related", "sources")},
    }


def seen_category(data: Json) -> dict[str, object]:
    """Return the compared values of a category in a response."""
    return {
        "title": data["name"],
        "parent": [data["parent"]["documentId"]] if data["parent"] else [],
        "children": set(_ids(data["children"])),
    }


def _seen_section(data: Json) -> Section:
    if data["__component"] == QUOTE:
        return Section(data["text"], None)
    return Section(data["title"], tuple(_ids(data["target"])))


def _ids(targets: Iterable[Json]) -> list[str]:
    return [target["documentId"] for target in targets]


def expected(model: Documents, status: Status, key: Key) -> dict[str, object]:
    """Return a version of the model, in the form of responses."""
    version = model.versions[status][key]
    incoming = "relatedBy" if key.kind == ARTICLE else "children"
    relation = "related" if key.kind == ARTICLE else "parent"
    others = {
        other.document
        for other, found in model.versions[status].items()
        if (other.kind, other.locale) == (key.kind, key.locale)
        and key.document in found.edges.get(relation, [])
    }
    if key.kind == CATEGORY:
        return {
            "title": version.title,
            "parent": version.edges.get("parent", []),
            incoming: others,
        }
    return {
        "title": version.title,
        "author": version.author,
        "links": version.links,
        "sections": version.sections,
        incoming: others,
        **{
            name: version.edges.get(name, [])
            for name in ("categories", "tags", "related", "sources")
        },
    }


def without_order(found: Mapping[str, object], names: Iterable[str]) -> dict[str, object]:
    """Sort what has come in no particular order."""
    return {
        name: sorted(value) if name in names and isinstance(value, list) else value
        for name, value in found.items()
    }


def differing(seen: Mapping[str, object], wanted: Mapping[str, object]) -> dict[str, object]:
    """Return what was seen and wanted of each member in which the two differ."""
    return {
        name: {"seen": seen[name], "wanted": wanted[name]}
        for name in seen
        if seen[name] != wanted[name]
    }


# The machine -------------------------------------------------------------------------------------


def chosen(kind: str) -> st.SearchStrategy[Key]:
    """Draw one of what there is of a kind."""
    return st.runner().flatmap(lambda machine: st.sampled_from(machine.model.keys(kind)))


def there_is(kind: str) -> Callable[[T], T]:
    """Let a rule run only while there is something of a kind."""
    return precondition(lambda machine: bool(machine.model.keys(kind)))  # type: ignore[return-value]  # what it decorates keeps its type


def there_is_room(kind: str) -> Callable[[T], T]:
    """Let a rule run only while there is little of a kind."""
    return precondition(  # type: ignore[return-value]  # likewise
        lambda machine: len({key.document for key in machine.model.keys(kind)}) < MOST[kind]
    )


published_choice = st.runner().flatmap(
    lambda machine: st.sampled_from(sorted(machine.model.versions["published"]))
)
something_is_published = precondition(lambda machine: machine.model.versions["published"])
locales = st.sampled_from(LOCALES)


class DocumentMachine(RuleBasedStateMachine):
    """Writes documents to a site as it pleases; the site and the model must agree after each."""

    def __init__(self, site: Site) -> None:
        super().__init__()
        self.site = site
        self.model = Documents()
        # Documents have names here, the same in every run; their ids are made at random.
        self.ids: dict[str, str] = {}
        self.names: dict[str, str] = {}

    def _read(self, kind: str, status: Status) -> dict[Key, Json]:
        """Return what there is of a kind in every locale, with the names of documents."""
        target = f"/api/{ROUTES[kind]}?status={status}&{QUERIES[kind]}&pagination[pageSize]=100"
        found = renamed(self.site.send("GET", target)["data"], self.names)
        read = {Key(kind, data["documentId"], data.get("locale")): data for data in found}
        assert len(read) == len(found)
        return read

    def _post(self, key: Key, data: Mapping[str, object], *, publish: bool = True) -> Key:
        """Make a document, and return it under its new name."""
        query = selected(key, "published" if publish else "draft")
        target = f"/api/{ROUTES[key.kind]}?{query}"
        made = self.site.send("POST", target, {"data": renamed(data, self.ids)})
        name, id_ = f"{key.kind}-{len(self.ids)}", made["data"]["documentId"]
        self.ids[name], self.names[id_] = id_, name
        return replace(key, document=name)

    def _put(self, key: Key, data: Mapping[str, object], *, publish: bool = True) -> None:
        query = selected(key, "published" if publish else "draft")
        target = f"/api/{ROUTES[key.kind]}/{self.ids[key.document]}?{query}"
        self.site.send("PUT", target, {"data": renamed(data, self.ids)})

    # Making them -------------------------------------------------------------------------------

    @initialize()
    def begin(self) -> None:
        """Make a few documents, so that there is something to lead to."""
        for locale in LOCALES[:2]:
            self.create_tag(locale, f"tag {locale}")
        for _ in range(2):
            self._create(Key(CATEGORY, "", None), Write(title="a category"), publish=True)
            self._create(Key(ARTICLE, "", "en"), Write(title="an article"), publish=True)

    @there_is_room(ARTICLE)
    @rule(locale=locales, publish=st.booleans(), data=st.data())
    def create_article(self, locale: str, data: st.DataObject, *, publish: bool) -> None:
        key = Key(ARTICLE, "", locale)
        self._create(key, self._drawn_article(key, data), publish=publish)

    @there_is_room(CATEGORY)
    @rule(publish=st.booleans(), title=titles)
    def create_category(self, title: str, *, publish: bool) -> None:
        self._create(Key(CATEGORY, "", None), Write(title=title), publish=publish)

    @there_is_room(TAG)
    @rule(locale=locales, title=titles)
    def create_tag(self, locale: str, title: str) -> None:
        key = self._post(Key(TAG, "", locale), {"label": title})
        self.model.tags[key] = title

    def _create(self, key: Key, data: Write, *, publish: bool) -> None:
        key = self._post(key, sent(key.kind, data), publish=publish)
        self._written(key, data, publish=publish)

    # Changing them -----------------------------------------------------------------------------

    @there_is(ARTICLE)
    @rule(key=chosen(ARTICLE), publish=st.booleans(), data=st.data())
    def change_article(self, key: Key, data: st.DataObject, *, publish: bool) -> None:
        self._change(key, self._drawn_article(key, data), publish=publish)

    @there_is(ARTICLE)
    @rule(key=chosen(ARTICLE), locale=locales, publish=st.booleans(), data=st.data())
    def add_locale(self, key: Key, locale: str, data: st.DataObject, *, publish: bool) -> None:
        key = Key(ARTICLE, key.document, locale)
        self._change(key, self._drawn_article(key, data), publish=publish)

    @there_is(CATEGORY)
    @rule(key=chosen(CATEGORY), publish=st.booleans(), title=titles, data=st.data())
    def move_category(self, key: Key, title: str, data: st.DataObject, *, publish: bool) -> None:
        parents = data.draw(some(self.model.targets("parent", key), 1))
        relations = {"parent": Change(set=parents)}
        self._change(key, Write(title=title, relations=relations), publish=publish)

    @there_is(CATEGORY)
    @rule(key=chosen(CATEGORY), publish=st.booleans(), data=st.data())
    def adopt_categories(self, key: Key, data: st.DataObject, *, publish: bool) -> None:
        change = data.draw(memberships(self.model.targets("parent", key)))
        self._put(key, {"children": sent_change(change)}, publish=publish)
        self.model.adopt(key, change)
        if publish:
            self.model.publish(key)

    @there_is(CATEGORY)
    @rule(key=chosen(CATEGORY), publish=st.booleans(), data=st.data())
    def fill_category(self, key: Key, data: st.DataObject, *, publish: bool) -> None:
        articles = self.model.targets("related", Key(ARTICLE, "", LOCALES[0]))
        change = data.draw(memberships(articles))
        self._put(key, {"articles": sent_change(change)}, publish=publish)
        self.model.attach(key, change)
        if publish:
            self.model.publish(key)

    @there_is(TAG)
    @rule(key=chosen(TAG), title=titles, data=st.data())
    def fill_tag(self, key: Key, title: str, data: st.DataObject) -> None:
        change = data.draw(memberships(self.model.targets("related", Key(ARTICLE, "", key.locale))))
        self._put(key, {"label": title, "articles": sent_change(change)})
        self.model.tags[key] = title
        self.model.attach(key, change)

    @there_is(TAG)
    @rule(key=chosen(TAG), locale=locales, title=titles)
    def translate_tag(self, key: Key, locale: str, title: str) -> None:
        key = Key(TAG, key.document, locale)
        self._put(key, {"label": title})
        self.model.tags[key] = title

    def _change(self, key: Key, data: Write, *, publish: bool) -> None:
        self._put(key, sent(key.kind, data), publish=publish)
        self._written(key, data, publish=publish)

    def _written(self, key: Key, data: Write, *, publish: bool) -> None:
        self.model.write(key, data)
        if publish:
            self.model.publish(key)

    def _drawn_article(self, key: Key, data: st.DataObject) -> Write:
        """Draw what is submitted; a version that is new gets a title."""
        known = self.model.versions["draft"].get(key)
        edges = {} if known is None else known.edges
        relations = {
            name: data.draw(changes(edges.get(name, []), self.model.targets(name, key)), name)
            for name in data.draw(
                st.sets(st.sampled_from(["categories", "tags", "related", "sources"]), max_size=2)
            )
        }
        articles = self.model.targets("related", key)
        return Write(
            title=data.draw(titles if known is None else st.none() | titles, "title"),
            author=data.draw(
                st.none() | st.tuples(st.sampled_from([None, *self.site.authors])), "author"
            ),
            relations=relations,
            links=data.draw(st.none() | link_texts, "links"),
            sections=data.draw(st.none() | sections(articles), "sections"),
        )

    # Their versions ----------------------------------------------------------------------------

    @rule(
        key=st.runner().flatmap(
            lambda machine: st.sampled_from(sorted(machine.model.versions["draft"], key=str))
        )
    )
    @precondition(lambda machine: machine.model.versions["draft"])
    def publish(self, key: Key) -> None:
        self._change(key, Write(), publish=True)

    @something_is_published
    @rule(key=published_choice)
    def unpublish(self, key: Key) -> None:
        self.site.unpublish(self._with_id(key))
        self.model.unpublish(key)

    @something_is_published
    @rule(key=published_choice)
    def discard_draft(self, key: Key) -> None:
        self.site.discard_draft(self._with_id(key))
        self.model.discard(key)

    @rule(key=chosen(ARTICLE) | chosen(CATEGORY) | chosen(TAG))
    @there_is(ARTICLE)
    @there_is(CATEGORY)
    @there_is(TAG)
    def delete(self, key: Key) -> None:
        locale = "" if key.locale is None else f"?locale={key.locale}"
        self.site.send("DELETE", f"/api/{ROUTES[key.kind]}/{self.ids[key.document]}{locale}")
        self.model.delete(key)

    @there_is(ARTICLE)
    @rule(key=chosen(ARTICLE))
    def delete_every_locale(self, key: Key) -> None:
        self.site.send("DELETE", f"/api/articles/{self.ids[key.document]}?locale=*")
        for locale in LOCALES:
            self.model.delete(Key(ARTICLE, key.document, locale))

    def _with_id(self, key: Key) -> Key:
        return replace(key, document=self.ids[key.document])

    # What holds --------------------------------------------------------------------------------

    @invariant()
    def every_version_is_as_the_model_says(self) -> None:
        drafts, published = (self._agreed(ARTICLE, status) for status in STATUSES)
        self._compare(drafts, published)
        drafts, published = (self._agreed(CATEGORY, status) for status in STATUSES)
        self._compare(drafts, published)

    def _agreed(self, kind: str, status: Status) -> dict[Key, Json]:
        """Return all versions of a kind, which are found to be as the model says."""
        read = self._read(kind, status)
        known = {key for key in self.model.versions[status] if key.kind == kind}
        assert read.keys() == known, (status, read.keys() ^ known)
        see = seen_article if kind == ARTICLE else seen_category
        for key in known:
            loose = self.model.versions[status][key].unordered
            wanted = without_order(expected(self.model, status, key), loose)
            seen = without_order(see(read[key]), loose)
            assert seen == wanted, (status, key, differing(seen, wanted))
        return read

    def _compare(self, drafts: Mapping[Key, Json], published: Mapping[Key, Json]) -> None:
        """Hold the moments of the versions against each other."""
        assert all(draft["publishedAt"] is None for draft in drafts.values())
        for key, live in published.items():
            draft = drafts[key]
            assert live["publishedAt"] is not None
            assert live["createdAt"] == draft["createdAt"]
            changed = draft["updatedAt"] > live["updatedAt"]
            assert changed is (key in self.model.modified), (key, draft, live)
            assert changed or draft["updatedAt"] == live["updatedAt"]

    @invariant()
    def every_tag_is_as_the_model_says(self) -> None:
        for status in STATUSES:
            seen = {
                key: (data["label"], set(_ids(data["articles"])))
                for key, data in self._read(TAG, status).items()
            }
            assert seen == {
                key: (label, self._tagged(status, key)) for key, label in self.model.tags.items()
            }

    def _tagged(self, status: Status, tag: Key) -> set[str]:
        return {
            key.document
            for key, version in self.model.versions[status].items()
            if key.kind == ARTICLE
            and key.locale == tag.locale
            and tag.document in version.edges.get("tags", [])
        }

    @invariant()
    def the_rows_are_sound(self) -> None:
        assert self.site.problems() == []

    def teardown(self) -> None:
        """Delete everything, and see that nothing is left."""
        for kind, route in ROUTES.items():
            for document in {key.document for key in self.model.keys(kind)}:
                self.site.send("DELETE", f"/api/{route}/{self.ids[document]}?locale=*")
        assert self.site.problems() == []
