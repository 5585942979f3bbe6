"""An in-memory model of documents: values and relations of versions after each action.

It knows articles (draft & publish, with locales), categories (draft & publish, without) and tags
(with locales, without drafts). An edge belongs to the version it starts from, and leads to the
version of the same status and locale at its other end:

- Drafts keep their edges until somebody changes them or deletes what they lead to.
- What is published leads to what was published of the draft's targets. Relations that can be seen
  from both ends are renewed when either end is published, so that publishing the target later adds
  the edge; those of components only when their own article is, or when the target is published for
  the first time and nobody has changed the article since it was published.
- Discarding a draft is the same the other way round.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Literal

ARTICLE, CATEGORY, TAG = "article", "category", "tag"
LOCALES = ("en", "de", "fr")

Place = Literal["end", "start", "before", "after"]
Status = Literal["draft", "published"]
STATUSES: tuple[Status, Status] = ("draft", "published")

TWO_SIDED = {(ARTICLE, CATEGORY): "categories", (ARTICLE, ARTICLE): "related"}
"""Relations between documents with drafts that have an attribute at both ends, but for parents."""


@dataclass(frozen=True, slots=True, order=True)
class Key:
    """What is drafted and published on its own: a document in one locale, None if it has none."""

    kind: str
    document: str
    locale: str | None


@dataclass(frozen=True, slots=True)
class Connect:
    """A target to connect, and where: at the end, at the start, before or after another target."""

    target: str
    place: Place = "end"
    anchor: str | None = None


@dataclass(frozen=True, slots=True)
class Change:
    """A change of one relation: what it is set to, or what is connected and disconnected."""

    set: tuple[str, ...] | None = None
    connect: tuple[Connect, ...] = ()
    disconnect: tuple[str, ...] = ()

    def applied(self, targets: Sequence[str]) -> list[str]:
        """Return the targets in their order after the change."""
        if self.set is not None:
            return list(self.set)
        places = {target: float(number) for number, target in enumerate(targets)}
        for number, item in enumerate(self.connect, start=1):
            first, last = min(places.values(), default=0.0), max(places.values(), default=0.0)
            match item.place:
                case "start":
                    place = first - 0.5
                case "end":
                    place = last + 0.5
                case "before":
                    place = places[item.anchor or ""] - 0.5
                case "after":
                    place = places[item.anchor or ""] + 0.5
            # Those with one and the same place stay in the order of the payload.
            places[item.target] = place + number * 1e-6
        return sorted(places.keys() - set(self.disconnect), key=places.__getitem__)


@dataclass(frozen=True, slots=True)
class Section:
    """An item of an article's dynamic zone; ``targets`` are articles of the same locale."""

    text: str
    targets: tuple[str, ...] | None
    """None for the kind of section that leads nowhere."""


@dataclass(slots=True)
class Version:
    """The values and relations of one version of a document."""

    title: str
    edges: dict[str, list[str]] = field(default_factory=dict)
    links: tuple[str, ...] = ()
    sections: tuple[Section, ...] = ()
    author: str | None = None
    unordered: set[str] = field(default_factory=set)
    """Relations whose targets have come in no particular order."""


@dataclass(slots=True, kw_only=True)
class Write:
    """What is submitted for an article, a category or a tag; what is None is left out."""

    title: str | None = None
    author: tuple[str | None] | None = None
    relations: Mapping[str, Change] = field(default_factory=dict)
    links: tuple[str, ...] | None = None
    sections: tuple[Section, ...] | None = None


