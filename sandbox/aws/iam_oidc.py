"""IAM: OIDC providers."""

from botocore.exceptions import ClientError

from sandbox.aws import ec2, iam
from sandbox.aws.resource import Call, Resource, Values, code_of, given
from sandbox.errors import RefusedError


def _create_oidc(call: Call) -> str:
    return call.client("iam").create_open_id_connect_provider(
        Url=call.inputs["url"],
        ClientIDList=call.inputs["clientIdLists"],
        **given(ThumbprintList=call.inputs.get("thumbprintLists")),
        **iam.tags(call),
    )["OpenIDConnectProviderArn"]


def _read_oidc(call: Call) -> Values | None:
    found = call.client("iam").get_open_id_connect_provider(
        OpenIDConnectProviderArn=call.id
    )
    return {
        "arn": call.id,
        "clientIdLists": found["ClientIDList"],
        "thumbprintLists": found["ThumbprintList"],
        "url": call.inputs["url"],
        "tagsAll": ec2.tags_of(found),
    }


def _update_oidc(call: Call) -> None:
    client, inputs = call.client("iam"), call.inputs
    if "thumbprintLists" in call.changed:
        client.update_open_id_connect_provider_thumbprint(
            OpenIDConnectProviderArn=call.id,
            ThumbprintList=inputs.get("thumbprintLists", []),
        )
    if "clientIdLists" in call.changed:
        raise RefusedError(
            "the sandbox does not imitate a change of clientIdLists: moto cannot"
        )


def _delete_oidc(call: Call) -> None:
    client = call.client("iam")
    try:
        client.get_open_id_connect_provider(OpenIDConnectProviderArn=call.id)
    except ClientError as error:
        if code_of(error) == "NoSuchEntity":
            return
        raise
    client.delete_open_id_connect_provider(OpenIDConnectProviderArn=call.id)


OIDC_PROVIDER = Resource(
    token="aws:iam/openIdConnectProvider:OpenIdConnectProvider",
    create=_create_oidc,
    read=_read_oidc,
    update=_update_oidc,
    delete=_delete_oidc,
    inputs=frozenset({"clientIdLists", "tags", "thumbprintLists", "url"}),
    replace=frozenset({"url"}),
    computed=frozenset({"thumbprintLists"}),
    sets=frozenset({"clientIdLists"}),
    tagging=iam.tagging("open_id_connect_provider", "OpenIDConnectProviderArn"),
)

RESOURCES = (OIDC_PROVIDER,)
