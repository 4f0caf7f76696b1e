#pragma once
// No feature macro here, nor in any other shim: Swift imports Glibc without one, and modules that see the system
// headers differently do not go together.
#include <uv.h>
