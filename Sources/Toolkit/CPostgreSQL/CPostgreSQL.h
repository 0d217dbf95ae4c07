// The system's libpq: https://www.postgresql.org/docs/15/libpq.html

#ifndef CPOSTGRESQL_H
#define CPOSTGRESQL_H

#include <libpq-fe.h>

#endif