class Documents:
    """All documents with all their versions."""

    def __init__(self) -> None:
        self.versions: dict[Status, dict[Key, Version]] = {"draft": {}, "published": {}}
        self.tags: dict[Key, str] = {}
        self.modified: set[Key] = set()
        """What was changed since it was published."""

    def keys(self, kind: str) -> list[Key]:
        """Return what there is of a kind of documents, in an order of its own."""
        found: Iterable[Key] = self.tags if kind == TAG else self.versions["draft"]
        return sorted(key for key in found if key.kind == kind)

    def targets(self, relation: str, key: Key, status: Status = "draft") -> list[str]:
        """Return the documents that a relation of a version may lead to, but for its own."""
        if relation in {"tags", "sources"}:
            return [tag.document for tag in self.keys(TAG) if tag.locale == key.locale]
        kind, locale = (
            (CATEGORY, None) if relation in {"categories", "parent"} else (ARTICLE, key.locale)
        )
        return [
            other.document
            for other in sorted(self.versions[status])
            if (other.kind, other.locale) == (kind, locale) and other.document != key.document
        ]

    # What is done to them ----------------------------------------------------------------------

    def write(self, key: Key, data: Write) -> None:
        """Create a draft, or change it."""
        drafts = self.versions["draft"]
        draft = drafts.setdefault(key, Version(title=""))
        self.modified.add(key)
        draft.title = draft.title if data.title is None else data.title
        draft.links = draft.links if data.links is None else data.links
        draft.sections = draft.sections if data.sections is None else data.sections
        draft.author = draft.author if data.author is None else data.author[0]
        for relation, change in data.relations.items():
            if change.set is not None:
                draft.unordered.discard(relation)
            draft.edges[relation] = change.applied(draft.edges.get(relation, []))

    def adopt(self, parent: Key, change: Change) -> None:
        """Change the children of a category's draft; a child has one parent."""
        drafts = self.versions["draft"]
        for key, child in drafts.items():
            if key.kind != CATEGORY:
                continue
            if key.document in {item.target for item in change.connect}:
                child.edges["parent"] = [parent.document]
            elif key.document in change.disconnect:
                self._remove("draft", key, "parent", parent.document)
        self.modified.add(parent)

    def attach(self, target: Key, change: Change) -> None:
        """Change which articles a tag or a category's draft belongs to, from its own end.

        A tag is connected with both versions of an article, since it has but one itself.
        """
        relation = "tags" if target.kind == TAG else "categories"
        for status in STATUSES if target.kind == TAG else STATUSES[:1]:
            for item in change.connect:
                key = Key(ARTICLE, item.target, target.locale or LOCALES[0])
                self._add(status, key, relation, target.document)
            for document in change.disconnect:
                key = Key(ARTICLE, document, target.locale or LOCALES[0])
                self._remove(status, key, relation, target.document)
        if target.kind == CATEGORY:
            self.modified.add(target)

    def publish(self, key: Key) -> None:
        """Replace the published version by the draft."""
        first = key not in self.versions["published"]
        self._copy("draft", "published", key)
        self.modified.discard(key)
        if first and key.kind == ARTICLE:
            self._lead_components_to(key)

    def discard(self, key: Key) -> None:
        """Make the draft what is published."""
        self._copy("published", "draft", key)
        self.modified.discard(key)

    def unpublish(self, key: Key) -> None:
        """Take the published version away, and every edge that led to it."""
        self._drop("published", key)
        self.modified.add(key)

    def delete(self, key: Key) -> None:
        """Take all versions away, and every edge that led to them."""
        self.modified.discard(key)
        self.tags.pop(key, None)
        for status in STATUSES:
            self._drop(status, key)

    # How ---------------------------------------------------------------------------------------

    def _copy(self, source: Status, target: Status, key: Key) -> None:
        copy = deepcopy(self.versions[source][key])
        self.versions[target][key] = copy
        for relation in copy.edges.keys() & {"categories", "related", "parent"}:
            there = self.targets(relation, key, target)
            copy.edges[relation] = [one for one in copy.edges[relation] if one in there]
        articles = self.targets("related", key, target)
        copy.sections = tuple(
            Section(
                section.text,
                None
                if section.targets is None
                else tuple(one for one in section.targets if one in articles),
            )
            for section in copy.sections
        )
        for other, relation in self._leading_to(target, key):
            model = self.versions[source].get(other)
            if model is not None and key.document in model.edges.get(relation, []):
                if relation == "parent":
                    self.versions[target][other].edges["parent"] = []
                self._add(target, other, relation, key.document, ordered=False)
            else:
                self._remove(target, other, relation, key.document)

    def _lead_components_to(self, key: Key) -> None:
        """Let published articles, as their drafts still are, lead to what they have waited for."""
        for other, live in self.versions["published"].items():
            if (other.kind, other.locale) != (ARTICLE, key.locale) or other in self.modified:
                continue
            draft = self.versions["draft"][other]
            live.sections = tuple(
                _awaited(wanted, found, key.document)
                for wanted, found in zip(draft.sections, live.sections, strict=True)
            )

    def _drop(self, status: Status, key: Key) -> None:
        if key.kind != TAG and self.versions[status].pop(key, None) is None:
            return
        for other, relation in self._leading_to(status, key):
            self._remove(status, other, relation, key.document)
        for other, version in self.versions[status].items():
            if key.kind == TAG and other.locale == key.locale:
                for relation in ("tags", "sources"):
                    self._remove(status, other, relation, key.document)
            if key.kind == ARTICLE and other.locale == key.locale:
                version.sections = tuple(
                    Section(section.text, _without(section.targets, key.document))
                    for section in version.sections
                )

    def _leading_to(self, status: Status, key: Key) -> Iterator[tuple[Key, str]]:
        """Return the versions that may lead to another one by a relation with two sides."""
        for other in self.versions[status]:
            if other == key or TAG in {other.kind, key.kind}:
                continue
            if other.kind == key.kind == CATEGORY:
                yield other, "parent"
            elif (other.kind, key.kind) in TWO_SIDED and (
                key.kind == CATEGORY or other.locale == key.locale
            ):
                yield other, TWO_SIDED[other.kind, key.kind]

    def _add(
        self, status: Status, key: Key, relation: str, document: str, *, ordered: bool = True
    ) -> None:
        version = self.versions[status].get(key)
        if version is None or document in version.edges.get(relation, []):
            return
        version.edges.setdefault(relation, []).append(document)
        if not ordered:
            version.unordered.add(relation)

    def _remove(self, status: Status, key: Key, relation: str, document: str) -> None:
        version = self.versions[status].get(key)
        if version is not None and document in version.edges.get(relation, []):
            version.edges[relation].remove(document)


def _awaited(draft: Section, live: Section, document: str) -> Section:
    """Return a published section with what its draft leads to and is there now."""
    if draft.targets is None or live.targets is None:
        return live
    there = {*live.targets, document}
    return Section(live.text, tuple(one for one in draft.targets if one in there))


def _without(targets: tuple[str, ...] | None, document: str) -> tuple[str, ...] | None:
    return None if targets is None else tuple(one for one in targets if one != document)
