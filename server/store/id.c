#include "server/store/id.h"

#include <pthread.h>
#include <string.h>
#include <sys/random.h>

#include "base/clock.h"

enum { TIME_BYTES = 6, VALUE_BYTES = 16 };

static const char alphabet[] = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/* Guards `last`, the value of the newest id: 128 bits, most significant byte first. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint8_t last[VALUE_BYTES];

static void value_count_up(uint8_t value[VALUE_BYTES])
{
    for (int i = VALUE_BYTES - 1; i >= 0; i--)
        if (++value[i])
            return;
}

/* 26 characters of 5 bits hold 130: the first character carries only 3. */
static void value_write(const uint8_t value[VALUE_BYTES], char id[ID_BYTES])
{
    unsigned __int128 number = 0;
    for (int i = 0; i < VALUE_BYTES; i++)
        number = number << 8 | value[i];
    for (int i = ID_BYTES - 2; i >= 0; i--, number >>= 5)
        id[i] = alphabet[(unsigned)number & 31];
    id[ID_BYTES - 1] = '\0';
}

static void value_read(const char *id, uint8_t value[VALUE_BYTES])
{
    unsigned __int128 number = 0;
    for (int i = 0; i < ID_BYTES - 1; i++)
        number = number << 5 | (unsigned)(strchr(alphabet, id[i]) - alphabet);
    for (int i = VALUE_BYTES - 1; i >= 0; i--, number >>= 8)
        value[i] = (uint8_t)number;
}

void id_next(char id[ID_BYTES])
{
    uint8_t fresh[VALUE_BYTES];
    int64_t now_ms = clock_wall_ms();
    for (int i = 0; i < TIME_BYTES; i++)
        fresh[i] = (uint8_t)(now_ms >> 8 * (TIME_BYTES - 1 - i));

    pthread_mutex_lock(&lock);
    /* Within a millisecond, after the clock went back, and when the system gives no random bits the id counts
       up, which is still unique and in order. */
    size_t random_bytes = VALUE_BYTES - TIME_BYTES;
    if (memcmp(fresh, last, TIME_BYTES) > 0 &&
        getrandom(fresh + TIME_BYTES, random_bytes, 0) == (ssize_t)random_bytes)
        memcpy(last, fresh, sizeof last);
    else
        value_count_up(last);
    value_write(last, id);
    pthread_mutex_unlock(&lock);
}

void id_start_after(const char *id)
{
    if (!id_valid(id))
        return;
    uint8_t value[VALUE_BYTES];
    value_read(id, value);
    pthread_mutex_lock(&lock);
    if (memcmp(value, last, sizeof last) > 0)
        memcpy(last, value, sizeof last);
    pthread_mutex_unlock(&lock);
}

bool id_valid(const char *text)
{
    return text && strlen(text) == ID_BYTES - 1 && strspn(text, alphabet) == ID_BYTES - 1 && text[0] <= '7';
}

int64_t id_ms(const char *id)
{
    uint8_t value[VALUE_BYTES];
    int64_t ms = 0;
    value_read(id, value);
    for (int i = 0; i < TIME_BYTES; i++)
        ms = ms << 8 | value[i];
    return ms;
}

void id_least(int64_t ms, char id[ID_BYTES])
{
    uint8_t value[VALUE_BYTES] = {0};
    for (int i = 0; ms > 0 && i < TIME_BYTES; i++)
        value[i] = (uint8_t)(ms >> 8 * (TIME_BYTES - 1 - i));
    value_write(value, id);
}
