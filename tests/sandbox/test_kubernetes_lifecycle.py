"""
Names, changes, replacements and drift of objects in the Kubernetes stand-in.

What replaces an object is the provider's own table; what cannot be updated is the API
server's. Not proven: that both tables are complete.
"""

import stat

import pytest
import yaml
from pulumi.provider.experimental import provider as rpc
from pulumi.provider.experimental.property_value import PropertyValue
from pulumi.runtime.rpc import UNKNOWN

from sandbox.errors import RefusedError
from tests.sandbox.kubernetes_driver import Driver, kubeconfig, urn, wait

CONFIG_MAP = "kubernetes:core/v1:ConfigMap"
DEPLOYMENT = "kubernetes:apps/v1:Deployment"
SECRET = "kubernetes:core/v1:Secret"
PRIORITY = "kubernetes:scheduling.k8s.io/v1:PriorityClass"
POOL = "kubernetes:karpenter.sh/v1:NodePool"
STORAGE = "kubernetes:storage.k8s.io/v1:StorageClass"


@pytest.fixture
def driver(tmp_path):
    return Driver(tmp_path)


def config_map(name="settings", namespace="jobs", **fields):
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": name, "namespace": namespace},
        "data": {"a": "1"},
        **fields,
    }


def test_an_object_is_kept_as_a_file(driver):
    id_, state = driver.create(CONFIG_MAP, "settings", config_map(data={"a": "1\n2\n"}))

    assert ("jobs/settings", config_map(data={"a": "1\n2\n"})) == (id_, state)
    assert {
        "configmap-jobs-settings.yaml": (
            "# urn:pulumi:dev::project::kubernetes:core/v1:ConfigMap::settings\n"
            "# of https://a.example.com\n"
            "apiVersion: v1\n"
            "kind: ConfigMap\n"
            "metadata:\n"
            "  name: settings\n"
            "  namespace: jobs\n"
            "data:\n"
            "  a: |\n"
            "    1\n"
            "    2\n"
        )
    } == driver.files


def test_a_preview_writes_nothing(driver):
    id_, state = driver.create(CONFIG_MAP, "settings", config_map(), preview=True)

    assert (None, config_map(), {}) == (id_, state, driver.files)


def test_h060_a_missing_name_becomes_a_random_one(driver):
    inputs, problems = driver.check(PRIORITY, "balloon", {"value": -10})

    assert [] == problems
    assert {
        "apiVersion": "scheduling.k8s.io/v1",
        "kind": "PriorityClass",
        "metadata": {
            "annotations": {"pulumi.com/autonamed": "true"},
            "name": "balloon-42762835",
        },
        "value": -10,
    } == inputs


def test_a_random_name_is_kept_by_the_next_run(driver):
    old = {
        "metadata": {
            "name": "balloon-1234abcd",
            "annotations": {"pulumi.com/autonamed": "true"},
        }
    }
    inputs, _ = driver.check(PRIORITY, "balloon", {"value": -10}, old)

    assert "balloon-1234abcd" == inputs["metadata"]["name"]


def test_a_name_that_a_person_chose_is_not_kept_when_it_is_taken_away(driver):
    old = {"metadata": {"name": "balloon"}}
    inputs, _ = driver.check(PRIORITY, "balloon", {"value": -10}, old)

    assert "balloon-42762835" == inputs["metadata"]["name"]


@pytest.mark.parametrize(
    ("token", "given", "filled"),
    [
        (CONFIG_MAP, {}, "default"),
        (CONFIG_MAP, {"namespace": "jobs"}, "jobs"),
        (PRIORITY, {}, None),
        (POOL, {}, None),
    ],
)
def test_only_known_kinds_get_the_default_namespace(driver, token, given, filled):
    inputs, _ = driver.check(token, "a", {"metadata": {"name": "a", **given}})

    assert filled == inputs["metadata"].get("namespace")


def test_the_provider_may_name_another_default_namespace(tmp_path):
    driver = Driver(tmp_path, {"namespace": "team-a"})
    inputs, _ = driver.check(CONFIG_MAP, "a", {"metadata": {"name": "a"}})

    assert "team-a" == inputs["metadata"]["namespace"]


