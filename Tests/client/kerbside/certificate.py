"""Certificates for hubs with TLS."""

import subprocess


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
