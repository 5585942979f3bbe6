"""The files in ``deploy/`` are valid and match the documentation."""

import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml

from quire.settings import Settings, known_settings
from tests.distribution.wheel import ROOT
from tests.docs.pages import DOCS, fences

pytestmark = pytest.mark.whatever_the_database("files are looked at, and nothing is started")

DEPLOY = ROOT / "deploy"
MANIFESTS = [
    pytest.param(document, id=f"{path.name}-{document['kind']}")
    for path in sorted((DEPLOY / "kubernetes").glob("*.yaml"))
    for document in yaml.safe_load_all(path.read_text("utf-8"))
]
VARIABLES = {known.variable for known in known_settings().values() if known.variable}


@pytest.mark.parametrize("manifest", MANIFESTS)
@pytest.mark.parametrize("version", ["1.30", "1.34"])
def test_manifests_are_valid_in_the_api_of_kubernetes(
    manifest: dict[str, Any], version: str
) -> None:
    kubernetes_validate.validate(manifest, version, strict=True)


def test_the_job_of_the_documentation_is_valid_and_has_the_image_of_the_deployment(
    pod: dict[str, Any],
) -> None:
    (fence,) = [one for one in fences(DOCS / "operations" / "containers.md") if one.info == "yaml"]
    job = yaml.safe_load(fence.text)
    kubernetes_validate.validate(job, "1.34", strict=True)
    (container,) = job["spec"]["template"]["spec"]["containers"]
    (served,) = pod["containers"]
    assert (container["image"], container["envFrom"]) == (served["image"], served["envFrom"])


@pytest.fixture
def pod() -> dict[str, Any]:
    documents = yaml.safe_load_all((DEPLOY / "kubernetes" / "quire.yaml").read_text("utf-8"))
    deployment = next(one for one in documents if one["kind"] == "Deployment")
    spec = deployment["spec"]["template"]["spec"]
    assert isinstance(spec, dict)
    return spec


def test_a_pod_may_do_no_more_than_serve(pod: dict[str, Any]) -> None:
    assert pod["securityContext"]["runAsNonRoot"] is True
    assert pod["automountServiceAccountToken"] is False
    (container,) = pod["containers"]
    assert container["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }
    assert container["readinessProbe"]["httpGet"]["path"] == "/_ready"
    assert container["livenessProbe"]["httpGet"]["path"] == "/_health"


def test_a_pod_has_longer_to_end_than_its_server_takes(pod: dict[str, Any]) -> None:
    """The pause before SIGTERM and the server's own time to finish requests have to fit."""
    shutdown = Settings(project=ROOT).server.shutdown_timeout
    (container,) = pod["containers"]
    pause = int(container["lifecycle"]["preStop"]["exec"]["command"][1])
    assert pod["terminationGracePeriodSeconds"] > pause + shutdown.total_seconds()


@pytest.fixture
def compose() -> dict[str, Any]:
    found = yaml.safe_load((DEPLOY / "compose.yaml").read_text("utf-8"))
    assert isinstance(found, dict)
    return found


def test_compose_has_all_services_and_the_volumes_that_they_use(compose: dict[str, Any]) -> None:
    services = compose["services"]
    assert set(services) == {"quire", "pgbouncer", "postgres", "storage"}
    for service in services.values():
        assert set(service.get("depends_on", {})) <= set(services)
        for volume in service.get("volumes", []):
            source = volume.split(":")[0]
            assert source in compose["volumes"] or source.startswith("${SITE")
    quire = services["quire"]
    assert quire["read_only"] is True
    assert quire["cap_drop"] == ["ALL"]
    assert (DEPLOY / quire["build"]["context"] / quire["build"]["dockerfile"]).is_file()


def test_variables_of_the_server_in_compose_are_settings(compose: dict[str, Any]) -> None:
    environment = compose["services"]["quire"]["environment"]
    assert set(environment) <= VARIABLES
    keys = {environment["AWS_ACCESS_KEY_ID"], environment["AWS_SECRET_ACCESS_KEY"]}
    assert keys <= set(compose["services"]["storage"]["environment"].values())


def test_the_image_runs_as_nobody_in_particular_and_has_a_probe() -> None:
    text = (DEPLOY / "Dockerfile").read_text("utf-8")
    last = text.rsplit("\nFROM ", 1)[1]
    assert re.search(r"^USER 10001:10001$", last, re.MULTILINE)
    assert "HEALTHCHECK" in last
    assert "/_health" in last
    root = (DEPLOY / "image" / "root.sh").read_text("utf-8")
    assert "quire:x:10001:10001:" in root


def test_the_dockerfile_copies_what_is_there_and_not_ignored() -> None:
    text = (DEPLOY / "Dockerfile").read_text("utf-8")
    ignored = (ROOT / ".dockerignore").read_text("utf-8").splitlines()
    copied = [
        source
        for line in re.findall(r"^COPY (?!--from)(.*)$", text, re.MULTILINE)
        for source in line.split()[:-1]
    ]
    assert {"src/", "ui/", "requirements/"} <= set(copied)
    for source in copied:
        assert (ROOT / source).exists(), source
        assert source.rstrip("/") not in ignored, source


@pytest.mark.parametrize("script", sorted((DEPLOY / "image").glob("*.sh")), ids=lambda p: p.name)
def test_scripts_of_the_image_are_shell(script: Path) -> None:
    done = subprocess.run(["/bin/sh", "-n", script], check=False, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="there is no systemd here")
def test_the_unit_is_valid_for_systemd(tmp_path: Path) -> None:
    text = (DEPLOY / "systemd" / "quire.service").read_text("utf-8")
    assert "ExecStart=/opt/quire/bin/quire start /srv/site" in text
    unit = tmp_path / "quire.service"
    unit.write_text(text.replace("/opt/quire/bin/quire", sys.executable))
    done = subprocess.run(
        ["systemd-analyze", "verify", str(unit)],  # noqa: S607 - wherever it is
        check=False,
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, "")