def test_nothing_changes_for_equal_inputs(driver):
    diff = driver.diff(CONFIG_MAP, config_map(), config_map())

    assert ({}, []) == (diff.changed, diff.replaces)


def test_changes_name_their_place(driver):
    old = {"metadata": {"name": "a", "labels": {"x": "1"}}, "spec": {"l": [1, 2]}}
    new = {
        "metadata": {"name": "a", "labels": {"a.b/c": "1"}},
        "spec": {"l": [1], "on": True},
    }

    assert {
        "metadata.labels.x": "DELETE",
        'metadata.labels["a.b/c"]': "ADD",
        "spec.l[1]": "DELETE",
        "spec.on": "ADD",
    } == driver.diff(POOL, old, new).changed


@pytest.mark.parametrize(
    ("token", "old", "new", "replaces"),
    [
        (
            "kubernetes:batch/v1:Job",
            {"spec": {"template": {"spec": {"containers": [{"image": "a"}]}}}},
            {"spec": {"template": {"spec": {"containers": [{"image": "b"}]}}}},
            ["spec.template.spec.containers[0].image"],
        ),
        (
            "kubernetes:batch/v1:Job",
            {"spec": {"ttlSecondsAfterFinished": 1}},
            {"spec": {"ttlSecondsAfterFinished": 2}},
            [],
        ),
        (
            "kubernetes:apps/v1:Deployment",
            {"spec": {"selector": {"matchLabels": {"a": "b"}}, "replicas": 1}},
            {"spec": {"selector": {"matchLabels": {"a": "c"}}, "replicas": 2}},
            ["spec.selector.matchLabels.a"],
        ),
        (STORAGE, {"provisioner": "a"}, {"provisioner": "b"}, ["provisioner"]),
        (STORAGE, {"reclaimPolicy": "Delete"}, {"reclaimPolicy": "Retain"}, []),
        (
            "kubernetes:core/v1:Service",
            {"spec": {"clusterIP": "10.0.0.1"}},
            {"spec": {"clusterIP": "None"}},
            ["spec.clusterIP"],
        ),
        (
            "kubernetes:core/v1:Service",
            {"spec": {"clusterIP": "None"}},
            {},
            ["spec"],
        ),
        (
            "kubernetes:rbac.authorization.k8s.io/v1:RoleBinding",
            {"roleRef": {"name": "a"}, "subjects": []},
            {"roleRef": {"name": "b"}, "subjects": [{"name": "x"}]},
            ["roleRef.name"],
        ),
        (PRIORITY, {"value": 1}, {"value": 2}, []),
        (CONFIG_MAP, {"data": {"a": "1"}}, {"data": {"a": "2"}}, ["data.a"]),
        (SECRET, {"type": "a"}, {"type": "b"}, ["type"]),
        (
            POOL,
            {"metadata": {"name": "a"}},
            {"metadata": {"name": "b"}},
            ["metadata.name"],
        ),
        (
            POOL,
            {"apiVersion": "karpenter.sh/v1beta1", "kind": "NodePool"},
            {"apiVersion": "karpenter.sh/v1", "kind": "NodePool"},
            [],
        ),
        (POOL, {"kind": "Provisioner"}, {"kind": "NodePool"}, ["kind"]),
    ],
)
def test_what_the_provider_replaces_is_replaced(driver, token, old, new, replaces):
    assert replaces == driver.diff(token, old, new).replaces


@pytest.mark.parametrize(
    ("arguments", "immutable", "replaces"),
    [
        ({}, None, ["data.a"]),
        ({"enableConfigMapMutable": "true"}, None, []),
        ({"enableConfigMapMutable": "true"}, True, ["data.a"]),
        ({"enableSecretMutable": "true"}, None, ["data.a"]),
    ],
)
def test_data_is_replaced_unless_it_may_be_updated(
    tmp_path, arguments, immutable, replaces
):
    marked = {} if immutable is None else {"immutable": immutable}
    old, new = config_map(**marked), config_map(data={"a": "2"}, **marked)

    assert replaces == Driver(tmp_path, arguments).diff(CONFIG_MAP, old, new).replaces


