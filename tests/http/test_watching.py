"""What watches the service: a real Prometheus scrapes it, and the board and the alerts ask for what is there."""
import json
import pathlib
import re
import socket
import subprocess
import time

import pytest
import requests
import yaml
from conftest import PROMETHEUS, PROMTOOL, SMALL, Service

pytestmark = pytest.mark.slow

ROOT = pathlib.Path(__file__).parents[2]
BOARD = json.loads((ROOT / "docker/grafana/coalesced.json").read_text())
RULES = ROOT / "docker/prometheus/alerts.yaml"

needs_prometheus = pytest.mark.skipif(not (PROMETHEUS and PROMTOOL), reason="no prometheus: ./test fetches it, or apt-get install prometheus")


def rules():
    return [rule for group in yaml.safe_load(RULES.read_text())["groups"] for rule in group["rules"]]


def expressions():
    """Of the board, with its variables as Grafana fills them in, and of the alerts."""
    for panel in BOARD["panels"]:
        for target in panel["targets"]:
            yield (panel["title"], target["expr"].replace("$__rate_interval", "1m").replace("$instance", ".+")
                   .replace("$device", ".+"))
    for variable in BOARD["templating"]["list"]:
        if variable["type"] == "query":
            yield variable["name"], re.match(r"label_values\((.*), \w+\)$", variable["definition"]).group(1).replace("$instance", ".+")
    for rule in rules():
        yield rule["alert"], rule["expr"]


class Prometheus:
    def __init__(self, directory, target):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        config = yaml.safe_load((ROOT / "docker/prometheus/prometheus.yaml").read_text())
        config["global"] = {"scrape_interval": "1s", "evaluation_interval": "1s"}
        config["rule_files"] = [str(RULES)]
        config["scrape_configs"][0]["static_configs"][0]["targets"] = [target]
        token = directory / "token"
        token.write_text("none\n")  # as docker/entrypoint.sh writes it where there are no tokens
        config["scrape_configs"][0]["authorization"]["credentials_file"] = str(token)
        file = directory / "prometheus.yaml"
        file.write_text(yaml.safe_dump(config))
        self.url = f"http://127.0.0.1:{port}"
        self.log = directory / "prometheus.log"
        self.process = subprocess.Popen(
            [PROMETHEUS, f"--config.file={file}", f"--storage.tsdb.path={directory / 'tsdb'}",
             f"--web.listen-address=127.0.0.1:{port}"], stdout=subprocess.DEVNULL, stderr=self.log.open("wb"))

    def ask(self, path, **parameters):
        return requests.get(f"{self.url}/api/v1/{path}", params=parameters, timeout=20)

    def query(self, expression):
        """The value of each series, by its labels but the scrape's own."""
        answer = self.ask("query", query=expression).json()
        assert answer["status"] == "success", (expression, answer)
        return {tuple(sorted((k, v) for k, v in one["metric"].items() if k not in ("job", "instance", "__name__"))):
                float(one["value"][1]) for one in answer["data"]["result"]}

    def until(self, what, seconds=30):
        limit = time.monotonic() + seconds
        while True:
            try:
                if what():
                    return
            except requests.ConnectionError:
                pass  # it has not begun to listen
            assert self.process.poll() is None and time.monotonic() < limit, self.log.read_text()[-4000:]
            time.sleep(0.1)

    def stop(self):
        self.process.terminate()
        try:
            self.process.wait(timeout=10)
        finally:
            self.process.kill()


@pytest.fixture(scope="module")
def watched(tmp_path_factory):
    """A service, and the Prometheus that scrapes it each second."""
    directory = tmp_path_factory.mktemp("watched")
    service = Service(directory)
    service.run({**SMALL, "labels": {"fake": "unstable:throttled"}})
    prometheus = Prometheus(directory, f"127.0.0.1:{service.port}")
    try:
        prometheus.until(lambda: requests.get(f"{prometheus.url}/-/ready", timeout=20).ok)  # before that it answers in words
        prometheus.until(lambda: prometheus.query('up{job="coalesced"}') == {(): 1})
        yield service, prometheus
    finally:
        prometheus.stop()
        service.stop()


@needs_prometheus
def test_prometheus_sees_what_was_submitted(watched):
    service, prometheus = watched
    expected = {"coalesced_experiments_submitted_total": {(("device", "0"),): 4},
                "coalesced_experiments_ended_total > 0": {(("device", "0"), ("outcome", "crashed")): 1,
                                                         (("device", "0"), ("outcome", "succeeded")): 3},
                "coalesced_experiment_wait_seconds_count": {(("device", "0"),): 4},
                "coalesced_results_unstable_total > 0": {(("device", "0"), ("reason", "throttled")): 1},
                "coalesced_device_sm_clock_hertz": {(("device", "0"),): 1755e6},
                "coalesced_ready": {(): 1}}
    for _ in range(2):
        service.works()
    service.run({**SMALL, "labels": {"fake": "crash"}})
    prometheus.until(lambda: prometheus.query("coalesced_experiments_submitted_total") == {(("device", "0"),): 4})
    prometheus.until(lambda: prometheus.query("coalesced_ready") == {(): 1})  # the crashed executor has a successor
    for expression, values in expected.items():
        assert prometheus.query(expression) == values, expression
    (wait,) = prometheus.query("histogram_quantile(0.95, sum by (le) (coalesced_experiment_wait_seconds_bucket))").values()
    assert 0 < wait < 60
    targets = prometheus.ask("targets").json()["data"]["activeTargets"]
    assert [target["lastError"] for target in targets] == [""]


