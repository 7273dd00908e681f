/* Reports the state of the service to systemd (Type=notify): one datagram to the socket named by
   $NOTIFY_SOCKET, as the manual of sd_notify(3) describes for programs that do without libsystemd. Without
   that variable nothing is done. */
#pragma once

/* Lines of that protocol: "READY=1\nSTATUS=...". A text of more than 1023 bytes is cut off. What cannot be
   sent is logged at level debug, and nothing waits for it. */
void notify(const char *format, ...) __attribute__((format(printf, 1, 2)));
