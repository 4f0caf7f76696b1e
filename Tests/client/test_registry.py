"""Who is who: records of drivers and vehicles, papers that end, and what passengers are shown (Q9, M18)."""

import asyncio
import json
import os
import re
import signal

import pytest

from conftest import Cast
from kerbside import patience
from kerbside.asker import Asker
from kerbside.bus import BinaryBusDriver, BusDriver
from kerbside.driver import Driver
from kerbside.hub import run
from kerbside.minibus import trip
from kerbside.names import fresh
from kerbside.passenger import Passenger
from kerbside.protobuf import Binary
from kerbside.records_of_fleets import CAR, PHOTO, day, facts, vehicle
from kerbside.somebody import BinarySomebody, Somebody
from kerbside.stops import serve
from kerbside.watcher import BinaryWatcher, Watcher
from test_reservations import HOUR, come, now

pytestmark = pytest.mark.usefixtures("one_hour")

DAY = 24 * HOUR
COMMANDS = {
    "drivers.set": {"driver": "T1", "name": "Ada"},
    "drivers.get": {"driver": "T1"},
    "drivers.list": {},
    "drivers.remove": {"driver": "T1"},
    "vehicles.set": {"vehicle": "V1", "plate": "AB 1"},
    "vehicles.get": {"vehicle": "V1"},
    "vehicles.list": {},
    "vehicles.remove": {"vehicle": "V1"},
}


class BinaryDriver(Binary, Driver):
    pass


class BinaryPassenger(Binary, Passenger):
    pass


class City(Cast):
    """Actors of one encoding, the office included."""

    def __init__(self, driver=Driver, passenger=Passenger, office=Watcher, bus=BusDriver):
        super().__init__(driver, passenger)
        self._office, self.bus = office, bus

    async def office(self, hub):
        office = self._office(hub, fresh("office-"))
        await office.watch()
        return office

    async def both(self, hub):
        """One at each worker."""
        first, second = await self.office(hub), self._office(hub, fresh("office-"))
        await second.connect_to(other_than=first.worker)
        return first, second


@pytest.fixture(params=["json", "protobuf"])
def cast(request):
    return City() if request.param == "json" else City(BinaryDriver, BinaryPassenger, BinaryWatcher, BinaryBusDriver)


@pytest.fixture(scope="module")
def town():
    """A village with lines."""
    yield from serve()


async def test_q9_records_are_kept_at_one_worker_and_read_at_the_other(new_hub, cast):
    hub = new_hub(server__workers=2).start()
    here, there = await cast.both(hub)
    made = await here.call("vehicles.set", vehicle="V1", **CAR, key="v")
    assert await there.call("vehicles.set", vehicle="V1", **CAR, key="other") == {
        "vehicle": "V1", "code": made["code"], "changed": False,
    }
    assert await here.call("vehicles.set", vehicle="V1", **CAR, key="v") == made, "repeated"
    record = {
        "driver": "T1", "name": "Ada Rossi", "phone": "+39 02 1", "company": "Rossi", "photo": PHOTO, "licence": "MI-1",
        "licence_until": day(400), "medical_until": day(300), "vehicle": "V1", "capabilities": ["wheelchair"],
    }
    await here.call("drivers.set", **record)
    kept = await there.call("drivers.get", driver="T1")
    assert {name: kept[name] for name in record} == record and kept["by"] == here.subject
    known = await there.call("vehicles.get", vehicle="V1")
    assert (known["code"], known["capabilities"]) == (made["code"], CAR["capabilities"])
    for number in range(2, 6):
        await there.call("drivers.set", driver=f"T{number}", name="Bo", licence_until=day(500 - number))
    first = await here.call("drivers.list", limit=3)
    second = await here.call("drivers.list", limit=3, **{"from": first["next"]})
    assert [one["driver"] for one in first["drivers"] + second["drivers"]] == ["T1", "T2", "T3", "T4", "T5"]
    assert "next" not in second
    soon = await here.call("drivers.list", ends_by=day(496))
    assert [one["driver"] for one in soon["drivers"]] == ["T1", "T5", "T4"]
    # What is not given is gone.
    await here.call("drivers.set", driver="T1", name="Ada Rossi")
    assert set(await there.call("drivers.get", driver="T1")) == {"driver", "name", "by", "at"}
    await here.call("drivers.remove", driver="T1")
    await there.refused("drivers.get", "not_found", driver="T1")
    await here.call("vehicles.remove", vehicle="V1")
    assert (await there.call("vehicles.list"))["vehicles"] == []
    entries = (await there.call("office.audit"))["entries"]
    assert [entry["command"] for entry in entries[:2]] == ["vehicles.remove", "drivers.remove"]
    assert entries[-1]["after"]["plate"] == CAR["plate"] and entries[-1]["after"]["new_code"]
    assert "+39 02 1" not in json.dumps(entries) and "Ada" not in json.dumps(entries)


