"""Certificates for hubs with TLS, and what is shown of them."""

import socket
import ssl
import subprocess

from . import patience


def make_certificate(directory, name, key_type="ec", addresses=()):
    """A self-signed pair for this machine and these addresses, made by openssl: (certificate, key)."""
    certificate, key = directory / f"{name}.pem", directory / f"{name}-key.pem"
    kind = {"ec": ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"], "rsa": ["-newkey", "rsa:2048"]}[
        key_type
    ]
    names = ",".join(["DNS:localhost", *(f"IP:{address}" for address in ("127.0.0.1", *addresses))])
    subprocess.run(
        ["openssl", "req", "-x509", "-nodes", *kind, "-keyout", key, "-out", certificate, "-days", "2",
         "-subj", f"/CN={name}", "-addext", f"subjectAltName={names}"],
        check=True, capture_output=True,
    )  # fmt: skip
    return certificate, key


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
