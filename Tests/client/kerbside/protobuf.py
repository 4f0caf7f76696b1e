"""The subprotocol kerbside.v1.protobuf, by code that protoc makes of the published kerbside.proto and nothing else."""

import atexit
import functools
import importlib.util
import json
import pathlib
import shutil
import tempfile

from google.protobuf import json_format
from grpc_tools import protoc

from .contract import DIRECTORY

SUBPROTOCOL = "kerbside.v1.protobuf"

#: What the contract writes as null where protobuf has nothing.
NULLS = {
    "RideAccepted": ("position", "eta_s"),
    "PassengerSnapshot": ("ride",),
    "RouteOk": ("route",),
    "RouteChanged": ("route",),
    "SeatConfirmed": ("position", "eta_s"),
    "ReservationAssigned": ("position", "eta_s"),
    "FareEstimate": ("fare",), "Trip": ("fare",), "Ratings": ("mean",),
    "VehicleView": ("route",),
}

#: Lists that the contract leaves out when they are empty.
LISTS = {
    "DriverSnapshot": ("bookings", "places"), "Way": ("via",), "PassengerSnapshot": ("requests", "reservations"),
    "AuditFacts": ("changed",), "Reservation": ("needs",), "TripFare": ("parts",), "PastRecord": ("fare_parts",),
    "StopNews": ("places",), "StopPickup": ("help",), "NotifyWishes": ("mute",),
    "DriverRecord": ("capabilities",), "VehicleRecord": ("capabilities",), "Card": ("capabilities",),
    "Offer": ("needs",), "Assignment": ("needs",), "DriverRide": ("needs",), "PassengerRide": ("needs",), "OfficeRide": ("needs",),
}


