"""Typed documents of the project, for its Python code.

Made by `quire types` of the schema b67a14959e4dd157: a change belongs into the schema.

A field that a read has not loaded raises NotLoadedError, relations and components among them.
"""

from __future__ import annotations

from typing import Any

from quire import Document


class Article(Document):
    """The content type api::article.article."""

    __uid__ = "api::article.article"
    id: int
    documentId: str
    title: str
    slug: str | None
    body: str | None
    views: int | None
    embargoUntil: str | None
    createdAt: str
    updatedAt: str
    publishedAt: str
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
    text: str
    endsAt: str
    createdAt: str
    updatedAt: str
    publishedAt: str


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
    position: Any
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
