"""Typed documents of the project, for its Python code.

Made by `quire types` of the schema 42216cb7262ef9c8: a change belongs into the schema.

A field that a read has not loaded raises NotLoadedError, relations and components among them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Literal, TypeAlias, TypedDict, overload

import quire
from quire import Document, Documents


class Article(Document):
    """The content type api::article.article."""

    __uid__ = "api::article.article"
    id: int
    documentId: str
    title: str | None
    slug: str | None
    body: str | None
    views: int | None
    embargoUntil: str | None
    createdAt: str
    updatedAt: str
    publishedAt: str | None
    readingMinutes: int
    commentCount: int
    author: Author | None
    owner: UsersPermissionsUser | None


class Author(Document):
    """The content type api::author.author."""

    __uid__ = "api::author.author"
    id: int
    documentId: str
    name: str
    createdAt: str
    updatedAt: str
    publishedAt: str


class Banner(Document):
    """The content type api::banner.banner."""

    __uid__ = "api::banner.banner"
    id: int
    documentId: str
    text: str | None
    endsAt: str | None
    createdAt: str
    updatedAt: str
    publishedAt: str | None


class Comment(Document):
    """The content type api::comment.comment."""

    __uid__ = "api::comment.comment"
    id: int
    documentId: str
    text: str
    createdAt: str
    updatedAt: str
    publishedAt: str
    article: Article | None


class Order(Document):
    """The content type api::order.order."""

    __uid__ = "api::order.order"
    id: int
    documentId: str
    email: str
    product: str
    quantity: int
    total: str | None
    createdAt: str
    updatedAt: str
    publishedAt: str


class Place(Document):
    """The content type api::place.place."""

    __uid__ = "api::place.place"
    id: int
    documentId: str
    name: str
    address: str | None
    position: Any
    createdAt: str
    updatedAt: str
    publishedAt: str


class Product(Document):
    """The content type api::product.product."""

    __uid__ = "api::product.product"
    id: int
    documentId: str
    name: str
    price: str
    stock: int
    createdAt: str
    updatedAt: str
    publishedAt: str


class UsersPermissionsPermission(Document):
    """The content type plugin::users-permissions.permission."""

    __uid__ = "plugin::users-permissions.permission"
    id: int
    documentId: str
    action: str
    createdAt: str
    updatedAt: str
    publishedAt: str
    role: UsersPermissionsRole | None


class UsersPermissionsRole(Document):
    """The content type plugin::users-permissions.role."""

    __uid__ = "plugin::users-permissions.role"
    id: int
    documentId: str
    name: str
    description: str | None
    type: str | None
    createdAt: str
    updatedAt: str
    publishedAt: str
    permissions: list[UsersPermissionsPermission]
    users: list[UsersPermissionsUser]


class UsersPermissionsUser(Document):
    """The content type plugin::users-permissions.user."""

    __uid__ = "plugin::users-permissions.user"
    id: int
    documentId: str
    username: str
    email: str
    provider: str | None
    confirmed: bool | None
    blocked: bool | None
    createdAt: str
    updatedAt: str
    publishedAt: str
    role: UsersPermissionsRole | None


ArticleFilters = TypedDict(
    "ArticleFilters",
    {
        "id": "WholeNumberFilter",
        "documentId": "TextFilter",
        "title": "TextFilter",
        "slug": "TextFilter",
        "body": "TextFilter",
        "views": "WholeNumberFilter",
        "embargoUntil": "MomentFilter",
        "author": "IdFilter | AuthorFilters",
        "owner": "IdFilter | UsersPermissionsUserFilters",
        "createdAt": "MomentFilter",
        "updatedAt": "MomentFilter",
        "publishedAt": "MomentFilter",
        "locale": "TextFilter",
        "localizations": "IdFilter | ArticleFilters",
        "$and": "Sequence[ArticleFilters]",
        "$or": "Sequence[ArticleFilters]",
        "$not": "ArticleFilters | Sequence[ArticleFilters]",
    },
    total=False,
)

AuthorFilters = TypedDict(
    "AuthorFilters",
    {
        "id": "WholeNumberFilter",
        "documentId": "TextFilter",
        "name": "TextFilter",
        "userId": "WholeNumberFilter",
        "createdAt": "MomentFilter",
        "updatedAt": "MomentFilter",
        "publishedAt": "MomentFilter",
        "locale": "TextFilter",
        "localizations": "IdFilter | AuthorFilters",
        "$and": "Sequence[AuthorFilters]",
        "$or": "Sequence[AuthorFilters]",
        "$not": "AuthorFilters | Sequence[AuthorFilters]",
    },
    total=False,
)

BannerFilters = TypedDict(
    "BannerFilters",
    {
        "id": "WholeNumberFilter",
        "documentId": "TextFilter",
        "text": "TextFilter",
        "endsAt": "MomentFilter",
        "createdAt": "MomentFilter",
        "updatedAt": "MomentFilter",
        "publishedAt": "MomentFilter",
        "locale": "TextFilter",
        "localizations": "IdFilter | BannerFilters",
        "$and": "Sequence[BannerFilters]",
        "$or": "Sequence[BannerFilters]",
        "$not": "BannerFilters | Sequence[BannerFilters]",
    },
    total=False,
)

BooleanFilter: TypeAlias = "bool | None | Sequence[bool] | BooleanOperators"

BooleanOperators = TypedDict(
    "BooleanOperators",
    {
        "$eq": "bool | None",
        "$ne": "bool | None",
        "$eqi": "str",
        "$nei": "str",
        "$lt": "bool | None",
        "$lte": "bool | None",
        "$gt": "bool | None",
        "$gte": "bool | None",
        "$in": "Sequence[bool]",
        "$notIn": "Sequence[bool]",
        "$between": "Sequence[bool]",
        "$null": "bool",
        "$notNull": "bool",
        "$contains": "str",
        "$notContains": "str",
        "$containsi": "str",
        "$notContainsi": "str",
        "$startsWith": "str",
        "$startsWithi": "str",
        "$endsWith": "str",
        "$endsWithi": "str",
        "$not": "BooleanFilter",
    },
    total=False,
)

CommentFilters = TypedDict(
    "CommentFilters",
    {
        "id": "WholeNumberFilter",
        "documentId": "TextFilter",
        "text": "TextFilter",
        "article": "IdFilter | ArticleFilters",
        "createdAt": "MomentFilter",
        "updatedAt": "MomentFilter",
        "publishedAt": "MomentFilter",
        "locale": "TextFilter",
        "localizations": "IdFilter | CommentFilters",
        "$and": "Sequence[CommentFilters]",
        "$or": "Sequence[CommentFilters]",
        "$not": "CommentFilters | Sequence[CommentFilters]",
    },
    total=False,
)

IdFilter: TypeAlias = "int | None | Sequence[int] | IdOperators"

IdOperators = TypedDict(
    "IdOperators",
    {
        "$eq": "int",
        "$ne": "int",
        "$in": "Sequence[int]",
        "$notIn": "Sequence[int]",
        "$null": "bool",
        "$notNull": "bool",
    },
    total=False,
)

JsonTextFilter: TypeAlias = "str | None | Sequence[str] | JsonTextOperators"

JsonTextOperators = TypedDict(
    "JsonTextOperators",
    {
        "$eq": "str | None",
        "$ne": "str | None",
        "$eqi": "str",
        "$nei": "str",
        "$lt": "str | None",
        "$lte": "str | None",
        "$gt": "str | None",
        "$gte": "str | None",
        "$in": "Sequence[str]",
        "$notIn": "Sequence[str]",
        "$between": "Sequence[str]",
        "$null": "bool",
        "$notNull": "bool",
        "$contains": "str",
        "$notContains": "str",
        "$containsi": "str",
        "$notContainsi": "str",
        "$startsWith": "str",
        "$startsWithi": "str",
        "$endsWith": "str",
        "$endsWithi": "str",
        "$geo_within": "Mapping[str, Any]",
        "$not": "JsonTextFilter",
    },
    total=False,
)

MomentFilter: TypeAlias = "str | datetime | None | Sequence[str | datetime] | MomentOperators"

MomentOperators = TypedDict(
    "MomentOperators",
    {
        "$eq": "str | datetime | None",
        "$ne": "str | datetime | None",
        "$eqi": "str",
        "$nei": "str",
        "$lt": "str | datetime | None",
        "$lte": "str | datetime | None",
        "$gt": "str | datetime | None",
        "$gte": "str | datetime | None",
        "$in": "Sequence[str | datetime]",
        "$notIn": "Sequence[str | datetime]",
        "$between": "Sequence[str | datetime]",
        "$null": "bool",
        "$notNull": "bool",
        "$contains": "str",
        "$notContains": "str",
        "$containsi": "str",
        "$notContainsi": "str",
        "$startsWith": "str",
        "$startsWithi": "str",
        "$endsWith": "str",
        "$endsWithi": "str",
        "$not": "MomentFilter",
    },
    total=False,
)

NumberFilter: TypeAlias = "float | None | Sequence[float] | NumberOperators"

NumberOperators = TypedDict(
    "NumberOperators",
    {
        "$eq": "float | None",
        "$ne": "float | None",
        "$eqi": "str",
        "$nei": "str",
        "$lt": "float | None",
        "$lte": "float | None",
        "$gt": "float | None",
        "$gte": "float | None",
        "$in": "Sequence[float]",
        "$notIn": "Sequence[float]",
        "$between": "Sequence[float]",
        "$null": "bool",
        "$notNull": "bool",
        "$contains": "str",
        "$notContains": "str",
        "$containsi": "str",
        "$notContainsi": "str",
        "$startsWith": "str",
        "$startsWithi": "str",
        "$endsWith": "str",
        "$endsWithi": "str",
        "$not": "NumberFilter",
    },
    total=False,
)

OrderFilters = TypedDict(
    "OrderFilters",
    {
        "id": "WholeNumberFilter",
        "documentId": "TextFilter",
        "email": "TextFilter",
        "product": "TextFilter",
        "quantity": "WholeNumberFilter",
        "total": "NumberFilter",
        "createdAt": "MomentFilter",
        "updatedAt": "MomentFilter",
        "publishedAt": "MomentFilter",
        "locale": "TextFilter",
        "localizations": "IdFilter | OrderFilters",
        "$and": "Sequence[OrderFilters]",
        "$or": "Sequence[OrderFilters]",
        "$not": "OrderFilters | Sequence[OrderFilters]",
    },
    total=False,
)

PlaceFilters = TypedDict(
    "PlaceFilters",
    {
        "id": "WholeNumberFilter",
        "documentId": "TextFilter",
        "name": "TextFilter",
        "address": "TextFilter",
        "position": "JsonTextFilter",
        "createdAt": "MomentFilter",
        "updatedAt": "MomentFilter",
        "publishedAt": "MomentFilter",
        "locale": "TextFilter",
        "localizations": "IdFilter | PlaceFilters",
        "$and": "Sequence[PlaceFilters]",
        "$or": "Sequence[PlaceFilters]",
        "$not": "PlaceFilters | Sequence[PlaceFilters]",
    },
    total=False,
)

ProductFilters = TypedDict(
    "ProductFilters",
    {
        "id": "WholeNumberFilter",
        "documentId": "TextFilter",
        "name": "TextFilter",
        "price": "NumberFilter",
        "stock": "WholeNumberFilter",
        "createdAt": "MomentFilter",
        "updatedAt": "MomentFilter",
        "publishedAt": "MomentFilter",
        "locale": "TextFilter",
        "localizations": "IdFilter | ProductFilters",
        "$and": "Sequence[ProductFilters]",
        "$or": "Sequence[ProductFilters]",
        "$not": "ProductFilters | Sequence[ProductFilters]",
    },
    total=False,
)

TextFilter: TypeAlias = "str | None | Sequence[str] | TextOperators"

TextOperators = TypedDict(
    "TextOperators",
    {
        "$eq": "str | None",
        "$ne": "str | None",
        "$eqi": "str",
        "$nei": "str",
        "$lt": "str | None",
        "$lte": "str | None",
        "$gt": "str | None",
        "$gte": "str | None",
        "$in": "Sequence[str]",
        "$notIn": "Sequence[str]",
        "$between": "Sequence[str]",
        "$null": "bool",
        "$notNull": "bool",
        "$contains": "str",
        "$notContains": "str",
        "$containsi": "str",
        "$notContainsi": "str",
        "$startsWith": "str",
        "$startsWithi": "str",
        "$endsWith": "str",
        "$endsWithi": "str",
        "$not": "TextFilter",
    },
    total=False,
)

UsersPermissionsPermissionFilters = TypedDict(
    "UsersPermissionsPermissionFilters",
    {
        "id": "WholeNumberFilter",
        "documentId": "TextFilter",
        "action": "TextFilter",
        "role": "IdFilter | UsersPermissionsRoleFilters",
        "createdAt": "MomentFilter",
        "updatedAt": "MomentFilter",
        "publishedAt": "MomentFilter",
        "locale": "TextFilter",
        "localizations": "IdFilter | UsersPermissionsPermissionFilters",
        "$and": "Sequence[UsersPermissionsPermissionFilters]",
        "$or": "Sequence[UsersPermissionsPermissionFilters]",
        "$not": "UsersPermissionsPermissionFilters | Sequence[UsersPermissionsPermissionFilters]",
    },
    total=False,
)

UsersPermissionsRoleFilters = TypedDict(
    "UsersPermissionsRoleFilters",
    {
        "id": "WholeNumberFilter",
        "documentId": "TextFilter",
        "name": "TextFilter",
        "description": "TextFilter",
        "type": "TextFilter",
        "permissions": "IdFilter | UsersPermissionsPermissionFilters",
        "createdAt": "MomentFilter",
        "updatedAt": "MomentFilter",
        "publishedAt": "MomentFilter",
        "locale": "TextFilter",
        "localizations": "IdFilter | UsersPermissionsRoleFilters",
        "$and": "Sequence[UsersPermissionsRoleFilters]",
        "$or": "Sequence[UsersPermissionsRoleFilters]",
        "$not": "UsersPermissionsRoleFilters | Sequence[UsersPermissionsRoleFilters]",
    },
    total=False,
)

UsersPermissionsUserFilters = TypedDict(
    "UsersPermissionsUserFilters",
    {
        "id": "WholeNumberFilter",
        "documentId": "TextFilter",
        "username": "TextFilter",
        "email": "TextFilter",
        "provider": "TextFilter",
        "resetPasswordToken": "TextFilter",
        "confirmationToken": "TextFilter",
        "confirmed": "BooleanFilter",
        "blocked": "BooleanFilter",
        "role": "IdFilter | UsersPermissionsRoleFilters",
        "createdAt": "MomentFilter",
        "updatedAt": "MomentFilter",
        "publishedAt": "MomentFilter",
        "locale": "TextFilter",
        "localizations": "IdFilter | UsersPermissionsUserFilters",
        "$and": "Sequence[UsersPermissionsUserFilters]",
        "$or": "Sequence[UsersPermissionsUserFilters]",
        "$not": "UsersPermissionsUserFilters | Sequence[UsersPermissionsUserFilters]",
    },
    total=False,
)

WholeNumberFilter: TypeAlias = "int | None | Sequence[int] | WholeNumberOperators"

WholeNumberOperators = TypedDict(
    "WholeNumberOperators",
    {
        "$eq": "int | None",
        "$ne": "int | None",
        "$eqi": "str",
        "$nei": "str",
        "$lt": "int | None",
        "$lte": "int | None",
        "$gt": "int | None",
        "$gte": "int | None",
        "$in": "Sequence[int]",
        "$notIn": "Sequence[int]",
        "$between": "Sequence[int]",
        "$null": "bool",
        "$notNull": "bool",
        "$contains": "str",
        "$notContains": "str",
        "$containsi": "str",
        "$notContainsi": "str",
        "$startsWith": "str",
        "$startsWithi": "str",
        "$endsWith": "str",
        "$endsWithi": "str",
        "$not": "WholeNumberFilter",
    },
    total=False,
)

ArticleInput = TypedDict(
    "ArticleInput",
    {
        "title": "str | None",
        "slug": "str | None",
        "body": "str | None",
        "views": "int | None",
        "embargoUntil": "str | int | None",
        "author": "RelationInput | None",
        "owner": "RelationInput | None",
    },
    total=False,
)

AuthorInput = TypedDict(
    "AuthorInput",
    {
        "name": "str",
        "userId": "int | None",
    },
    total=False,
)

BannerInput = TypedDict(
    "BannerInput",
    {
        "text": "str | None",
        "endsAt": "str | int | None",
    },
    total=False,
)

CommentInput = TypedDict(
    "CommentInput",
    {
        "text": "str",
        "article": "RelationInput | None",
    },
    total=False,
)

OrderInput = TypedDict(
    "OrderInput",
    {
        "email": "str",
        "product": "str",
        "quantity": "int",
        "total": "str | float | None",
    },
    total=False,
)

PlaceInput = TypedDict(
    "PlaceInput",
    {
        "name": "str",
        "address": "str | None",
        "position": "Any",
    },
    total=False,
)

ProductInput = TypedDict(
    "ProductInput",
    {
        "name": "str",
        "price": "str | float",
        "stock": "int",
    },
    total=False,
)

RelationChange: TypeAlias = "int | str | RelationChangeObject"

RelationChangeObject = TypedDict(
    "RelationChangeObject",
    {
        "id": "int | str",
        "documentId": "str",
        "locale": "str | None",
        "status": "RelationStatus",
        "position": "Mapping[str, Any]",
    },
    total=False,
)

RelationChanges = TypedDict(
    "RelationChanges",
    {
        "set": "Sequence[RelationChange] | RelationChange | None",
        "connect": "Sequence[RelationChange] | RelationChange",
        "disconnect": "Sequence[RelationChange] | RelationChange",
        "options": "Mapping[str, Any]",
    },
    total=False,
)

RelationInput: TypeAlias = "Sequence[RelationTarget] | RelationTarget | RelationChanges"

RelationStatus: TypeAlias = 'Literal["draft", "published"]'

RelationTarget: TypeAlias = "int | str | RelationTargetObject"

RelationTargetObject = TypedDict(
    "RelationTargetObject",
    {
        "id": "int | str",
        "documentId": "str",
        "locale": "str | None",
    },
    total=False,
)

UsersPermissionsUserInput = TypedDict(
    "UsersPermissionsUserInput",
    {
        "username": "str",
        "email": "str",
        "provider": "str | None",
        "password": "str | None",
        "resetPasswordToken": "str | None",
        "confirmationToken": "str | None",
        "confirmed": "bool | None",
        "blocked": "bool | None",
        "role": "RelationInput | None",
    },
    total=False,
)


@overload
def documents(
    kind: type[Article],
) -> Documents[Article, ArticleFilters, ArticleInput]: ...
@overload
def documents(
    kind: type[Author],
) -> Documents[Author, AuthorFilters, AuthorInput]: ...
@overload
def documents(
    kind: type[Banner],
) -> Documents[Banner, BannerFilters, BannerInput]: ...
@overload
def documents(
    kind: type[Comment],
) -> Documents[Comment, CommentFilters, CommentInput]: ...
@overload
def documents(
    kind: type[Order],
) -> Documents[Order, OrderFilters, OrderInput]: ...
@overload
def documents(
    kind: type[Place],
) -> Documents[Place, PlaceFilters, PlaceInput]: ...
@overload
def documents(
    kind: type[Product],
) -> Documents[Product, ProductFilters, ProductInput]: ...
@overload
def documents(
    kind: type[UsersPermissionsUser],
) -> Documents[UsersPermissionsUser, UsersPermissionsUserFilters, UsersPermissionsUserInput]: ...
@overload
def documents(kind: str) -> Documents[Document]: ...
def documents(kind: Any) -> Any:
    """Return the documents of a content type, with the types of its filters and its input."""
    return quire.documents(kind)
