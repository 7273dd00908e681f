"""Compose's and Kubernetes' files: whole, of the image that the Dockerfile builds, and closed where nobody has to come in."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest
import yaml

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "http"))
from conftest import BINARY  # noqa: E402

ROOT = pathlib.Path(__file__).parents[2]
DOCKER = ROOT / "docker"
DOCKERFILE = (ROOT / "Dockerfile").read_text()
WATCH = yaml.safe_load((DOCKER / "compose.watch.yaml").read_text())
MANIFEST = (ROOT / "packages/kubernetes/coalesced.yaml").read_text()
USER = int(re.search(r"^USER (\d+):\1$", DOCKERFILE, re.M).group(1))
DATA = "/var/lib/coalesced"


# ---- Compose ----

@pytest.mark.parametrize("base", ["compose.yaml", "compose.cpu.yaml"])
def test_what_is_mounted_is_there_or_a_volume(base):
    files = [yaml.safe_load((DOCKER / base).read_text()), WATCH]
    volumes = {name for file in files for name in file["volumes"]}
    for service in [one for file in files for one in file["services"].values()]:
        for source, target, *_ in (volume.split(":") for volume in service.get("volumes", [])):
            assert target.startswith("/")
            assert (DOCKER / source).exists() if source.startswith("./") else source in volumes, source
    assert {name for file in files for name in file["services"]} == {"coalesced", "prometheus", "grafana"}


def test_the_board_is_the_first_thing_that_grafana_shows():
    grafana = WATCH["services"]["grafana"]
    mounted = dict(volume.split(":")[:2] for volume in grafana["volumes"])
    environment = dict(line.split("=", 1) for line in grafana["environment"])
    board = mounted["./grafana/coalesced.json"]
    assert environment["GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH"] == board
    assert mounted["./grafana/provisioning"] == "/etc/grafana/provisioning"
    (provider,) = yaml.safe_load((DOCKER / "grafana/provisioning/dashboards/coalesced.yaml").read_text())["providers"]
    assert provider["options"]["path"] == os.path.dirname(board)
    (source,) = yaml.safe_load((DOCKER / "grafana/provisioning/datasources/prometheus.yaml").read_text())["datasources"]
    assert source["type"] == "prometheus" and source["url"] == "http://prometheus:9090" and source["isDefault"]
    assert all(port.startswith("127.0.0.1:") for port in grafana["ports"])


def test_prometheus_reads_the_token_where_the_service_writes_it():
    config = yaml.safe_load((DOCKER / "prometheus/prometheus.yaml").read_text())
    (scrape,) = config["scrape_configs"]
    written = dict(line.split("=") for line in WATCH["services"]["coalesced"]["environment"])["COALESCED_SCRAPE_TOKEN"]
    volume = dict(reversed(one.split(":")[:2]) for one in WATCH["services"]["coalesced"]["volumes"])[os.path.dirname(written)]
    seen = dict(one.split(":")[:2] for one in WATCH["services"]["prometheus"]["volumes"])[volume]
    assert scrape["authorization"]["credentials_file"] == f"{seen}/{os.path.basename(written)}"
    assert f"-m 755 {os.path.dirname(written)}\n" in DOCKERFILE  # or the volume would be root's
    assert scrape["static_configs"][0]["targets"] == ["coalesced:8080"]
    assert all((DOCKER / "prometheus" / rules).exists() for rules in config["rule_files"])


@pytest.mark.skipif(not shutil.which("docker-compose"), reason="no docker-compose: apt-get install docker-compose")
@pytest.mark.parametrize("base", ["compose.yaml", "compose.cpu.yaml"])
def test_compose_understands_the_files(tmp_path, base):
    words = ["docker-compose", "--project-directory", str(DOCKER)]
    for name in (base, "compose.watch.yaml"):
        # Debian's version is too old to know a project's name in the file.
        (tmp_path / name).write_text(re.sub("(?m)^name: .*\n", "", (DOCKER / name).read_text()))
        words += ["-f", str(tmp_path / name)]
    done = subprocess.run([*words, "config"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert set(yaml.safe_load(done.stdout)["services"]) == {"coalesced", "prometheus", "grafana"}


# ---- the token that the container makes for Prometheus ----

@pytest.fixture
def container(tmp_path):
    """Runs the entrypoint; instead of serving, the service prints the token file that it was given."""
    (tmp_path / "coalesced").write_text(f'#!/bin/sh\n[ "$1" != token ] || exec "{BINARY}" "$@"\necho "${{COALESCED_TOKEN_FILE-none}}"\n')
    (tmp_path / "coalesced").chmod(0o755)
    data, scrape = tmp_path / "data", tmp_path / "scrape"
    data.mkdir(), scrape.mkdir()

    def run(**more):
        environment = {"PATH": f"{tmp_path}:/usr/bin:/bin", "COALESCED_DATA_DIR": str(data),
                       "COALESCED_SCRAPE_TOKEN": str(scrape / "token"), **more}
        done = subprocess.run(["sh", DOCKER / "entrypoint.sh"], env=environment, capture_output=True, text=True, timeout=30)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip(), scrape / "token", data / "tokens"

    return run


def test_prometheus_gets_a_token_of_its_own_once(container):
    guarded_by, token, tokens = container()
    secret = token.read_text()
    assert guarded_by == str(tokens) and token.stat().st_mode & 0o777 == 0o644
    assert [line.split()[:2] for line in tokens.read_text().splitlines() if not line.startswith("#")] == [["prometheus", "metrics"]]
    assert container()[1].read_text() == secret
    tokens.unlink()  # a new data volume beside an old one of the token
    container()
    assert token.read_text() != secret and "prometheus metrics" in tokens.read_text()


def test_where_nobody_needs_a_token_any_word_does_until_there_are_tokens(container):
    guarded_by, token, tokens = container(COALESCED_INSECURE="1")
    assert (guarded_by, token.read_text(), tokens.exists()) == ("none", "none\n", False)
    guarded_by, token, tokens = container()
    assert guarded_by == str(tokens) and token.read_text() != "none\n"


def test_a_token_file_of_somebody_elses_is_left_alone(container, tmp_path):
    own = tmp_path / "own"
    own.touch(mode=0o600)
    guarded_by, token, tokens = container(COALESCED_TOKEN_FILE=str(own))
    assert guarded_by == str(own) and not token.exists() and not tokens.exists() and own.read_text() == ""


# ---- Kubernetes ----

VARIANTS = {"gpu": MANIFEST, "cpu": re.sub("(?m)^.*# GPU$\n", "", MANIFEST)}


@pytest.fixture(params=VARIANTS)
def manifest(request):
    return {one["kind"]: one for one in yaml.safe_load_all(VARIANTS[request.param])}


def test_it_has_what_each_kind_must_have(manifest):
    assert {kind: one["apiVersion"] for kind, one in manifest.items()} == {
        "StatefulSet": "apps/v1", "Service": "v1", "NetworkPolicy": "networking.k8s.io/v1"}
    labels = {"app.kubernetes.io/name": "coalesced"}
    spec = manifest["StatefulSet"]["spec"]
    assert spec["selector"]["matchLabels"] == spec["template"]["metadata"]["labels"] == labels
    assert manifest["Service"]["spec"]["selector"] == manifest["NetworkPolicy"]["spec"]["podSelector"]["matchLabels"] == labels
    assert spec["serviceName"] == manifest["Service"]["metadata"]["name"] and spec["replicas"] == 1
    assert set(manifest["NetworkPolicy"]["spec"]["policyTypes"]) == {"Ingress", "Egress"}
    assert manifest["NetworkPolicy"]["spec"]["egress"] == [] and manifest["NetworkPolicy"]["spec"]["ingress"][0]["from"]


def pod(manifest):
    spec = manifest["StatefulSet"]["spec"]["template"]["spec"]
    (container,) = spec["containers"]
    return spec, container


def test_its_pod_may_do_no_more_than_it_must(manifest):
    spec, container = pod(manifest)
    assert spec["securityContext"]["runAsNonRoot"] and spec["securityContext"]["runAsUser"] == USER == spec["securityContext"]["fsGroup"]
    assert container["securityContext"] == {"allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True,
                                            "capabilities": {"drop": ["ALL"]}}
    assert spec["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"} and spec["automountServiceAccountToken"] is False


def test_its_pod_is_asked_how_it_is_and_keeps_its_data(manifest):
    spec, container = pod(manifest)
    (port,) = container["ports"]
    asked = {name: container[name]["httpGet"] for name in ("startupProbe", "livenessProbe", "readinessProbe")}
    assert {name: probe["path"] for name, probe in asked.items()} == {
        "startupProbe": "/livez", "livenessProbe": "/livez", "readinessProbe": "/readyz"}
    assert {probe["port"] for probe in asked.values()} == {port["name"]} == {manifest["Service"]["spec"]["ports"][0]["targetPort"]}
    mounts = {mount["name"]: mount for mount in container["volumeMounts"]}
    claims = [claim["metadata"]["name"] for claim in manifest["StatefulSet"]["spec"]["volumeClaimTemplates"]]
    assert mounts["data"]["mountPath"] == DATA and claims == ["data"]
    assert set(mounts) == {"data"} | {volume["name"] for volume in spec["volumes"]}
    secret = next(volume["secret"] for volume in spec["volumes"] if "secret" in volume)
    assert secret["defaultMode"] & 0o007 == 0  # a file that everybody can read is refused
    environment = {one["name"]: one["value"] for one in container["env"]}
    assert os.path.dirname(environment["COALESCED_TOKEN_FILE"]) == mounts["tokens"]["mountPath"] and mounts["tokens"]["readOnly"]


def test_only_the_variant_for_a_gpu_asks_for_one():
    wants = {name: json.dumps(list(yaml.safe_load_all(text))) for name, text in VARIANTS.items()}
    assert '"nvidia.com/gpu": 1' in wants["gpu"] and "cuda:0" in wants["gpu"]
    assert "nvidia" not in wants["cpu"] and "cuda" not in wants["cpu"]
