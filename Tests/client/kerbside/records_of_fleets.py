"""Records of a fleet, and the page of a sign."""

import datetime
import json

from .names import fresh

CAR = {
    "plate": "AB 123 CD", "registration": "MI-4711", "company": "Rossi & Co", "model": "Skoda <Octavia>", "colour": "white",
    "capabilities": ["wheelchair", "child_seat"],
}
PHOTO = "https://fleet.example:8443/ada.jpg?size=2"



def day(days):
    """So many days from now; two are far enough from midnight wherever the city is."""
    return (datetime.datetime.now(datetime.UTC).date() + datetime.timedelta(days)).isoformat()


def vehicle():
    return fresh("V")


def page(hub, code, accept="text/html,application/xhtml+xml,*/*;q=0.8"):
    return hub.http(f"/v/{code}", headers={"Accept": accept})


def facts(hub, code):
    answer = page(hub, code, "application/json")
    return json.loads(answer.text) if answer.status == 200 else answer.status
