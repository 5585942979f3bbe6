"""Upload providers of a Strapi configuration, as settings.

The provider for S3 stores a file under ``rootPath/hash.ext`` of a bucket, and its URL in the row is
that of the bucket or ``baseUrl``. Private buckets are not supported, since links into them are
signed in another way.
"""

from collections.abc import Iterator, Mapping

from msgspec import Struct

from quire.javascript.modules import EnvironmentVariable

S3_PROVIDERS = frozenset({"aws-s3", "@strapi/provider-upload-aws-s3"})
_UNSUPPORTED_OPTIONS = frozenset({"private"})

Part = str | EnvironmentVariable


class ConcatenatedText(Struct, frozen=True):
    """A concatenation of texts and variables; without one of the variables it has no value."""

    parts: tuple[Part, ...]

    def text(self, variables: Mapping[str, str]) -> str | None:
        """Return the text, with the values of the variables."""
        resolved_parts = [_resolved(part, variables) for part in self.parts]
        texts = [part for part in resolved_parts if part]
        return "".join(texts) if len(texts) == len(resolved_parts) else None


def bucket_settings(exported: object) -> Iterator[tuple[str, ConcatenatedText]]:
    """Yield the options of uploads for a bucket, by setting."""
    options = _options(exported)
    if options is None:
        return
    of_client = _object(options, "s3Options") or options
    parameters = _object(of_client, "params") or {}
    bucket = _part(parameters.get("Bucket"))
    region, endpoint = _part(of_client.get("region")), _part(of_client.get("endpoint"))
    if bucket is None or parameters.get("ACL") in _UNSUPPORTED_OPTIONS:
        return
    base = _base(_part(options.get("baseUrl")), bucket, region, endpoint, of_client)
    if base is None:
        return
    root = _part(options.get("rootPath"))
    folder: tuple[Part, ...] = () if root is None else ("/", root)
    yield "uploads.storage", ConcatenatedText(("s3://", bucket, *folder))
    yield "uploads.public_url", ConcatenatedText((*base, *folder))
    credentials = _object(of_client, "credentials") or of_client
    for name, part in (
        ("uploads.region", region),
        ("uploads.endpoint", endpoint),
        ("uploads.access_key", _part(credentials.get("accessKeyId"))),
        ("uploads.secret_key", _part(credentials.get("secretAccessKey"))),
    ):
        if isinstance(part, EnvironmentVariable) or (part and not name.endswith("_key")):
            yield name, ConcatenatedText((part,))


def _options(exported: object) -> Mapping[str, object] | None:
    """Return the options of the provider, ``None`` if it is another one."""
    upload = _object(exported, "upload")
    config = _object(upload, "config")
    if config is None or config.get("provider") not in S3_PROVIDERS:
        return None
    return _object(config, "providerOptions")


def _base(
    base: Part | None,
    bucket: Part,
    region: Part | None,
    endpoint: Part | None,
    of_client: Mapping[str, object],
) -> tuple[Part, ...] | None:
    """Return the prefix of URLs in rows, ``None`` if it is unknown."""
    if base is not None:
        return (base,)
    if endpoint is not None:
        return (endpoint, "/", bucket) if of_client.get("forcePathStyle") is True else None
    return None if region is None else ("https://", bucket, ".s3.", region, ".amazonaws.com")


def _object(value: object, name: str) -> Mapping[str, object] | None:
    inner = value.get(name) if isinstance(value, dict) else None
    return inner if isinstance(inner, dict) else None


def _part(value: object) -> Part | None:
    if isinstance(value, EnvironmentVariable):
        return value
    return value if isinstance(value, str) and value else None


def _resolved(part: Part, variables: Mapping[str, str]) -> str | None:
    if isinstance(part, str):
        return part
    default = part.default if isinstance(part.default, str) else None
    return variables.get(part.name) or default
