#pragma once

/// Ready descriptors that a loop takes in one turn, once turns have a limit.
#define KERBSIDE_EVENTS_PER_TURN 64

/// From now on no loop of this process takes more in one turn. Any thread.
void kerbside_limit_turns(void);
