"""What the office has revoked, and which invitations are used, where Redis has lost its newest writes."""

import asyncio
import json
import os
import time

import pytest

from kerbside.names import fresh
from test_invitations import accept, invite, mark_of
from test_office import City


def revoke(hub, role, subject):
    headers = {"Authorization": f"Bearer {hub.token('operator', fresh('O'))}", "Content-Type": "application/json"}
    body = json.dumps({"role": role, "subject": subject, "reason": "Stolen.", "revoke": True})
    answer = hub.http("/v1/commands/office.session_end", "POST", headers, body)
    assert answer.status == 200
    # What the journal is told besides is for it alone.
    assert "before" not in answer.text


def accept_again(hub, invitation, key):
    """The answer, when its worker knows what is used."""
    answers = []
    hub.wait_until("an answer", lambda: answers.append(accept(hub, invitation, key)[0]) or answers[-1] != 503)
    return answers[-1]


def test_what_was_revoked_or_used_stays_so_when_an_older_state_of_redis_is_put_back(new_hub):
    hub = new_hub(server__workers=2).start()
    thief, other = fresh("P"), fresh("P")
    early = int(time.time()) - 60
    headers = {name: {"Authorization": f"Bearer {hub.token('passenger', name, iat=early)}"} for name in (thief, other)}
    used, unused = (invite(hub, "driver", fresh("D")) for _ in range(2))
    assert hub.http("/v1/zones", headers=headers[thief]).status == 200
    [written] = (hub.data / "appendonlydir").glob("*.incr.aof")
    size = written.stat().st_size
    revoke(hub, "passenger", thief)
    assert accept(hub, used, "mine")[0] == 200
    hub.kill()
    os.truncate(written, size)
    hub.start()
    for _ in range(8):  # both workers, as likely as not
        answer = hub.http("/v1/zones", headers=headers[thief])
        assert answer.status == 401 and "revoked" in answer.text
        assert hub.http("/v1/zones", headers=headers[other]).status == 200
        assert accept_again(hub, used, "another") == 403
    # Who did not get the answer still gets it.
    assert accept_again(hub, used, "mine") == 200
    assert accept_again(hub, unused, "mine") == 200
    hub.wait_until("revoked in Redis", lambda: hub.redis.zscore(hub.key("revoked"), f"passenger {thief}") is not None)


async def test_what_a_redis_has_lost_comes_again_with_the_next_connection_and_ends_no_newer_session(new_hub):
    hub = new_hub(server__workers=1).start()
    rider = await City().rider(hub)
    used = invite(hub, "driver", fresh("D"))
    revoke(hub, "passenger", rider.subject)
    assert (await rider.wait_closed())[0] == 4401
    assert accept(hub, used)[0] == 200
    await asyncio.sleep(1.1)
    newer = type(rider)(hub, rider.subject, hub.token("passenger", rider.subject))
    await newer.connect()
    revoked, member, mark = hub.key("revoked"), f"passenger {rider.subject}", mark_of(hub, used)
    before, attempt = hub.redis.zscore(revoked, member), hub.redis.get(mark)
    assert before and attempt
    hub.redis.delete(revoked, mark)
    hub.redis.client_kill_filter(_type="normal")
    await hub.until("put back", lambda: (hub.redis.zscore(revoked, member), hub.redis.get(mark)) == (before, attempt))
    assert hub.redis.ttl(mark) > 89 * 86_400
    await newer.refused("ride.cancel", "not_found")
    # Twice the same is written once, and nothing is put back where nothing was lost.
    line = "revocations or used invitations that Redis had lost count again"
    await hub.until("said", lambda: hub.log.count(line) == 1)
    links = hub.log.count('"connected to Redis"')
    hub.redis.client_kill_filter(_type="normal")
    await hub.until("connected", lambda: hub.log.count('"connected to Redis"') > links)
    assert accept_again(hub, used, "another") == 403
    assert hub.log.count(line) == 1


def journal(hub, *acts):
    """Writes to the journal as a worker does that has done so much."""
    directory = hub.data / "revocations" / hub.city
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    with (directory / f"{int(time.time()) // 86_400}.jsonl").open("a") as file:
        file.writelines("\n" + json.dumps(act) + "\n" for act in acts)


@pytest.fixture
def counted(new_hub):
    """A hub of one worker, and what makes its worker connect anew: it answers the commands that came since, when it is done."""
    hub = new_hub(server__workers=1).start()
    invitation = invite(hub, "driver", fresh("D"))
    # Answered with what was used by then, at last: all was put back.
    accept_again(hub, invitation, "mine")

    def connect():
        redis = hub.redis
        redis.config_set("slowlog-max-len", 1_000_000)
        redis.slowlog_reset()
        redis.config_set("slowlog-log-slower-than", 0)
        links = hub.log.count('"connected to Redis"')
        redis.client_kill_filter(_type="normal")
        hub.wait_until("connected", lambda: hub.log.count('"connected to Redis"') > links)
        assert accept_again(hub, invitation, "mine") == 200
        redis.config_set("slowlog-log-slower-than", -1)
        entries = redis.slowlog_get(1_000_000)
        return [text.decode(errors="replace") if isinstance(text := entry["command"], bytes) else text for entry in entries]

    return hub, connect


def is_mark(hub, command):
    return command.startswith(f"SET {hub.key('invitation:lost-')}")


def test_thousands_come_again_by_pieces_and_cost_what_was_lost(counted):
    """Pieces are of one size, however many there are, and Redis is asked for 500 marks at once."""
    hub, connect = counted
    now = int(time.time())
    people = [fresh("P") for _ in range(1_020)]
    used = [f"lost-{n}" for n in range(1_201)]
    journal(hub, *({"role": "passenger", "subject": name, "before": now + n} for n, name in enumerate(people)))
    journal(hub, *({"invitation": name, "attempt": f"{now} k", "until": now + 86_400} for name in used))
    commands = connect()
    assert hub.redis.zcard(hub.key("revoked")) == len(people)
    assert hub.redis.zscore(hub.key("revoked"), f"passenger {people[7]}") == now + 7
    assert all(hub.redis.mget([hub.key(f"invitation:{name}") for name in used]))
    calls = [command for command in commands if command.startswith("FCALL office_revoke_again")]
    assert len(calls) == 21  # of 50
    # With the one that was accepted here.
    assert len([command for command in commands if command.startswith("MGET ")]) == 3  # of 500
    assert len([command for command in commands if is_mark(hub, command)]) == len(used)
    # Where nothing is lost nothing is put back, and what is lost costs by itself alone.
    hub.redis.delete(hub.key("invitation:lost-700"))
    hub.redis.zrem(hub.key("revoked"), f"passenger {people[500]}", f"passenger {people[1_000]}")
    commands = connect()
    assert len([command for command in commands if command.startswith("FCALL office_revoke_again")]) == 1
    assert len([command for command in commands if command.startswith("MGET ")]) == 3
    assert [command.split(" ")[1] for command in commands if is_mark(hub, command)] == [hub.key("invitation:lost-700")]
    assert hub.redis.zcard(hub.key("revoked")) == len(people)
