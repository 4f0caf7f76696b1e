#pragma once

/// Ready descriptors that a loop takes in one turn, once turns have a limit.
#define KERBSIDE_EVENTS_PER_TURN 64
/// And so many besides whose peer has left.
#define KERBSIDE_DEPARTURES_PER_TURN 16

/// From now on no loop of this process takes more in one turn. Any thread; before the loop is made.
void kerbside_limit_turns(void);
