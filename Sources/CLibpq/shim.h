#pragma once
// No feature macro here, nor in any other shim: Swift imports Glibc without one, and modules that see the system
// headers differently do not go together.
#include <postgresql/libpq-fe.h>

// What the server has to say beside errors (a table that is there already) is not printed.
static inline void kb_pq_ignore(void *argument, const PGresult *result) {}

// What kind of failure it is, five characters; null: it is none of the server. The macro of a character is not shown to Swift.
static inline const char *kb_pq_state(const PGresult *result) { return PQresultErrorField(result, PG_DIAG_SQLSTATE); }

static inline void kb_pq_silence(PGconn *connection) { PQsetNoticeReceiver(connection, kb_pq_ignore, 0); }
