"""What a taxi costs by what the settings say of `fares`, worked out a second time: in decimals, as on paper."""

import datetime
import zoneinfo
from decimal import ROUND_HALF_UP, Decimal

#: In the order in which a receipt has them.
PARTS = ("flag_fall", "distance", "time", "slab", "minimum", "night", "passengers", "booking", "toll")


def hundredths(amount):
    """Of the currency, half of one up."""
    return int((amount * 100).quantize(Decimal(1), ROUND_HALF_UP))


class Tariff:
    """Settings of `fares`, without the section, as the file has them."""

    def __init__(self, zone="UTC", **fares):
        self.fares, self.zone = fares, zoneinfo.ZoneInfo(zone)

    def number(self, name):
        return Decimal(str(self.fares.get(name, 0)))

    @property
    def settings(self):
        return {f"fares__{name}": value for name, value in self.fares.items()}

    def is_night(self, at):
        """Whether it is at a time, Unix ms, on the city's clock."""
        if not self.fares.get("night_hours"):
            return False
        begin, end = map(datetime.time.fromisoformat, self.fares["night_hours"].split("-"))
        clock = datetime.datetime.fromtimestamp(at // 1000, self.zone).time()
        return begin <= clock < end if begin < end else clock >= begin or clock < end

    def slab(self, pickup, goal, metres):
        """The fixed fare from one zone (its id) to another, in the currency; None: there is none."""
        lines = dict(line.split(": ") for line in self.fares.get("slabs", ()))
        line = lines.get(f"{pickup}:{goal}", lines.get("*"))
        if line is None:
            return None
        steps = [step.split("km=") for step in line.split()]
        return next((Decimal(fare) for km, fare in steps if metres <= Decimal(km) * 1000), Decimal(steps[-1][1]))

    def toll(self, zone):
        tolls = dict(toll.split("=") for toll in self.fares.get("tolls", ()))
        return Decimal(tolls.get(zone, 0))

    def parts(self, metres, seconds, at, pickup, goal, passengers=1, reserved=False, through=()):
        """What a ride's fare is made of, (name, hundredths) of what is not nothing. at: when its passenger gets in; through: zones
        that it comes into."""
        slab = self.slab(pickup, goal, metres)
        meter = {
            "flag_fall": hundredths(self.number("flag_fall")),
            "distance": hundredths(self.number("per_km") * metres / 1000),
            "time": hundredths(self.number("per_minute") * seconds / 60),
        }
        found = meter if slab is None else {"slab": hundredths(slab)}
        if slab is None:
            found["minimum"] = max(0, hundredths(self.number("minimum")) - sum(meter.values()))
        driven = sum(found.values())
        if self.is_night(at):
            share = int((driven * self.number("night_percent") / 100).quantize(Decimal(1), ROUND_HALF_UP))
            found["night"] = hundredths(self.number("night")) + share
        found["passengers"] = hundredths(self.number("extra_passenger")) * max(0, passengers - self.fares.get("extra_from", 4) + 1)
        if reserved:
            found["booking"] = hundredths(self.number("booking"))
        rows = [(name, found[name]) for name in PARTS if found.get(name)]
        return rows + [("toll", hundredths(self.toll(zone))) for zone in through if self.toll(zone)]


def listed(fare):
    """The same of what the hub says."""
    assert fare["amount"] == sum(part["amount"] for part in fare["parts"]), fare
    return [(part["name"], part["amount"]) for part in fare["parts"]]