async def test_what_is_wrong_is_refused(hub, cast):
    office = await cast.office(hub)
    for command, field, wrong in [
        ("drivers.set", "licence_until", "2027-02-29"), ("drivers.set", "medical_until", "1.2.2027"),
        ("drivers.set", "photo", "http://x.example/a.jpg"), ("drivers.set", "photo", "https://x;y/a"),
        ("drivers.set", "photo", 'https://x.example/"'), ("drivers.set", "name", ""),
        ("drivers.set", "capabilities", [f"w{n}" for n in range(17)]), ("drivers.set", "capabilities", ["Two Words"]),
        ("drivers.list", "ends_by", "soon"), ("drivers.list", "limit", 101), ("vehicles.set", "plate", "x" * 17),
        ("vehicles.set", "vehicle", "two words"), ("vehicles.set", "colour", "two\nlines"),
    ]:
        await office.refused(command, "bad_message", field=field, **COMMANDS[command] | {field: wrong})
    await office.refused("drivers.remove", "not_found", driver="nobody")
    await office.refused("vehicles.get", "not_found", vehicle="none")
    lost = await office.refused("drivers.set", "not_found", driver="T1", name="Ada", vehicle="none")
    assert "vehicles.set" in lost["detail"]
    car, name = vehicle(), fresh("D-")
    await office.call("vehicles.set", vehicle=car, plate="AB 1")
    await office.call("drivers.set", driver=name, name="Ada", vehicle=car)
    assert name in (await office.refused("vehicles.remove", "not_available", vehicle=car))["detail"]


@pytest.mark.parametrize("kind", [Somebody, BinarySomebody], ids=["json", "protobuf"])
@pytest.mark.parametrize("role", ["driver", "passenger", "bus_driver", "service"])
async def test_records_are_the_operators(hub, role, kind):
    one = kind(hub, role)
    await one.enter()
    for command, fields in COMMANDS.items():
        await one.refused(command, "forbidden", **fields)
    one.leaves_open()
    asker = Asker(hub, role, one.subject)
    for command, fields in COMMANDS.items():
        assert asker.refused(command, "forbidden", **fields).status == 403


async def test_records_over_http(hub):
    office, car = Asker(hub, "operator", "office-http"), vehicle()
    made = office.done("vehicles.set", vehicle=car, plate="AB 1")
    assert office.done("vehicles.get", vehicle=car)["code"] == made["code"]
    renewed = office.done("vehicles.set", "k", vehicle=car, plate="AB 1", new_code=True)
    assert renewed["code"] != made["code"] and office.done("vehicles.set", "k", vehicle=car, plate="AB 1", new_code=True) == renewed
    assert (facts(hub, made["code"]), facts(hub, renewed["code"])["plate"]) == (404, "AB 1")
    office.done("vehicles.remove", vehicle=car)
    office.refused("vehicles.remove", "not_found", vehicle=car)


async def test_q9_with_an_expired_paper_nobody_goes_available(hub, cast):
    here, office = hub.block(), await cast.office(hub)
    driver = cast.driver(hub, here.a.stand)
    await driver.connect()
    await driver.fix()
    for paper, words in [("licence_until", "licence"), ("medical_until", "medical certificate")]:
        dates = {"licence_until": day(400), "medical_until": day(400)} | {paper: day(-2)}
        await office.call("drivers.set", driver=driver.subject, name="Ada", **dates)
        error = await driver.refused("driver.available", "forbidden")
        assert f"{words} ended on {day(-2)}" in error["detail"] and "office" in error["detail"]
    # Who has no date is not held up, and neither is one who was renewed.
    await office.call("drivers.set", driver=driver.subject, name="Ada", licence_until=day(2))
    assert (await driver.call("driver.available"))["state"] == "available"
    # What ends meanwhile is asked at the next time.
    await office.call("drivers.set", driver=driver.subject, name="Ada", licence_until=day(-2))
    assert (await driver.call("driver.available"))["state"] == "available"
    await driver.call("driver.unavailable")
    await driver.refused("driver.available", "forbidden")