@pytest.mark.parametrize(
    ("old_name", "new_name", "annotations", "first"),
    [
        ("a", "a", {}, True),
        ("a", "b", {}, False),
        ("a", "a", {"pulumi.com/autonamed": "true"}, False),
    ],
)
def test_the_old_object_goes_first_when_its_name_is_needed(
    driver, old_name, new_name, annotations, first
):
    old = config_map(name=old_name)
    new = config_map(name=new_name, data={"a": "2"})
    new["metadata"]["annotations"] = annotations

    assert first == driver.diff(CONFIG_MAP, old, new).delete_first


def test_an_update_in_place_is_kept(driver):
    _, old = driver.create(POOL, "job", pool(cpu=100))
    state = driver.update(POOL, "job", old, pool(cpu=200))

    assert pool(cpu=200) == state
    assert pool(cpu=200) == yaml.safe_load(driver.files["nodepool-job.yaml"])


def pool(**limits):
    return {
        "apiVersion": "karpenter.sh/v1",
        "kind": "NodePool",
        "metadata": {"name": "job"},
        "spec": {"limits": limits},
    }


@pytest.mark.parametrize("preview", [True, False])
@pytest.mark.parametrize(
    ("token", "old", "new", "field"),
    [
        (PRIORITY, {"value": -10}, {"value": -20}, "value"),
        (PRIORITY, {}, {"preemptionPolicy": "Never"}, "preemptionPolicy"),
        (STORAGE, {}, {"reclaimPolicy": "Retain"}, "reclaimPolicy"),
        (
            STORAGE,
            {"volumeBindingMode": "Immediate"},
            {"volumeBindingMode": "WaitForFirstConsumer"},
            "volumeBindingMode",
        ),
        (CONFIG_MAP, {"immutable": True}, {"immutable": False}, "immutable"),
    ],
)
def test_what_the_api_server_never_updates_is_refused(
    driver, token, old, new, field, preview
):
    """The provider does not replace these: an update fails, also in a preview."""
    named = {"metadata": {"name": "a"}}
    kind = token.rpartition(":")[2]

    with pytest.raises(RefusedError) as caught:
        driver.update(token, "a", named | old, named | new, preview=preview)

    assert (
        f"{kind} a cannot be updated: {field} may not be changed. To replace the "
        f'object, set the resource options replace_on_changes=["{field}"] and '
        f"delete_before_replace=True"
    ) == str(caught.value)


@pytest.mark.parametrize(
    ("token", "old", "new"),
    [
        (PRIORITY, {}, {"preemptionPolicy": "PreemptLowerPriority"}),
        (PRIORITY, {"description": "a"}, {"description": "b"}),
        (STORAGE, {"reclaimPolicy": "Delete"}, {}),
        (CONFIG_MAP, {}, {"immutable": True}),
    ],
)
def test_a_default_that_is_written_out_is_no_change(driver, token, old, new):
    named = {"metadata": {"name": "a"}}

    assert named | new == driver.update(
        token, "a", named | old, named | new, preview=True
    )


def test_a_deleted_object_is_gone(driver):
    _, state = driver.create(CONFIG_MAP, "settings", config_map())
    driver.delete(CONFIG_MAP, "settings", state)
    driver.delete(CONFIG_MAP, "settings", state)

    assert {} == driver.files


def test_drift_shows_in_a_refresh(driver):
    id_, state = driver.create(CONFIG_MAP, "settings", config_map())
    path = driver.state / "kubernetes" / "dev" / "configmap-jobs-settings.yaml"
    path.write_text(path.read_text().replace("'1'", "'2'"))

    assert (id_, config_map(data={"a": "2"})) == driver.read(CONFIG_MAP, id_, state)

    path.unlink()

    assert (None, {}) == driver.read(CONFIG_MAP, id_, state)


def deployment(replicas=None, image="pause:1", **annotations):
    count = {} if replicas is None else {"replicas": replicas}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "b", "namespace": "b", "annotations": annotations},
        "spec": {**count, "template": {"spec": {"containers": [{"image": image}]}}},
    }


