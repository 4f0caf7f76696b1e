"""An operator's screen that hears alarms."""

from . import patience
from .operator import Operator
from .protobuf import Binary


class Watcher(Operator):
    """An operator's screen that reads `office`."""

    async def resume(self, **options):
        """It has no channel of its own; `office` is subscribed anew."""
        return await self.connect(**options)

    async def watch(self, **fields):
        await self.connect()
        return await self.call("subscribe", channel="office", **fields)

    def heard(self, kind, sos=None):
        """The data of what came of this type, of one alarm or of all."""
        return [
            m["data"] for m in self.pushed if m["ch"] == "office" and m["type"] == kind and sos in (None, m["data"].get("sos"))
        ]

    async def rung(self, kind, sos=None, times=1):
        """The data of the `times`th of them."""

        def found():
            came = self.heard(kind, sos)
            return came[times - 1] if len(came) >= times else None

        return await self.wait(found, f"{kind} of {sos}, the {times}th", patience.MESSAGE * 2)


class BinaryWatcher(Binary, Watcher):
    pass
