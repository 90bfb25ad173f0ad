"""Certificates of programs on this machine, signed by an authority of their own."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import Self

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from sandbox.processes import HOST

__all__ = ["CA_FILE", "CERTIFICATE_FILE", "KEY_FILE", "Authority"]

CA_FILE = "ca.crt"
CERTIFICATE_FILE = "tls.crt"
KEY_FILE = "tls.key"
"""Names of the files, as in a Secret of Kubernetes."""

_DAYS = 7
_ROLES = (ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH)


@dataclass(frozen=True, slots=True)
class Authority:
    """
    Signs certificates; its key is never written to disk.

    Args:
        key: Its key.
        certificate: Its own certificate.
    """

    key: ec.EllipticCurvePrivateKey
    certificate: x509.Certificate

    @classmethod
    def new(cls, name: str) -> Self:
        """Return a new one, whose name differs from those that it signs for."""
        key = ec.generate_private_key(ec.SECP256R1())
        constraints = x509.BasicConstraints(ca=True, path_length=0)
        own = _name(f"{name} authority")
        builder = _builder(own, own, key)
        builder = builder.add_extension(constraints, critical=True)
        return cls(key, builder.sign(key, hashes.SHA256()))

    @property
    def pem(self) -> bytes:
        """Return its certificate as PEM."""
        return self.certificate.public_bytes(serialization.Encoding.PEM)

    def issue(self, folder: Path, name: str, *hosts: str) -> None:
        """
        Write a certificate for server and client, its key, and who signed it.

        Args:
            folder: Where; it is made if it is missing.
            name: Common name, which a client is known by.
            hosts: Names of the server, beside the address of this machine.
        """
        key = ec.generate_private_key(ec.SECP256R1())
        names = [x509.DNSName(host) for host in hosts]
        alternatives = [*names, x509.IPAddress(ip_address(HOST))]
        builder = (
            _builder(_name(name), self.certificate.subject, key)
            .add_extension(x509.SubjectAlternativeName(alternatives), critical=False)
            .add_extension(x509.ExtendedKeyUsage(_ROLES), critical=False)
        )
        signed = builder.sign(self.key, hashes.SHA256())
        private = key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
        folder.mkdir(parents=True, exist_ok=True)
        (folder / CA_FILE).write_bytes(self.pem)
        public = signed.public_bytes(serialization.Encoding.PEM)
        (folder / CERTIFICATE_FILE).write_bytes(public)
        (folder / KEY_FILE).touch(mode=0o600)
        (folder / KEY_FILE).write_bytes(private)


def _name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


def _builder(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePrivateKey
) -> x509.CertificateBuilder:
    now = datetime.now(UTC)
    return x509.CertificateBuilder(
        subject_name=subject,
        issuer_name=issuer,
        public_key=key.public_key(),
        serial_number=x509.random_serial_number(),
        not_valid_before=now - timedelta(minutes=5),
        not_valid_after=now + timedelta(days=_DAYS),
    )
