"""The kubeconfig; that the AWS CLI answers is not proven."""

import json

from components.spec.kubeconfig import TokenSource, render_kubeconfig


def test_h072_the_kubeconfig_is_one_stable_text():
    text = render_kubeconfig("alpha", "https://a.example.com", "Y2E=", "eu-west-1")

    assert (
        '{"apiVersion": "v1", "kind": "Config", "clusters": [{"name": "alpha", '
        '"cluster": {"server": "https://a.example.com", '
        '"certificate-authority-data": "Y2E="}}], "users": [{"name": "alpha", "user": '
        '{"exec": {"apiVersion": "client.authentication.k8s.io/v1beta1", "command": '
        '"aws", "args": ["--region", "eu-west-1", "eks", "get-token", '
        '"--cluster-name", "alpha", "--output", "json"], "interactiveMode": '
        '"Never"}}}], "contexts": [{"name": "alpha", "context": {"cluster": "alpha", '
        '"user": "alpha"}}], "current-context": "alpha"}'
    ) == text


def test_profile_and_role_are_those_of_the_aws_provider():
    role = "arn:aws:iam::123456789012:role/deploy"
    token = TokenSource(profile="prod", role_arn=role)
    text = render_kubeconfig("alpha", "https://a", "Y2E=", "eu-west-1", token)
    user = json.loads(text)["users"][0]["user"]

    assert [
        *("--profile", "prod", "--region", "eu-west-1"),
        *("eks", "get-token", "--cluster-name", "alpha"),
        *("--role-arn", role),
        *("--output", "json"),
    ] == user["exec"]["args"]
