#pragma once

/// Ready descriptors that a loop takes in one turn.
#define KERBSIDE_EVENTS_PER_TURN 64
