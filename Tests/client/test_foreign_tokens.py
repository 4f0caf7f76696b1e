"""Tokens that another issuer signs with a key of its own; the hub knows the public half only."""

import base64
import json
import subprocess
import time

import pytest

from kerbside.driver import Driver


def b64(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def raw_signature(der):
    """r ‖ s of 32 bytes each, out of the two DER integers that openssl writes."""
    parts, at = [], 2
    for _ in range(2):
        length = der[at + 1]
        parts.append(int.from_bytes(der[at + 2 : at + 2 + length], "big").to_bytes(32, "big"))
        at += 2 + length
    return b"".join(parts)


KINDS = {
    "RS256": ["-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048"],
    "ES256": ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"],
}


def sign(directory, algorithm, claims, kid):
    header = {"alg": algorithm, "typ": "JWT", "kid": kid}
    signed = ".".join(b64(json.dumps(part).encode()) for part in (header, claims))
    der = subprocess.run(
        ["openssl", "dgst", "-sha256", "-sign", str(directory / "private.pem")],
        input=signed.encode(),
        capture_output=True,
        check=True,
    ).stdout
    return signed + "." + b64(raw_signature(der) if algorithm == "ES256" else der)


@pytest.mark.parametrize("algorithm", KINDS)
async def test_a_public_key_proves_tokens(new_hub, tmp_path, algorithm):
    private, public = tmp_path / "private.pem", tmp_path / "public.pem"
    subprocess.run(["openssl", "genpkey", *KINDS[algorithm], "-out", private], check=True, capture_output=True)
    subprocess.run(["openssl", "pkey", "-in", private, "-pubout", "-out", public], check=True, capture_output=True)
    hub = new_hub(tokens__public_keys=[{"kid": "theirs", "file": str(public)}]).start()
    claims = {"sub": "T9", "role": "driver", "city": hub.city, "exp": int(time.time()) + 600}
    good = sign(tmp_path, algorithm, claims, "theirs")
    hub.given_tokens.add(good)
    driver = Driver(hub, "T9", token=good)
    await driver.connect()
    assert (await driver.call("driver.unavailable"))["state"] == "unavailable"

    # The same claims for another subject under the old signature.
    head, _, signature = good.split(".")
    forged = ".".join([head, b64(json.dumps(claims | {"sub": "T10"}).encode()), signature])
    hub.given_tokens.add(forged)
    thief = Driver(hub, "T10", token=forged)
    with pytest.raises(Exception, match="unauthenticated"):
        await thief.connect()
