"""An operator who has no connection and does all over HTTP; and what the audit says of it."""

import time

from .asker import Asker
from .names import fresh

#: Hub time is read a moment before or after ours, ms.
SLACK = 1_000
#: So often a command is repeated: whichever worker takes it, it knows the first reply.
TIMES = 4


class Act:
    """A command that was carried out, and its entry in the audit."""

    def __init__(self, desk, command, key, fields):
        self._desk, self._command, self._key, self._fields = desk, command, key, fields
        self.reply = desk.done(command, key, **fields)
        self.entry = None

    def repeat(self):
        """The same again with the same key: the first reply, and no entry more."""
        before = self._desk.entries()
        for _ in range(TIMES):
            again = self._desk.done(self._command, self._key, **self._fields)
            assert again == self.reply, f"{self._command} repeated: {again}, first {self.reply}"
        assert self._desk.entries() == before, f"{self._command} repeated leaves entries"


class HttpDesk(Asker):
    """An operator."""

    def __init__(self, hub):
        self.subject, self._since = fresh("desk-"), int(time.time() * 1000) - SLACK
        super().__init__(hub, "operator", self.subject)

    def entries(self):
        """All that the audit has of this operator, the oldest first."""
        found, page = [], {"limit": 100}
        while page:
            reply = self.done("office.audit", **page)
            found += [entry for entry in reply["entries"] if entry["operator"] == self.subject]
            is_all = "next" not in reply or reply["entries"][-1]["time"] < self._since
            page = None if is_all else {"limit": 100, "from": reply["next"]}
        return found[::-1]

    def act(self, command, **fields):
        """Carried out with a key, and repeated at once. Exactly one entry says who did what, when and why."""
        before, began = self.entries(), int(time.time() * 1000)
        act = Act(self, command, fresh("k"), fields)
        ended = int(time.time() * 1000)
        act.repeat()
        *old, act.entry = self.entries()
        assert old == before, f"{command} left more than one entry, or changed one: {old} {before}"
        assert (act.entry["operator"], act.entry["command"]) == (self.subject, command)
        assert began - SLACK <= act.entry["time"] <= ended + SLACK, f"{command} between {began} and {ended}: {act.entry}"
        assert act.entry.get("reason") == fields.get("reason", fields.get("note")), act.entry
        assert act.reply.get("audit", act.entry["id"]) == act.entry["id"]
        return act

    def waiting(self, zone):
        """The drivers of the zone's queue in their order."""
        return [row["driver"] for row in self.done("office.queue", zone=zone)["drivers"]]
