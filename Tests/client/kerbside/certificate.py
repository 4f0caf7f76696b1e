"""Certificates for hubs with TLS, and what is shown of them."""

import datetime
import ipaddress
import socket
import ssl
import subprocess

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from . import patience


def make_certificate(directory, name, key_type="ec", addresses=()):
    """A self-signed pair for this machine and these addresses, made by openssl: (certificate, key)."""
    certificate, key = directory / f"{name}.pem", directory / f"{name}-key.pem"
    kind = {"ec": ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"], "rsa": ["-newkey", "rsa:2048"]}[key_type]
    names = ",".join(["DNS:localhost", *(f"IP:{address}" for address in ("127.0.0.1", *addresses))])
    subprocess.run(
        ["openssl", "req", "-x509", "-nodes", *kind, "-keyout", key, "-out", certificate, "-days", "2",
         "-subj", f"/CN={name}", "-addext", f"subjectAltName={names}"],
        check=True, capture_output=True,
    )  # fmt: skip
    return certificate, key


def make_ending(directory, name, seconds):
    """The same, good for so many seconds; less than 0: it has expired. (certificate, key, its end in Unix time)."""
    certificate, key = directory / f"{name}.pem", directory / f"{name}-key.pem"
    secret = ec.generate_private_key(ec.SECP256R1())
    end = datetime.datetime.now(datetime.UTC).replace(microsecond=0) + datetime.timedelta(seconds=seconds)
    subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
    names = [x509.DNSName("localhost"), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]
    made = (
        x509.CertificateBuilder(subject, subject, secret.public_key(), x509.random_serial_number())
        .not_valid_before(end - datetime.timedelta(days=60))
        .not_valid_after(end)
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .sign(secret, hashes.SHA256())
    )
    certificate.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    key.touch(0o600)
    key.write_bytes(
        secret.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    return certificate, key, int(end.timestamp())


def served(hub, **versions):
    """(protocol version, certificate in DER) of a fresh connection."""
    context = ssl._create_unverified_context()
    context.set_ciphers("DEFAULT@SECLEVEL=0")
    for name, value in versions.items():
        setattr(context, name, value)
    link = socket.create_connection(("127.0.0.1", hub.port), timeout=patience.MESSAGE)
    with link, context.wrap_socket(link) as secure:
        return secure.version(), secure.getpeercert(binary_form=True)


def der(path):
    return ssl.PEM_cert_to_DER_cert(path.read_text())
