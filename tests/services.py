"""Local servers of third parties that tests need, each in a separate process."""

import base64
import hashlib
import hmac
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from email.utils import formatdate
from http import HTTPStatus
from urllib.error import HTTPError
from urllib.request import Request, urlopen

STARTED_WITHIN = 60.0


@contextmanager
def s3_server(*buckets: str) -> Iterator[str]:
    """Run a server that speaks as S3 does, with buckets; gives its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    address = f"http://127.0.0.1:{port}"
    try:
        _wait(port, server)
        for bucket in buckets:
            with urlopen(Request(f"{address}/{bucket}", method="PUT")):  # noqa: S310 - our own
                pass
        yield address
    finally:
        server.terminate()
        server.wait()


def make_azure_container(address: str, account: str, key: str, container: str) -> None:
    """Make a container in a service that speaks as Azure's does; what is there already stays."""
    sent = {"x-ms-date": formatdate(time.time(), usegmt=True), "x-ms-version": "2021-12-02"}
    signed = "\n".join(
        [
            "PUT",
            *[""] * 11,
            *(f"{name}:{value}" for name, value in sent.items()),
            f"/{account}/{account}/{container}",
            "restype:container",
        ]
    )
    digest = hmac.digest(base64.b64decode(key), signed.encode(), hashlib.sha256)
    sent["Authorization"] = f"SharedKey {account}:{base64.b64encode(digest).decode()}"
    target = f"{address}/{container}?restype=container"
    request = Request(target, method="PUT", headers={**sent, "Content-Length": "0"})  # noqa: S310 - our own
    try:
        with urlopen(request):  # noqa: S310 - our own
            pass
    except HTTPError as error:
        if error.code != HTTPStatus.CONFLICT:
            raise


def _wait(port: int, server: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + STARTED_WITHIN
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            if server.poll() is not None or time.monotonic() > deadline:
                raise
            time.sleep(0.05)
        else:
            return
