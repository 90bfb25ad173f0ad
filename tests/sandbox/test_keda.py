"""
KEDA, played by small scripts.

Not proven here: that the real programs take these arguments; tests/cluster does that.
"""

import base64
import json
import sys

import pytest
import yaml

from sandbox import keda as module
from sandbox.keda import keda, keda_crds

# Answers on the port of the operator, or over TLS on that of the server of metrics.
SERVER = """\
#!{python}
import http.server, json, os, ssl, sys
flags = dict(one.lstrip("-").split("=", 1) for one in sys.argv[1:])
given = {{"flags": flags, "environ": dict(os.environ)}}
open(os.path.basename(sys.argv[0]) + ".json", "w").write(json.dumps(given))
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
port = flags.get("secure-port") or flags["health-probe-bind-address"].split(":")[1]
server = http.server.HTTPServer(("127.0.0.1", int(port)), Handler)
if "secure-port" in flags:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(flags["tls-cert-file"], flags["tls-private-key-file"])
    server.socket = context.wrap_socket(server.socket, server_side=True)
server.serve_forever()
"""


class Api:
    """Keeps what is created; what it keeps is available at once."""

    def __init__(self):
        self.created = {}

    def create(self, manifest):
        self.created[manifest["kind"]] = manifest

    def get(self, manifest):
        conditions = [{"type": "Available", "status": "True"}]
        return {**self.created[manifest["kind"]], "status": {"conditions": conditions}}


@pytest.fixture
def ran(tmp_path, monkeypatch):
    """Run both programs, and return what they and the API server were given."""
    api = Api()
    monkeypatch.setattr(module, "ClusterApi", lambda _: api)
    monkeypatch.setenv("AWS_PROFILE", "prod")
    programs, state = {}, tmp_path / "state"
    state.mkdir()
    for name in ("keda-operator", "keda-adapter"):
        programs[name] = tmp_path / name
        programs[name].write_text(SERVER.format(python=sys.executable))
        programs[name].chmod(0o755)
    kubeconfig = tmp_path / "kubeconfig"
    with keda(programs, tmp_path / "zones", kubeconfig, state):
        given = {
            name: json.loads((state / f"{name}.json").read_text()) for name in programs
        }
    return given, api.created, kubeconfig


def test_both_get_the_kubeconfig_the_zones_and_nothing_of_the_users(ran, tmp_path):
    given, _, kubeconfig = ran

    for one in given.values():
        assert "AWS_PROFILE" not in one["environ"]
        assert (str(kubeconfig), str(tmp_path / "zones"), "") == tuple(
            one["environ"][name]
            for name in ("KUBECONFIG", "ZONEINFO", "WATCH_NAMESPACE")
        )


def test_the_server_of_metrics_asks_the_operator(ran):
    given, _, _ = ran
    served = given["keda-operator"]["flags"]["metrics-service-bind-address"]
    asked = given["keda-adapter"]["flags"]["metrics-service-address"]

    assert "localhost" == asked.partition(":")[0]
    assert served.partition(":")[2] == asked.partition(":")[2]


def test_the_api_server_is_told_where_it_is_and_whom_to_believe(ran):
    given, created, _ = ran
    flags = given["keda-adapter"]["flags"]
    spec = created["APIService"]["spec"]
    with open(flags["client-ca-file"], "rb") as file:
        authority = file.read()

    assert ["Namespace", "Service", "APIService"] == list(created)
    assert (
        "v1beta1.external.metrics.k8s.io" == created["APIService"]["metadata"]["name"]
    )
    assert int(flags["secure-port"]) == spec["service"]["port"]
    assert authority == base64.b64decode(spec["caBundle"])
    assert "localhost" == created["Service"]["spec"]["externalName"]
    assert created["Service"]["metadata"].items() <= spec["service"].items()
    assert spec["service"]["namespace"] == created["Namespace"]["metadata"]["name"]


def test_every_definition_of_its_module_is_read(tmp_path):
    folder = tmp_path / "config" / "crd" / "bases"
    folder.mkdir(parents=True)
    for name in ("b", "a"):
        (folder / f"{name}.yaml").write_text(yaml.safe_dump({"name": name}))

    assert [{"name": "a"}, {"name": "b"}] == keda_crds(tmp_path)
