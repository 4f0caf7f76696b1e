"""The time of the hub's certificate ends while it runs."""

import os
import shutil
import signal
import time

from kerbside import patience
from kerbside.certificate import der, make_ending, served
from kerbside.hub import run

ENDS = "kerbside_tls_certificate_expires_timestamp_seconds"
SERVED = "served all the same: the TLS certificate has expired"
EXPIRED = '"message":"the TLS certificate has expired'


async def test_whose_certificate_ends_is_served_on_and_takes_keys_and_revocations(new_hub):
    hub = new_hub(blocks=2)
    # It is looked at when the hub has hardly begun, and the hub has to begin before it ends.
    certificate, key, end = make_ending(hub.directory, "server", round(12 * patience.SCALE))
    hub.write_config(server__tls__certificate=str(certificate), server__tls__key=str(key))
    hub.start()
    assert '"message":"the TLS certificate ends within a day' in hub.log
    await hub.until("its end in the metrics", lambda: hub.metric(ENDS) == 2 * end)
    await hub.until("its end in the log", lambda: EXPIRED in hub.log)
    assert run("check-config", hub.config).returncode != 0

    # Workers that die come back, and say it.
    started, said = hub.log.count('"listening"'), hub.log.count(SERVED)
    for pid in hub.workers():
        os.kill(pid, signal.SIGKILL)
    await hub.until("new workers", lambda: hub.log.count('"listening"') >= started + 2)
    await hub.until("they serve", hub.is_ready)
    assert hub.log.count(SERVED) == said + 2

    # A revocation is taken.
    office = hub.token("operator", "thief")
    ask = {"Authorization": f"Bearer {office}"}
    assert hub.http("/v1/stats/taxis", headers=ask).status == 200
    at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 60))
    (hub.directory / "revoked").write_text(f"operator thief {at}\n")
    hub.write_config(tokens__revoked_file=str(hub.directory / "revoked"))
    before = hub.log.count(EXPIRED)
    await hub.reload()
    assert hub.http("/v1/stats/taxis", headers=ask).status == 401
    assert hub.log.count(EXPIRED) == before + 1

    # Another one that has expired is not.
    old = der(certificate)
    other, other_key, _ = make_ending(hub.directory, "other", -60)
    shutil.copy(other, certificate)
    shutil.copy(other_key, key)
    await hub.reload(taken=False)
    assert served(hub)[1] == old
    good, good_key, later = make_ending(hub.directory, "good", 86_400 * 30)
    shutil.copy(good, certificate)
    shutil.copy(good_key, key)
    before = hub.log.count(EXPIRED)
    await hub.reload()
    assert all(served(hub)[1] == der(good) for _ in range(8))
    await hub.until("its end in the metrics", lambda: hub.metric(ENDS) == 2 * later)
    assert hub.log.count(EXPIRED) == before


def test_a_hub_does_not_begin_with_a_certificate_that_has_expired(new_hub):
    hub = new_hub(blocks=2)
    certificate, key, _ = make_ending(hub.directory, "server", -60)
    hub.write_config(server__tls__certificate=str(certificate), server__tls__key=str(key))
    for command in (["check-config", hub.config], ["serve", "--config", hub.config], ["doctor", "--config", hub.config]):
        result = run(*command)
        assert result.returncode != 0 and f"{certificate} has expired" in result.stdout + result.stderr
