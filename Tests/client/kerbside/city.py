"""A city of round numbers: blocks of three zones in a row, far from each other, one block per test."""

import json
import math
from dataclasses import dataclass

#: Metres per degree of latitude on the sphere of mean radius 6,371,008.8 m.
METRES_PER_DEGREE = 6_371_008.8 * math.pi / 180

SIDE = 0.02  # degrees: a zone is about 2.2 km high and 1.6 km wide
BLOCKS_PER_COLUMN = 40


@dataclass(frozen=True)
class Point:
    lat: float
    lon: float

    def moved(self, north=0.0, east=0.0):
        """The point that many metres away."""
        lat = self.lat + north / METRES_PER_DEGREE
        return Point(lat, self.lon + east / (METRES_PER_DEGREE * math.cos(math.radians(self.lat))))

    def distance(self, other):
        """Metres, by haversine."""
        a, b = math.radians(self.lat), math.radians(other.lat)
        h = math.sin((b - a) / 2) ** 2
        h += math.cos(a) * math.cos(b) * math.sin(math.radians(other.lon - self.lon) / 2) ** 2
        return 2 * METRES_PER_DEGREE * math.degrees(math.asin(math.sqrt(h)))

    def towards(self, other, step):
        """Points on the straight way to `other`, at most `step` metres apart, `other` last."""
        count = max(1, math.ceil(self.distance(other) / step))
        for i in range(1, count + 1):
            t = i / count
            yield Point(self.lat + (other.lat - self.lat) * t, self.lon + (other.lon - self.lon) * t)

    @property
    def fields(self):
        return {"lat": round(self.lat, 7), "lon": round(self.lon, 7)}


@dataclass(frozen=True)
class Zone:
    id: str
    south: float
    west: float

    @property
    def centre(self):
        return Point(self.south + SIDE / 2, self.west + SIDE / 2)

    @property
    def stand(self):
        """Where taxis wait: 700 m north of the centre, so that no alert is due before they move."""
        return self.centre.moved(north=700)

    @property
    def north_east(self):
        return Point(self.south + SIDE, self.west + SIDE)

    @property
    def feature(self):
        s, w = self.south, self.west
        n, e = round(s + SIDE, 6), round(w + SIDE, 6)
        ring = [[w, s], [e, s], [e, n], [w, n], [w, s]]
        return {
            "type": "Feature",
            "id": self.id,
            "properties": {"name": f"Zone {self.id}"},
            "geometry": {"type": "Polygon", "coordinates": [ring]},
        }


@dataclass(frozen=True)
class Block:
    """Zones a, b, c from west to east, sharing borders; nothing within 3 km around."""

    a: Zone
    b: Zone
    c: Zone

    @property
    def outside(self):
        """A point 1.1 km south of zone a: in no zone."""
        return Point(self.a.south - 0.01, self.a.west + SIDE / 2)


def block(number):
    column, row = divmod(number, BLOCKS_PER_COLUMN)
    south, west = round(45 + 0.05 * row, 6), round(9 + 0.1 * column, 6)
    return Block(*(Zone(f"{number}{name}", south, round(west + SIDE * i, 6)) for i, name in enumerate("abc")))


def geojson(blocks):
    """The zones of the first `blocks` blocks as a GeoJSON FeatureCollection."""
    zones = [zone for number in range(blocks) for zone in (block(number).a, block(number).b, block(number).c)]
    return json.dumps({"type": "FeatureCollection", "features": [zone.feature for zone in zones]})
