"""Of one subject so many commands are under way at a worker, whatever they come over; the others wait in their order."""

import asyncio
import os
import signal
from concurrent.futures import ThreadPoolExecutor

from kerbside.asker import Asker
from kerbside.member import member

#: A subject has 32 under way; the rest is what the hub asks by itself.
MOST = 64


def waiting(hub):
    return hub.metric("kerbside_redis_pending_commands")


async def test_a_burst_waits_for_answers_in_its_order_and_none_of_it_is_refused(new_hub):
    hub = new_hub(server__workers=1, redis__command_timeout_ms=10_000).start()
    operator, other = await member(hub, "operator"), await member(hub, "operator")
    pid, order = hub.redis_pid(), []
    os.kill(pid, signal.SIGSTOP)
    try:
        replies = []
        for number in range(5_000, 5_200):
            replies.append(operator.expect_reply(number, "vehicle.get"))
            replies[-1].add_done_callback(lambda _, number=number: order.append(number))
            await operator.send({"id": number, "cmd": "vehicle.get", "vehicle": f"nobody-{number}"})
        await hub.until("some are under way", lambda: waiting(hub) >= 32)
        # Somebody else is heard all the same.
        await other.refused("vehicle.get", "bad_message", "vehicle", vehicle="")
        assert waiting(hub) < MOST
    finally:
        os.kill(pid, signal.SIGCONT)
    await operator.wait(lambda: len(order) == 200 or None, "200 replies")
    assert {reply.result()["error"]["code"] for reply in replies} == {"not_found"}
    assert order == list(range(5_000, 5_200))


async def test_requests_wait_for_answers_to_their_sender_s_others(new_hub):
    hub = new_hub(server__workers=1, redis__command_timeout_ms=10_000).start()
    asker, pid, loop = Asker(hub, "operator", "desk"), hub.redis_pid(), asyncio.get_running_loop()
    before, count = hub.metric("kerbside_messages_received_total"), 140
    os.kill(pid, signal.SIGSTOP)
    try:
        with ThreadPoolExecutor(count) as pool:
            asked = []

            async def ask(until):
                for n in range(len(asked), until):
                    asked.append(loop.run_in_executor(pool, lambda n=n: asker.post("vehicle.get", vehicle=f"nobody-{n}")))
                await hub.until("all were read", lambda: hub.metric("kerbside_messages_received_total") >= before + until)
                assert 32 <= waiting(hub) < MOST

            await ask(100)
            # Who has no connection, and may have as much again as ever, is forgotten: but not while something waits for it.
            await asyncio.sleep(2.5)
            await ask(count)
            os.kill(pid, signal.SIGCONT)
            answers = await asyncio.gather(*asked)
    finally:
        os.kill(pid, signal.SIGCONT)
    assert [answer.status for answer in answers] == [404] * count


async def test_lists_of_all_kinds_are_read_one_at_a_time_whoever_asks(new_hub):
    hub = new_hub(server__workers=1, redis__command_timeout_ms=10_000).start()
    operators = [await member(hub, "operator") for _ in range(4)]
    wishes = ["office.audit", "drivers.list", "vehicles.list", "report.list", "sos.list"] * 4
    before, pid, replies = hub.metric("kerbside_messages_received_total"), hub.redis_pid(), []
    os.kill(pid, signal.SIGSTOP)
    try:
        for operator in operators:
            for number, wish in enumerate(wishes, 7_000):
                replies.append(operator.expect_reply(number, wish))
                await operator.send({"id": number, "cmd": wish})
        heard = before + len(replies)
        await hub.until("all were read", lambda: hub.metric("kerbside_messages_received_total") >= heard)
        # One of them, and what the hub asks by itself.
        assert waiting(hub) < 24
    finally:
        os.kill(pid, signal.SIGCONT)
    await operators[0].wait(lambda: all(reply.done() for reply in replies[: len(wishes)]) or None, "its lists")
    await hub.until("the others' lists", lambda: all(reply.done() for reply in replies))
    assert all("ok" in reply.result() for reply in replies)
