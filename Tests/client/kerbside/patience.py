"""How long this machine and this build may take. Bounds only: nothing waits longer than it must.

`KERBSIDE_PATIENCE=3` stretches them all three times, for a machine that is slow or has much else to do; without it they
are those of a build with sanitizers (`KERBSIDE_ASAN=1`) or without.
"""

import os

#: Sanitised builds are several times slower.
SCALE = float(os.environ.get("KERBSIDE_PATIENCE") or (5 if os.environ.get("KERBSIDE_ASAN") == "1" else 1))

#: Times that tests set in the hub stretch by less: they are waited for in full.
PACE = 2.0 if SCALE > 1 else 1.0

#: Seconds for one message that is due at once.
MESSAGE = 5.0 * SCALE
#: Seconds for a process to start or to end.
PROCESS = 20.0 * SCALE
#: Seconds for one test.
TEST = 90.0 * SCALE