async def test_q9_a_minibus_and_a_bus_driver_need_their_papers_too(town, line, cast):
    office, minibus = await cast.office(town), cast.minibus(town, town.block().a.stand)
    await minibus.connect()
    await minibus.fix()
    await office.call("drivers.set", driver=minibus.subject, name="Ada", licence_until=day(-2))
    await minibus.refused("driver.available", "forbidden")
    await office.call("drivers.set", driver=minibus.subject, name="Ada", licence_until=day(2))
    await minibus.call("driver.available")
    driver = cast.bus(town, line)
    await driver.connect()
    await office.call("drivers.set", driver=driver.subject, name="Bo", medical_until=day(-2))
    error = await driver.refused("tour.start", "forbidden", bus=line.bus, line=line.id)
    assert "medical certificate" in error["detail"]
    await office.call("drivers.set", driver=driver.subject, name="Bo", medical_until=day(2))
    made = await office.call("vehicles.set", vehicle=line.bus, plate="BUS 1")
    assert facts(town, made["code"])["on_duty"] is False
    await driver.begin()
    # Each worker keeps an answer for some seconds.
    assert await town.until("seen", lambda: facts(town, made["code"]).get("driver"), patience.PROCESS) == {"name": "Bo"}


async def test_q9_a_city_may_want_all_drivers_registered(new_hub, cast):
    hub = new_hub(drivers__must_be_registered=True).start()
    here, office = hub.block(), await cast.office(hub)
    driver = cast.driver(hub, here.a.stand)
    await driver.connect()
    await driver.fix()
    assert "no record" in (await driver.refused("driver.available", "forbidden"))["detail"]
    await office.call("drivers.set", driver=driver.subject, name="Ada", licence_until=day(2))
    assert "medical certificate" in (await driver.refused("driver.available", "forbidden"))["detail"]
    await office.call("drivers.set", driver=driver.subject, name="Ada", licence_until=day(2), medical_until=day(2))
    await driver.call("driver.available")


async def test_q9_reminders_come_once_though_workers_and_redis_are_killed(new_hub, cast):
    hub = new_hub(server__workers=2).start()
    office, driver = await cast.office(hub), cast.driver(hub)
    await driver.connect()
    await office.call("drivers.set", driver=driver.subject, name="Ada", licence_until=day(20), medical_until=day(400))
    told = await office.rung("papers.ending")
    assert (told["driver"], told["paper"], told["until"]) == (driver.subject, "licence", day(20)) and told["days"] in (19, 20, 21)
    assert "Your licence ends in" in (await driver.until("notice"))["text"]
    for one in (office, driver):
        one.hello_reply = None  # its worker dies; that is tried elsewhere
    for pid in [*hub.workers(), hub.redis_pid()]:
        os.kill(pid, signal.SIGKILL)
    await hub.until("ready", lambda: hub.http("/readyz").status == 200, patience.PROCESS)
    await asyncio.sleep(1)
    assert [kind for _, kind, _ in hub.history("office")].count("papers.ending") == 1
    assert [kind for _, kind, _ in hub.history(f"driver:{driver.subject}")].count("notice") == 1


async def test_q9_a_driver_is_reminded_three_months_before_and_again_until_the_day(new_hub, cast):
    hub = new_hub(server__workers=2).start()
    office, driver = await cast.office(hub), cast.driver(hub)
    await driver.connect()
    begun = now(hub)
    await office.call("drivers.set", driver=driver.subject, name="Ada", licence_until=day(92), medical_until=day(900))
    await asyncio.sleep(1.5 * patience.PACE)
    assert "papers.ending" not in [kind for _, kind, _ in hub.history("office")], "92 days are more than three months"
    for times, left in enumerate((90, 30, 7, 0), 1):
        await come(hub, begun + (92 - left) * DAY)

        def told():
            return [json.loads(data) for _, kind, data in hub.history("office") if kind == "papers.ending"]

        await hub.until(f"the reminder {left} days before", lambda told=told, times=times: len(told()) == times)
        assert (told()[-1]["paper"], told()[-1]["until"]) == ("licence", day(92)) and abs(told()[-1]["days"] - left) <= 1
        assert "licence" in (await driver.until("notice"))["text"]
    assert (await office.rung("papers.ending"))["driver"] == driver.subject


