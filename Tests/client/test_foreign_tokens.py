"""Tokens that other issuers sign with keys of their own; the hub knows the public halves only."""

import asyncio
import json
import subprocess
import time

import pytest

from kerbside.driver import Driver
from kerbside.passenger import Passenger
from kerbside.tokens import encoded


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
    "EdDSA": ["-algorithm", "ED25519"],
}


class Issuer:
    """Somebody else's login: a key pair, and tokens by it."""

    def __init__(self, directory, algorithm="ES256", kid="theirs"):
        self.algorithm, self.kid = algorithm, kid
        self.private, self.public = directory / f"{kid}-private.pem", directory / f"{kid}.pem"
        self._run("genpkey", *KINDS[algorithm], "-out", self.private)
        self._run("pkey", "-in", self.private, "-pubout", "-out", self.public)
        self._text = directory / f"{kid}.text"

    @staticmethod
    def _run(*arguments):
        return subprocess.run(["openssl", *map(str, arguments)], check=True, capture_output=True).stdout

    def setting(self, **rules):
        return {"kid": self.kid, "file": str(self.public)} | rules

    def sign(self, hub, **claims):
        """None leaves a claim out."""
        now = int(time.time())
        all_claims = {"sub": "x1", "role": "passenger", "city": hub.city, "iat": now, "exp": now + 600} | claims
        kept = {key: value for key, value in all_claims.items() if value is not None}
        head = {"alg": self.algorithm, "typ": "JWT", "kid": self.kid}
        signed = ".".join(encoded(json.dumps(part).encode()) for part in (head, kept))
        self._text.write_text(signed)
        if self.algorithm == "EdDSA":
            signature = self._run("pkeyutl", "-sign", "-inkey", self.private, "-rawin", "-in", self._text)
        else:
            signature = self._run("dgst", "-sha256", "-sign", self.private, self._text)
        if self.algorithm == "ES256":
            signature = raw_signature(signature)
        token = signed + "." + encoded(signature)
        hub.given_tokens.add(token)
        return token


async def greeting(hub, token):
    """The hello reply to a token, ok or error, of a connection for just that."""
    client = Passenger(hub, "nobody", token=token)
    await client.open()
    try:
        return await client.ask("hello", token=token)
    finally:
        await client.close()


@pytest.mark.parametrize("algorithm", KINDS)
async def test_a_public_key_proves_tokens(new_hub, tmp_path, algorithm):
    issuer = Issuer(tmp_path, algorithm)
    hub = new_hub(blocks=2, tokens__public_keys=[issuer.setting(roles=["driver"])]).start()
    good = issuer.sign(hub, sub="T9", role="driver")
    driver = Driver(hub, "T9", token=good)
    await driver.connect()
    assert (await driver.call("driver.unavailable"))["state"] == "unavailable"

    # The same claims for another subject under the old signature.
    head, _, signature = good.split(".")
    claims = {"sub": "T10", "role": "driver", "city": hub.city, "exp": int(time.time()) + 600}
    forged = ".".join([head, encoded(json.dumps(claims).encode()), signature])
    hub.given_tokens.add(forged)
    thief = Driver(hub, "T10", token=forged)
    with pytest.raises(Exception, match="unauthenticated"):
        await thief.connect()


async def test_other_issuers_make_passengers_and_nobody_else_unless_allowed(new_hub, tmp_path):
    plain, trusted = Issuer(tmp_path, kid="plain"), Issuer(tmp_path, kid="trusted")
    settings = [plain.setting(), trusted.setting(roles=["operator", "driver"], prefix="t.")]
    hub = new_hub(blocks=2, tokens__public_keys=settings).start()
    roles = ("driver", "passenger", "bus_driver", "operator", "service")
    taken = {
        issuer.kid: [role for role in roles if "ok" in await greeting(hub, issuer.sign(hub, role=role))]
        for issuer in (plain, trusted)
    }
    assert taken == {"plain": ["passenger"], "trusted": ["driver", "operator"]}
    assert (await greeting(hub, trusted.sign(hub, role="operator")))["ok"]["subject"] == "t.x1"


async def test_an_issuer_can_not_name_the_people_of_another(new_hub, tmp_path):
    first, acme = Issuer(tmp_path, kid="first"), Issuer(tmp_path, kid="acme")
    hub = new_hub(blocks=2, tokens__public_keys=[first.setting(), acme.setting(prefix="acme.")]).start()
    assert (await greeting(hub, acme.sign(hub, sub="bob")))["ok"]["subject"] == "acme.bob"
    assert (await greeting(hub, first.sign(hub, sub="bob")))["ok"]["subject"] == "bob"
    thief = first.sign(hub, sub="acme.bob")
    refused = (await greeting(hub, thief))["error"]
    assert refused["code"] == "unauthenticated" and "prefix of another issuer" in refused["detail"]
    assert "prefix of another issuer" in hub.log and "acme.bob" not in hub.log and thief not in hub.log