@functools.cache
def schema():
    """The module of the generated classes."""
    directory = pathlib.Path(tempfile.mkdtemp(prefix="kerbside-proto-"))
    atexit.register(shutil.rmtree, directory, ignore_errors=True)
    code = protoc.main(["protoc", f"-I{DIRECTORY}", f"--python_out={directory}", "kerbside.proto"])
    assert code == 0, "protoc refuses kerbside.proto"
    spec = importlib.util.spec_from_file_location("kerbside_pb2", directory / "kerbside_pb2.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def encode(command):
    """A command of the JSON contract as a ClientMessage."""
    fields = dict(command)
    data = fields.pop("data", None)
    message = json_format.ParseDict(fields, schema().ClientMessage())
    if data is not None:
        message.data = json.dumps(data).encode()
    return message.SerializeToString()


def parse(raw):
    """The ServerMessage; nothing in it may be unknown to the schema."""
    message = schema().ServerMessage()
    message.ParseFromString(raw)
    return message


def plain(message):
    """A message as the JSON contract writes it."""
    result = {}
    for field in message.DESCRIPTOR.fields:
        value = getattr(message, field.name)
        if field.message_type is not None and field.message_type.GetOptions().map_entry:
            result[field.name] = dict(value)
        elif field.is_repeated:
            if not value and field.name in LISTS.get(message.DESCRIPTOR.name, ()):
                continue
            result[field.name] = [plain(part) if field.message_type else part for part in value]
        elif field.has_presence and not message.HasField(field.name):
            if field.name in NULLS.get(message.DESCRIPTOR.name, ()):
                result[field.name] = None
        else:
            result[field.name] = plain(value) if field.message_type else value
    return result


def _data(message, oneof):
    """(name, value) of what is set of the oneof."""
    name = message.WhichOneof(oneof)
    assert name is not None, f"{message.DESCRIPTOR.name} without its {oneof}"
    value = getattr(message, name)
    return name, json.loads(value) if name == "json" else plain(value)


class Decoder:
    """The messages of one connection, in the JSON of the contract. Vehicles are known by their numbers while it lives."""

    def __init__(self):
        self.vehicles = {}
        #: Bytes of `moved`, and vehicles in it.
        self.moved_bytes = self.moved = 0

    def decode(self, raw):
        whole = parse(raw)
        kind = whole.WhichOneof("message")
        message = getattr(whole, kind)
        if kind == "positions":
            return self._positions(message)
        if kind == "reply":
            name, value = _data(message, "ok")
            assert name != "json", f"a reply that kerbside.proto does not know: {value}"
            return {"id": message.id, "ok": value}
        if kind == "error":
            error = plain(message)
            number = error.pop("id", None)
            return {"error": error} | ({} if number is None else {"id": number})
        if kind == "gap":
            return {"ch": message.ch, "type": "gap"}
        assert kind in ("event", "state", "snapshot"), kind
        name, value = _data(message, "data")
        family = message.ch.partition(":")[0].removeprefix("bus_")
        if kind == "snapshot":
            assert name == family, f"{name} on {message.ch}"
            return {"ch": message.ch, "type": "snapshot", "time": message.time, "data": value}
        is_known = family not in ("topic", "events") and message.type != "positions"
        assert name == (message.type.replace(".", "_") if is_known else "json"), f"{message.type} as {name}"
        seq = {"seq": message.seq} if kind == "event" else {}
        return {"ch": message.ch, **seq, "type": message.type, "time": message.time, "data": value}

    def _positions(self, message):
        """As JSON, movements as short rows."""
        # One that came and went between two messages was never announced.
        gone = [self.vehicles[number]["id"] for number in message.gone if number in self.vehicles]
        rows = []
        for vehicle in message.vehicles:
            self.vehicles[vehicle.number] = plain(vehicle)
            rows.append(self._row(plain(vehicle)))
        moved = list(message.moved)
        assert len(moved) % 5 == 0, "five numbers for each vehicle"
        for number, lat, lon, heading, age in zip(*[iter(moved)] * 5, strict=True):
            assert number in self.vehicles, f"vehicle {number} moves and was never announced"
            row = self._row(self.vehicles[number] | {"lat": lat, "lon": lon, "heading": heading})
            # The age was rounded to 10 ms: as old as it may be, so that no fix seems newer than it is.
            rows.append([*row[:4], age * 10 + 4])
        if moved:
            self.moved += len(moved) // 5
            alone = type(message)(moved=moved)
            self.moved_bytes += alone.ByteSize()
        result = {
            "ch": message.channel,
            "type": "snapshot" if message.snapshot else "positions",
            "time": message.time,
            "data": rows,
        }
        return result | ({"gone": gone} if gone else {})

    @staticmethod
    def _row(vehicle):
        row = [
            vehicle["id"],
            round((vehicle["corner_lat"] + vehicle["lat"]) / 1e5, 5),
            round((vehicle["corner_lon"] + vehicle["lon"]) / 1e5, 5),
            (vehicle["heading"] - 1) * 3 % 360 if vehicle["heading"] else None,
            ("available", "busy", "unavailable")[vehicle["state"]],
            vehicle["seats"] - 1 if vehicle["seats"] else None,
            vehicle["at"],
            ("live", "stale")[vehicle["freshness"]],
            ("taxi", "minibus", "bus")[vehicle["kind"]],
            vehicle["route"] or None,
        ]
        defaults = ["live", "taxi", None]
        while len(row) > 7 and row[-1] == defaults[len(row) - 8]:
            row.pop()
        return row


@functools.cache
def binary(kind):
    """A kind of client, in Protocol Buffers."""
    return kind if issubclass(kind, Binary) else type(f"Binary{kind.__name__}", (Binary, kind), {})


class Binary:
    """Makes a client speak the subprotocol."""

    subprotocol = SUBPROTOCOL
    #: Ages of rows are told by 10 ms, and read as the oldest that they may be.
    coarse_ms = 9
    encode = staticmethod(encode)

    async def open(self, *args, **options):
        self.decoder = Decoder()
        return await super().open(*args, **options)

    def decode(self, raw):
        assert isinstance(raw, bytes), "a text message on the binary subprotocol"
        return self.decoder.decode(raw)