def scale(driver, replicas: int):
    """Do what an autoscaler does: write a number behind the program's back."""
    (path,) = (driver.state / "kubernetes" / "dev").iterdir()
    header, _, body = path.read_text().partition("apiVersion")
    manifest = yaml.safe_load(f"apiVersion{body}")
    manifest["spec"]["replicas"] = replicas
    path.write_text(header + yaml.safe_dump(manifest))


def kept(driver):
    (text,) = driver.files.values()
    return yaml.safe_load(text)["spec"]


def test_what_another_wrote_is_no_drift_and_outlives_an_update(driver):
    id_, old = driver.create(DEPLOYMENT, "b", deployment())
    scale(driver, 3)

    assert (id_, deployment()) == driver.read(DEPLOYMENT, id_, old)

    driver.update(DEPLOYMENT, "b", old, deployment(image="pause:2"))

    assert deployment(3, "pause:2")["spec"] == kept(driver)


def test_what_the_program_does_not_write_any_more_goes(driver):
    _, old = driver.create(DEPLOYMENT, "b", deployment(3, a="1"))
    driver.update(DEPLOYMENT, "b", old, deployment())

    assert deployment()["spec"] == kept(driver)


def test_what_the_program_writes_counts(driver):
    _, old = driver.create(DEPLOYMENT, "b", deployment())
    scale(driver, 5)
    driver.update(DEPLOYMENT, "b", old, deployment(3))

    assert 3 == kept(driver)["replicas"]


@pytest.mark.parametrize(
    ("token", "document", "id_"),
    [
        (CONFIG_MAP, config_map(), "jobs/settings"),
        (CONFIG_MAP, config_map(namespace="default"), "settings"),
        (POOL, pool(cpu=1), "job"),
    ],
)
def test_an_object_can_be_found_by_its_id(driver, token, document, id_):
    driver.create(token, "a", document)

    assert (id_, document) == driver.read(token, id_)


def test_a_name_in_use_is_refused(driver):
    driver.create(CONFIG_MAP, "settings", config_map())

    with pytest.raises(RefusedError) as caught:
        driver.create(CONFIG_MAP, "other", config_map())

    assert (
        "ConfigMap jobs/settings already exists, it belongs to "
        "urn:pulumi:dev::project::kubernetes:core/v1:ConfigMap::settings"
    ) == str(caught.value)


def test_an_object_of_a_killed_run_is_taken_over(driver):
    driver.create(CONFIG_MAP, "settings", config_map())
    driver.create(CONFIG_MAP, "settings", config_map(data={"a": "2"}))

    (text,) = driver.files.values()

    assert {"a": "2"} == yaml.safe_load(text)["data"]


def test_existing_objects_can_be_adopted(tmp_path):
    driver = Driver(tmp_path, {"upsertExistingObjects": "true"})
    driver.create(CONFIG_MAP, "settings", config_map())
    driver.create(CONFIG_MAP, "other", config_map())

    (text,) = driver.files.values()

    assert text.startswith(f"# {urn(CONFIG_MAP, 'other')}\n")


def test_names_that_would_share_a_file_do_not(driver):
    first, second = config_map("b-c", "a"), config_map("c", "a-b")
    driver.create(CONFIG_MAP, "first", first)
    driver.create(CONFIG_MAP, "second", second)

    assert [first, second] == [yaml.safe_load(t) for t in driver.files.values()][::-1]
    assert ("a/b-c", first) == driver.read(CONFIG_MAP, "a/b-c")
    assert ("a-b/c", second) == driver.read(CONFIG_MAP, "a-b/c")

    driver.delete(CONFIG_MAP, "first", first)
    driver.update(CONFIG_MAP, "second", second, second)

    assert [second] == [yaml.safe_load(text) for text in driver.files.values()]

    driver.delete(CONFIG_MAP, "second", second)

    assert {} == driver.files


