import ssl

import pytest

from sandbox.certificates import CA_FILE, CERTIFICATE_FILE, KEY_FILE, Authority
from sandbox.processes import HOST


@pytest.fixture
def folder(tmp_path):
    Authority.new("keda").issue(tmp_path / "made", "keda", "localhost", "a.b.svc")
    return tmp_path / "made"


def context(folder, side):
    made = ssl.SSLContext(side)
    made.load_verify_locations(folder / CA_FILE)
    made.load_cert_chain(folder / CERTIFICATE_FILE, folder / KEY_FILE)
    made.verify_mode = ssl.CERT_REQUIRED
    return made


def handshake(folder, name):
    """Let a client and a server of the same certificate meet, in memory."""
    near, far = ssl.MemoryBIO(), ssl.MemoryBIO()
    client = context(folder, ssl.PROTOCOL_TLS_CLIENT).wrap_bio(
        near, far, server_hostname=name
    )
    server = context(folder, ssl.PROTOCOL_TLS_SERVER).wrap_bio(
        far, near, server_side=True
    )
    open_sides = [client, server]
    while open_sides:
        for side in list(open_sides):
            try:
                side.do_handshake()
                open_sides.remove(side)
            except ssl.SSLWantReadError:
                continue
    return server


@pytest.mark.parametrize("name", ["localhost", "a.b.svc", HOST])
def test_a_server_is_believed_under_each_of_its_names_and_so_is_the_client(
    folder, name
):
    client = handshake(folder, name).getpeercert()

    assert ((("commonName", "keda"),),) == client["subject"]
    assert ((("commonName", "keda authority"),),) == client["issuer"]


def test_under_another_name_it_is_not(folder):
    with pytest.raises(ssl.SSLCertVerificationError):
        handshake(folder, "example.com")


def test_another_authority_is_not_believed(folder):
    (folder / CA_FILE).write_bytes(Authority.new("keda").pem)

    with pytest.raises(ssl.SSLCertVerificationError):
        handshake(folder, "localhost")


def test_only_the_owner_reads_the_key(folder):
    assert 0o600 == (folder / KEY_FILE).stat().st_mode & 0o777
