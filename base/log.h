/* Log lines on standard error: time, level, text. Where standard error is systemd's journal, as
   $JOURNAL_STREAM says, the level goes before the text as "<6>" and the journal has the time. Safe from
   any thread. */
#pragma once

enum log_level { LOG_ERROR, LOG_WARNING, LOG_INFO, LOG_DEBUG };

/* Lines above this level are dropped; LOG_INFO at the start. */
void log_set_level(enum log_level level);

/* From here on lines are the text alone: for a process whose standard error goes into another one's log,
   and into reasons that must not differ from one time to the next. */
void log_set_plain(void);

void log_line(enum log_level level, const char *format, ...) __attribute__((format(printf, 2, 3)));

#define log_error(...) log_line(LOG_ERROR, __VA_ARGS__)
#define log_warning(...) log_line(LOG_WARNING, __VA_ARGS__)
#define log_info(...) log_line(LOG_INFO, __VA_ARGS__)
#define log_debug(...) log_line(LOG_DEBUG, __VA_ARGS__)
