#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/cdefs.h>

__BEGIN_DECLS

/* "2026-11-21T06:41:19.123Z" and its end */
enum { CLOCK_TEXT_BYTES = 25 };

/* Nanoseconds on a clock that never jumps; its zero means nothing. */
int64_t clock_monotonic_ns(void);

/* That clock in so many seconds. */
int64_t clock_after_ns(double seconds);

/* True when so many seconds have passed on that clock since `ns`. */
bool clock_passed(int64_t ns, double seconds);

/* The same, which goes on while the machine sleeps. */
int64_t clock_boot_ns(void);

/* Nanoseconds of processor time that the calling thread has had. */
int64_t clock_thread_ns(void);

/* Milliseconds since 1970-01-01T00:00:00Z. */
int64_t clock_wall_ms(void);

/* RFC 3339 in UTC with milliseconds. */
void clock_text(int64_t wall_ms, char text[CLOCK_TEXT_BYTES]);

/* Reads RFC 3339 ("2026-11-21T06:41:19.123Z", "2026-11-21T06:41:19+01:00"), or a date alone: its begin in
   UTC. 0, or -1: it is neither. Milliseconds since 1970, from 1 on. */
int clock_read(const char *text, int64_t *wall_ms);

__END_DECLS