async def test_a_login_of_others_is_understood_by_its_own_names(new_hub, tmp_path, cast):
    """As Keycloak and Auth0 write them: roles in an object, a kind under a URL, an audience, subjects with a bar."""
    issuer = Issuer(tmp_path, "RS256")
    rules = {
        "issuer": "https://login.example/",
        "audience": "kerbside",
        "roles": ["driver", "passenger"],
        "claims": {"role": "realm_access.roles", "kind": "https://kerbside.example/kind"},
        "values": {"cab": "driver", "rider": "passenger", "kombi": "minibus"},
    }
    hub = new_hub(blocks=2, tokens__public_keys=[issuer.setting(**rules)]).start()
    theirs = {
        "iss": "https://login.example/",
        "aud": ["account", "kerbside"],
        "city": None,
        "role": None,
        "sub": "auth0|64f0",
        "realm_access": {"roles": ["offline_access", "cab", "rider"]},
        "https://kerbside.example/kind": "kombi",
    }
    reply = (await greeting(hub, issuer.sign(hub, **theirs)))["ok"]
    assert (reply["role"], reply["subject"], reply["channels"][0]) == (
        "driver",
        "_xauth0_7C64f0",
        "driver:_xauth0_7C64f0",
    )
    rider = theirs | {"realm_access": {"roles": ["rider"]}, "sub": "ada@example.org"}
    reply = (await greeting(hub, issuer.sign(hub, **rider)))["ok"]
    assert (reply["role"], reply["subject"]) == ("passenger", "_xada_40example.org")
    # A person of that name has a life: it requests a ride.
    here = hub.block()
    [driver] = await cast.queue(hub, here.a.stand, 1)
    passenger = Passenger(hub, "_xada_40example.org", token=issuer.sign(hub, **rider))
    await passenger.connect()
    await driver.accept(await passenger.request(here.a.centre))

    for wrong in (
        {"iss": "https://other.example/"},
        {"iss": None},
        {"aud": "account"},
        {"aud": None},
        {"realm_access": {"roles": ["operator", "driver"]}},
        {"realm_access": "cab"},
        {"sub": ""},
        {"sub": None},
        {"city": "elsewhere"},
    ):
        reply = await greeting(hub, issuer.sign(hub, **(theirs | wrong)))
        assert reply["error"]["code"] in ("unauthenticated", "forbidden"), wrong


async def test_a_token_may_not_live_for_years(new_hub, tmp_path):
    issuer = Issuer(tmp_path)
    hub = new_hub(blocks=2, tokens__max_life_s=3600, tokens__public_keys=[issuer.setting()]).start()
    now = int(time.time())
    assert "ok" in await greeting(hub, issuer.sign(hub, iat=now, exp=now + 3600))
    for claims in ({"iat": now, "exp": now + 3601}, {"iat": None, "exp": now + 7200}):
        for token in (issuer.sign(hub, **claims), hub.token("passenger", "p1", **claims)):
            assert "max_life" in (await greeting(hub, token))["error"]["detail"]


async def test_who_came_with_a_key_that_is_taken_out_is_sent_away(new_hub, tmp_path, cast):
    issuer = Issuer(tmp_path)
    hub = new_hub(blocks=2, tokens__public_keys=[issuer.setting(roles=["driver", "passenger"])]).start()
    own = await cast.rider(hub)
    driver = Driver(hub, "T9", token=issuer.sign(hub, sub="T9", role="driver"))
    passenger = Passenger(hub, "p9", token=issuer.sign(hub, sub="p9"))
    for client in (driver, passenger):
        await client.connect()
    hub.write_config(tokens__public_keys=[issuer.setting()])
    await hub.reload()
    assert (await driver.wait_closed())[0] == 4401, "its role is not allowed any more"
    await passenger.barrier()
    hub.write_config(tokens__public_keys=[])
    await hub.reload()
    assert (await passenger.wait_closed())[0] == 4401
    await own.barrier()


async def test_no_token_outlives_its_revocation_by_a_clock_that_is_ahead(new_hub, tmp_path, cast):
    """Its `iat` was later than the second in which the office revoked it, and it counted again at once."""
    issuer = Issuer(tmp_path)
    hub = new_hub(blocks=2, tokens__leeway_s=60, tokens__public_keys=[issuer.setting()]).start()
    office = await cast.operator(hub)
    thief = Passenger(hub, "x1", token=issuer.sign(hub, iat=int(time.time()) + 50))
    await thief.connect()
    await office.call("office.session_end", role="passenger", subject="x1", reason="The phone was stolen.", revoke=True)
    assert (await thief.wait_closed())[0] == 4401
    refused = (await greeting(hub, thief.token))["error"]
    assert refused["code"] == "unauthenticated" and "revoked" in refused["detail"]
    # New ones count: the hub's own in the next second, theirs by a clock that is ahead by all of the leeway, too.
    second = int(time.time()) + 1
    while time.time() < second:
        await asyncio.sleep(0.05)
    assert "ok" in await greeting(hub, hub.token("passenger", "x1"))
    assert "ok" in await greeting(hub, issuer.sign(hub, iat=int(time.time()) + 60))


async def test_a_leeway_that_is_lowered_lets_no_revoked_token_count_again(new_hub, tmp_path, cast):
    """What was revoked was reckoned by the leeway of the settings of now."""
    issuer = Issuer(tmp_path)
    hub = new_hub(server__workers=2, tokens__leeway_s=4, tokens__public_keys=[issuer.setting()]).start()
    office = await cast.operator(hub)
    issued = int(time.time()) + 3
    stolen = issuer.sign(hub, iat=issued)
    await office.call("office.session_end", role="passenger", subject="x1", reason="The phone was stolen.", revoke=True)
    hub.write_config(tokens__leeway_s=0)
    await hub.reload()
    while time.time() < issued + 1:
        await asyncio.sleep(0.05)

    async def is_refused():
        refused = (await greeting(hub, stolen))["error"]
        assert refused["code"] == "unauthenticated" and "revoked" in refused["detail"]

    await is_refused()
    # One that comes reads it from the store.
    await hub.kill_workers(*hub.workers())
    await hub.until("ready", lambda: hub.http("/readyz").status == 200)
    await is_refused()
    # A new one counts when the leeway that there was is over.
    while time.time() < issued + 4:
        await asyncio.sleep(0.05)
    assert "ok" in await greeting(hub, issuer.sign(hub, iat=int(time.time())))