async def test_m18_the_passenger_sees_who_comes(hub, cast):
    here, office, car = hub.block(), await cast.office(hub), vehicle()
    [driver] = await cast.queue(hub, here.a.stand, 1)
    code = (await office.call("vehicles.set", vehicle=car, **CAR))["code"]
    # While it is available.
    await office.call("drivers.set", driver=driver.subject, name="Ada Rossi", photo=PHOTO, phone="+39 02 1", vehicle=car)
    rider = await cast.rider(hub)
    ride = await rider.request(here.a.centre)
    await driver.accept(ride)
    card = {"name": "Ada Rossi", "photo": PHOTO, "code": code} | CAR
    assert (await rider.until("ride.accepted"))["card"] == card
    await office.call("vehicles.set", vehicle=car, **CAR | {"colour": "black"})
    state = Asker(hub, "passenger", rider.subject).read("/v1/requests")["ride"]
    assert state["card"] == card | {"colour": "black"}
    seen = facts(hub, code)
    assert (seen["on_duty"], seen["driver"], seen["vehicle"]) == (True, {"name": "Ada Rossi", "photo": PHOTO}, car)
    assert set(seen) == {"on_duty", "driver", "vehicle", *CAR}, "no trip, no position, no phone"


async def test_m18_who_booked_seats_sees_who_comes(hub, cast):
    here, office = hub.block(), await cast.office(hub)
    minibus, rider = cast.minibus(hub, here.a.stand), await cast.rider(hub)
    await office.call("vehicles.set", vehicle=minibus.subject, plate="MB 1")
    await office.call("drivers.set", driver=minibus.subject, name="Bo")
    await minibus.go_online()
    booking = (await rider.call("seat.book", vehicle=minibus.subject, **trip(here.a.centre, here.b.centre)))["booking"]
    await minibus.call("seat.accept", booking=booking)
    card = (await rider.until("seat.confirmed"))["card"]
    assert (card["name"], card["plate"]) == ("Bo", "MB 1")
    assert Asker(hub, "passenger", rider.subject).read("/v1/requests")["booking"]["card"] == card


async def test_q9_a_fleet_is_imported_from_tables(new_hub, cast):
    hub = new_hub().start()
    office = await cast.office(hub)
    cars, drivers = hub.directory / "cars.csv", hub.directory / "drivers.csv"

    def kerbside(*arguments):
        return run(*arguments, "--config", hub.config)

    cars.write_text('vehicle,plate,colour,capabilities\nV1,AB 1,white,wheelchair child_seat\nV2,"AB, 2",,\n')
    drivers.write_text(f"driver,name,vehicle,licence_until\nT1,Ada,V1,{day(400)}\nT2,Bo,V2,\n")
    early = kerbside("drivers", "import", drivers)
    assert early.returncode == 1 and "2 errors; nothing was written" in early.stderr
    for line, car in [(2, "V1"), (3, "V2")]:
        assert f"{drivers}:{line}: column vehicle: no vehicle {car} is registered\n" in early.stderr
    checked = run("vehicles", "import", cars, "--check")
    assert (checked.returncode, checked.stdout) == (0, f"{cars}: good; 2 vehicles\n")
    assert kerbside("vehicles", "import", cars).stdout == f"{cars}: 2 vehicles; 2 written, 0 the same as before\n"
    assert kerbside("drivers", "import", drivers).stdout == f"{drivers}: 2 drivers; 2 written, 0 the same as before\n"
    assert kerbside("drivers", "import", drivers).stdout == f"{drivers}: 2 drivers; 0 written, 2 the same as before\n"
    known = await office.call("vehicles.get", vehicle="V1")
    assert (known["plate"], known["colour"], known["capabilities"]) == ("AB 1", "white", ["wheelchair", "child_seat"])
    assert (await office.call("vehicles.get", vehicle="V2"))["plate"] == "AB, 2"
    # All that is wrong is said, and nothing is written.
    drivers.write_text("driver,name,licence_until\nT1,Ada Rossi,\nT2,,\nT 3,Cy,2027-02-30\nT1,Di,\nT5,Ed,2027-01-01,x\n")
    wrong = kerbside("drivers", "import", drivers)
    assert wrong.returncode == 1 and "nothing was written" in wrong.stderr
    for line, text in [
        (3, "column name: "), (4, "column driver: "), (5, "T1 stands on line 2, too"), (6, "4 values for 3 columns"),
    ]:
        assert re.search(rf"drivers.csv:{line}: .*{text}", wrong.stderr), wrong.stderr
    assert (await office.call("drivers.get", driver="T1"))["name"] == "Ada"
    drivers.write_text('driver,name\nT1,Ada\nT2,"Bo\nT3,Cy\n')
    wrong = kerbside("drivers", "import", drivers)
    assert f"{drivers}:3: a quote (\") begins here, and nothing closes it\n" in wrong.stderr and "1 error; " in wrong.stderr
    drivers.write_text("driver,name\nT1" + "," * 200_000 + "\n")
    assert "200001 values for 2 columns" in kerbside("drivers", "import", drivers).stderr
    drivers.write_text(",".join(f"c{number}" for number in range(200_000)) + "\n")
    assert f"{drivers}:1: the head line has 200000 columns" in kerbside("drivers", "import", drivers).stderr
    # Papers that have ended are entered, and said.
    drivers.write_text(f"driver,name,licence_until,medical_until\nT7,Gus,{day(-2)},{day(400)}\nT8,Hal,{day(400)},{day(-3)}\n")
    for done in (kerbside("drivers", "import", drivers, "--check"), kerbside("drivers", "import", drivers)):
        assert done.returncode == 0 and done.stdout.startswith(f"{drivers}: "), done.stderr
        assert f"{drivers}:2: column licence_until: {day(-2)} is over, so T7 can't go available" in done.stderr
        assert f"{drivers}:3: column medical_until: {day(-3)} is over, so T8 can't go available" in done.stderr
    drivers.write_text("driver,nom\nT1,Ada\n")
    wrong = kerbside("drivers", "import", drivers, "--check")
    assert wrong.returncode == 1 and 'no column "nom"' in wrong.stderr and "the column name is missing" in wrong.stderr