def test_a_new_cluster_starts_empty(tmp_path):
    old = Driver(tmp_path)
    new = Driver(tmp_path, {"kubeconfig": kubeconfig("https://b.example.com")})
    id_, state = old.create(CONFIG_MAP, "settings", config_map())

    assert (None, {}) == new.read(CONFIG_MAP, id_, state)

    new.create(CONFIG_MAP, "settings", config_map(data={"a": "2"}))
    old.delete(CONFIG_MAP, "settings", state)

    assert (id_, config_map(data={"a": "2"})) == new.read(CONFIG_MAP, id_, state)
    assert ["configmap-jobs-settings.yaml"] == [*new.files]


def test_two_clusters_may_hold_objects_of_one_name(tmp_path):
    first = Driver(tmp_path)
    second = Driver(tmp_path, {"kubeconfig": kubeconfig("https://b.example.com")})
    id_, state = first.create(CONFIG_MAP, "first", config_map())
    second.create(CONFIG_MAP, "second", config_map(data={"a": "2"}))

    assert 2 == len(first.files)

    first.delete(CONFIG_MAP, "first", state)

    assert (id_, config_map(data={"a": "2"})) == second.read(CONFIG_MAP, id_, state)


def test_a_long_name_has_a_file(driver):
    document = config_map("n" * 253, "s" * 63)
    id_, _ = driver.create(CONFIG_MAP, "long", document)

    assert (id_, document) == driver.read(CONFIG_MAP, id_)


@pytest.mark.parametrize("text", ["a: [", "a: b", "", "apiVersion: v1\nkind: A\n"])
def test_a_broken_file_names_itself(driver, text):
    id_, state = driver.create(CONFIG_MAP, "settings", config_map())
    path = driver.state / "kubernetes" / "dev" / "configmap-jobs-settings.yaml"
    path.write_text(text)

    with pytest.raises(RefusedError) as caught:
        driver.read(CONFIG_MAP, id_, state)

    assert f"{path} is not an object of Kubernetes any more" == str(caught.value)


def secret_inputs():
    hidden = PropertyValue("hush", is_secret=True)
    return {
        "apiVersion": PropertyValue("v1"),
        "kind": PropertyValue("Secret"),
        "metadata": PropertyValue(
            {"name": PropertyValue("key"), "namespace": PropertyValue("default")}
        ),
        "stringData": PropertyValue({"k": hidden}),
    }


def test_secrets_stay_secret(driver):
    request = rpc.CheckRequest(urn(SECRET, "key"), {}, secret_inputs(), b"")
    checked = wait(driver.provider.check(request)).inputs
    created = wait(
        driver.provider.create(
            rpc.CreateRequest(urn(SECRET, "key"), secret_inputs(), 0, False)
        )
    )
    read = wait(
        driver.provider.read(
            rpc.ReadRequest(
                urn(SECRET, "key"),
                "default/key",
                created.properties,
                secret_inputs(),
            )
        )
    )

    assert secret_inputs() == checked
    assert created.properties["stringData"].is_secret
    assert read.properties["stringData"].is_secret
    assert secret_inputs() == read.inputs


def test_only_the_owner_can_read_the_files(driver):
    driver.create(SECRET, "key", {"apiVersion": "v1", "kind": "Secret"} | NAMED)
    (path,) = (driver.state / "kubernetes" / "dev").iterdir()

    assert 0o600 == stat.S_IMODE(path.stat().st_mode)


NAMED = {"metadata": {"name": "key", "namespace": "default"}}


def test_an_unknown_value_of_a_preview_calls_for_the_replacement(driver):
    old, new = config_map(), config_map(data={"a": UNKNOWN})

    assert ["data.a"] == driver.diff(CONFIG_MAP, old, new).replaces


def test_the_parent_of_a_resource_does_not_matter(driver):
    nested = "eks-jobs:index:Balloon$kubernetes:core/v1:ConfigMap"
    id_, _ = driver.create(nested, "settings", config_map())

    assert (id_, config_map()) == driver.read(nested, id_)


def test_the_state_folder_must_be_named(tmp_path):
    driver = Driver(tmp_path, environ={"EKS_JOBS_SANDBOX": ""})

    with pytest.raises(RefusedError, match="^EKS_JOBS_SANDBOX must name the state"):
        driver.create(CONFIG_MAP, "settings", config_map())