@needs_prometheus
def test_prometheus_takes_every_expression_of_the_board_and_of_the_alerts(watched):
    _, prometheus = watched
    found = list(expressions())
    assert len(found) > 40
    for title, expression in found:
        answer = prometheus.ask("query", query=expression)
        assert answer.json()["status"] == "success", (title, expression, answer.text)
    assert prometheus.ask("query", query="sum by (").json()["status"] == "error"  # it would have said so
    groups = prometheus.ask("rules").json()["data"]["groups"]
    loaded = [rule for group in groups for rule in group["rules"]]
    assert {rule["name"] for rule in loaded} == {rule["alert"] for rule in rules()}
    assert all(rule["health"] in ("ok", "unknown") for rule in loaded), loaded


def test_every_name_in_the_board_and_in_the_alerts_is_one_that_the_service_tells(watched_text):
    families = set(re.findall(r"^# TYPE (\S+) ", watched_text, re.M))
    histograms = set(re.findall(r"^# TYPE (\S+) histogram$", watched_text, re.M))
    told = families | {name + end for name in histograms for end in ("_bucket", "_sum", "_count")}
    for title, expression in expressions():
        bare = re.sub(r'"[^"]*"', "", expression)
        names = re.findall(r"\b(?:coalesced|process)_\w+", bare)
        assert names or bare.startswith("up{"), (title, expression)
        assert set(names) <= told, (title, set(names) - told)


@pytest.fixture
def watched_text(service):
    service.works()
    return service.get("/metrics").text


def test_every_label_in_the_board_and_in_the_alerts_is_one_of_its_metric(watched_text):
    labels = {}
    for name, found in re.findall(r"^(\w+)\{(.*)\} ", watched_text, re.M):
        labels.setdefault(name, set()).update(re.findall(r"(\w+)=", found))
    for title, expression in expressions():
        for name, matchers in re.findall(r"\b((?:coalesced|process)_\w+)\{([^}]*)\}", expression):
            asked = set(re.findall(r"(\w+)\s*(?:=~|!~|!=|=)", re.sub(r'"[^"]*"', "", matchers))) - {"instance", "job"}
            assert asked <= labels.get(name, set()) or name not in labels, (title, name, asked)


def test_the_reasons_and_codes_that_alerts_name_exist(watched_text):
    for rule in rules():
        for name, label, values in re.findall(r'(coalesced_executor_restarts_total)\{(reason)=~"([^"]+)"', rule["expr"]):
            for value in values.split("|"):
                assert f'{label}="{value}"' in watched_text, (rule["alert"], value)
    source = (ROOT / "kernels/live.c").read_text()
    for value in re.search(r'throttle_reason\{reason=~"([^"]+)"', RULES.read_text()).group(1).split("|"):
        assert f'"{value}"' in source


@needs_prometheus
@pytest.mark.parametrize("what", [("check", "rules", "docker/prometheus/alerts.yaml"),
                                  ("check", "config", "--syntax-only", "docker/prometheus/prometheus.yaml"),
                                  ("test", "rules", "tests/watching/alerts_test.yaml")])
def test_promtool_is_content(what):
    checked = subprocess.run([PROMTOOL, *what], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_every_alert_has_a_case_in_which_it_fires():
    cases = (ROOT / "tests/watching/alerts_test.yaml").read_text()
    for rule in rules():
        assert rule["alert"] in cases, rule["alert"]
        assert rule["labels"]["severity"] in ("page", "ticket") and rule["annotations"]["summary"]


def test_the_board_is_whole():
    kinds = {variable["name"]: variable["type"] for variable in BOARD["templating"]["list"]}
    assert kinds["datasource"] == "datasource"
    identities = [panel["id"] for panel in BOARD["panels"]]
    assert len(set(identities)) == len(identities)
    taken = set()
    for panel in BOARD["panels"]:
        place = panel["gridPos"]
        cells = {(x, y) for x in range(place["x"], place["x"] + place["w"]) for y in range(place["y"], place["y"] + place["h"])}
        assert not cells & taken and place["x"] + place["w"] <= 24, panel["title"]
        taken |= cells
        assert panel["datasource"]["uid"] == "${datasource}" and panel["targets"]
