#pragma once
// No feature macro here, nor in any other shim: Swift imports Glibc without one, and modules that see the system
// headers differently do not go together.
#include <postgresql/libpq-fe.h>

// What the server has to say beside errors (a table that is there already) is not printed.
static inline void kb_pq_ignore(void *argument, const PGresult *result) {}

static inline void kb_pq_silence(PGconn *connection) { PQsetNoticeReceiver(connection, kb_pq_ignore, 0); }
