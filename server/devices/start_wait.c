#include "server/devices/start_wait.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"

static const double ask_every_s = 5, answer_within_s = 2;

static bool since(int64_t ns, double seconds)
{
    return clock_monotonic_ns() - ns >= (int64_t)(seconds * 1e9);
}

void start_wait_end(struct start_wait *waiting)
{
    if (waiting->asked)
        child_end(waiting->asked, 0);
    child_free(waiting->asked);
    waiting->asked = NULL;
}

/* Of ASCII, because it goes into JSON. */
static void answer_keep(struct start_wait *waiting, const char *line, size_t length)
{
    size_t kept = length < sizeof waiting->answer ? length : sizeof waiting->answer - 1;
    for (size_t i = 0; i < kept; i++)
        waiting->answer[i] = line[i] >= ' ' && line[i] <= '~' ? line[i] : ' ';
    waiting->answer[kept] = '\0';
}

static void listen_to_answer(struct start_wait *waiting)
{
    struct protocol_frame frame;
    enum child_event event = child_next(waiting->asked, -1, 0, &frame);
    if (event == CHILD_QUIET && !since(waiting->asked_ns, answer_within_s))
        return;
    /* One line and no more: a command may have lines without end. */
    if (event == CHILD_FRAME)
        answer_keep(waiting, frame.header, frame.header_bytes);
    else
        waiting->answer[0] = '\0'; /* what it said earlier may be true no more */
    start_wait_end(waiting);
}

static void ask(struct start_wait *waiting)
{
    struct error error = {0};
    waiting->asked_ns = clock_monotonic_ns();
    if (child_start(&waiting->asked, "what a start waits for", waiting->why, false, &error) < 0) {
        waiting->asked = NULL;
        waiting->answer[0] = '\0';
        log_debug("%s", error.text);
    }
}

/* The last lines that fit, as one: srun says in one why its job waits, and in the next that it does. */
static void lines_keep(const struct child *starting, char *text, size_t size)
{
    char said[CHILD_SAID_BYTES], *from = said;
    child_last_said(starting, said);
    while (strlen(from) >= size && strchr(from, '\n'))
        from = strchr(from, '\n') + 1;
    for (char *at = from; (at = strchr(at, '\n'));)
        *at = ' ';
    size_t length = strnlen(from, size - 1);
    memcpy(text, from, length);
    text[length] = '\0';
}

bool start_wait_look(struct start_wait *waiting, const struct child *starting, char text[WAITING_TEXT_BYTES])
{
    char said[WAITING_TEXT_BYTES - sizeof waiting->answer - 3], before[WAITING_TEXT_BYTES];
    if (waiting->asked)
        listen_to_answer(waiting);
    else if (waiting->why && (!waiting->asked_ns || since(waiting->asked_ns, ask_every_s)))
        ask(waiting);
    memcpy(before, text, sizeof before);
    lines_keep(starting, said, sizeof said);
    const char *answer = waiting->answer;
    if (said[0] && answer[0])
        snprintf(text, WAITING_TEXT_BYTES, "%s (%s)", said, answer);
    else
        snprintf(text, WAITING_TEXT_BYTES, "%s", said[0] ? said : answer);
    return strcmp(before, text) != 0;
}