async def test_q9_records_by_hand(new_hub, cast):
    hub = new_hub().start()
    office = await cast.office(hub)

    def kerbside(*arguments):
        return run(*arguments, "--config", hub.config)

    assert kerbside("vehicles", "set", "V1", "--plate", "AB 1").stdout == "vehicle V1: registered\n"
    assert kerbside("drivers", "set", "T1", "--name", "Ada", "--vehicle", "V1", "--phone", "1").stdout == "driver T1: registered\n"
    # What is not given stays.
    assert kerbside("drivers", "set", "T1", "--licence-until", day(30), "--phone", "").stdout == "driver T1: changed\n"
    record = await office.call("drivers.get", driver="T1")
    assert (record["name"], record["licence_until"], record["vehicle"], record.get("phone")) == ("Ada", day(30), "V1", None)
    assert record["by"].startswith("kerbside:")
    assert kerbside("drivers", "set", "T1", "--name", "Ada").stdout == "driver T1: nothing has changed\n"
    wrong = kerbside("drivers", "set", "T1", "--medical-until", "soon")
    assert wrong.returncode == 1 and "medical_until" in wrong.stderr
    assert day(30) in kerbside("drivers", "show", "T1").stdout
    assert kerbside("drivers", "list", "--ends-by", day(31)).stdout.startswith("T1: Ada, vehicle V1, licence until ")
    assert kerbside("drivers", "list", "--ends-by", day(29)).stdout == "0 drivers\n"
    first = (await office.call("vehicles.get", vehicle="V1"))["code"]
    assert first in kerbside("vehicles", "show", "V1").stdout
    kerbside("vehicles", "set", "V1", "--new-code")
    assert first not in kerbside("vehicles", "show", "V1").stdout
    assert "V1: AB 1" in kerbside("vehicles", "list").stdout
    assert json.loads(kerbside("vehicles", "list", "--json").stdout)["plate"] == "AB 1"
    assert kerbside("vehicles", "remove", "V1").returncode == 1
    assert kerbside("drivers", "remove", "T1").stdout == "driver T1 is removed\n"
    assert kerbside("vehicles", "remove", "V1").stdout == "vehicle V1 is removed\n"


async def test_q9_a_page_of_long_records_costs_its_reader_what_there_is_to_read(new_hub):
    hub = new_hub(server__workers=1, server__service_commands_per_second=100).start()
    office = await City().office(hub)
    long = {
        "name": "N" * 60, "company": "C" * 60, "licence": "L" * 30, "photo": "https://fleet.example/" + "p" * 450,
        "capabilities": ["c" * 28 + str(number) for number in range(10, 22)], "licence_until": day(30), "medical_until": day(40),
    }
    await office.call("drivers.set", driver="T0", **long)
    key, ends = hub.key("drivers"), hub.key("driver-ends")
    record, days = hub.redis.hget(key, "T0"), hub.redis.zrange(ends, 0, -1)
    assert days, "in the order of their days"
    for number in range(1, 100):
        hub.redis.hset(key, f"T{number}", record.replace('"T0"', f'"T{number}"'))
        hub.redis.zadd(ends, {member.removesuffix("T0") + f"T{number}": 0 for member in days})
    pages = [await office.ask("drivers.list", ends_by=day(60), limit=100) for _ in range(9)]
    assert len(pages[0]["ok"]["drivers"]) == 100, pages[0]
    # Nine short ones are 90.
    assert pages[-1]["error"]["code"] == "rate_limited" and pages[-1]["error"]["retry_after_ms"]
