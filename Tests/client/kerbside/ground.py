"""The ground of maps in the tests: the archive of San Francisco, and a hub in whose zones its streets are."""

import os
import pathlib
import shutil

import pytest

from .city import Point
from .hub import ROOT, Hub

DATA = pathlib.Path(os.environ.get("KERBSIDE_TEST_DATA", ROOT.parent / "shared" / "data"))
CITY = DATA / "basemap-sf" / "sf.pmtiles"
ZONES = DATA / "zones-sf" / "sf_planning_neighborhoods_37.geojson"

needs_city = pytest.mark.skipif(
    not (CITY.exists() and ZONES.exists()), reason=f"no map of San Francisco at {DATA} (set KERBSIDE_TEST_DATA)")

#: Beside a park, at the water, and at a motorway.
PARK, WATER, MOTORWAY = Point(37.7694, -122.4862), Point(37.8080, -122.4177), Point(37.7699, -122.4100)
#: Of a tile's canvas: how many pixels there are of each colour of map.css, and how many with a name.
PIXELS = """
(names) => {
  const probe = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
  const style = getComputedStyle(document.documentElement);
  const colors = names.map((name) => {
    probe.clearRect(0, 0, 1, 1);
    probe.fillStyle = style.getPropertyValue(`--map-${name}`);
    probe.fillRect(0, 0, 1, 1);
    return new Uint32Array(probe.getImageData(0, 0, 1, 1).data.buffer)[0];
  });
  const counts = Object.fromEntries(names.map((name) => [name, 0]));
  for (const canvas of document.querySelectorAll('.leaflet-tile-pane canvas.leaflet-tile-loaded, canvas.map-names')) {
    if (!canvas.width) continue;
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    for (const pixel of new Uint32Array(data.buffer)) {
      const at = colors.indexOf(pixel);
      if (at >= 0) counts[names[at]] += 1;
    }
  }
  return counts;
}
"""


class GroundHub(Hub):
    """A hub in San Francisco, with its map."""

    def __init__(self, **settings):
        super().__init__(**{"blocks": 1, "pages__map": str(CITY), "zones__repair": True} | settings)
        shutil.copy(ZONES, self.directory / "zones.geojson")


async def drawn(page, *names, least=100):
    """Waits until the ground has so many pixels of each colour."""
    await page.wait_for_function(
        f"([names, least]) => Object.values(({PIXELS})(names)).every((count) => count >= least)", arg=[list(names), least])
