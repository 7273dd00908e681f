#include "server/store/id.h"

#include <pthread.h>
#include <string.h>
#include <sys/random.h>

#include "base/clock.h"

enum { RANDOM_BITS = 80 };
static const char alphabet[] = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/* 128 bits: milliseconds, then random bits. */
typedef unsigned __int128 id_value;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static id_value last; /* of the newest id; guarded by the lock */

/* 26 characters of 5 bits hold 130: the first character carries only 3. */
static void value_write(id_value value, char id[ID_BYTES])
{
    for (int i = ID_BYTES - 2; i >= 0; i--, value >>= 5)
        id[i] = alphabet[(unsigned)value & 31];
    id[ID_BYTES - 1] = '\0';
}

static id_value value_read(const char *id)
{
    id_value value = 0;
    for (; *id; id++)
        value = value << 5 | (unsigned)(strchr(alphabet, *id) - alphabet);
    return value;
}

void id_next(char id[ID_BYTES])
{
    unsigned char random[RANDOM_BITS / 8];
    id_value fresh = (id_value)clock_wall_ms();
    pthread_mutex_lock(&lock);
    /* Within a millisecond, after the clock went back, and when the system gives no random bits the id counts
       up, which is still unique and in order. */
    if (fresh > last >> RANDOM_BITS && getrandom(random, sizeof random, 0) == (ssize_t)sizeof random) {
        for (size_t i = 0; i < sizeof random; i++)
            fresh = fresh << 8 | random[i];
        last = fresh;
    } else {
        last++;
    }
    value_write(last, id);
    pthread_mutex_unlock(&lock);
}

void id_start_after(const char *id)
{
    if (!id_valid(id))
        return;
    id_value value = value_read(id);
    pthread_mutex_lock(&lock);
    if (value > last)
        last = value;
    pthread_mutex_unlock(&lock);
}

bool id_valid(const char *text)
{
    return text && strlen(text) == ID_BYTES - 1 && strspn(text, alphabet) == ID_BYTES - 1 && text[0] <= '7';
}

int64_t id_ms(const char *id)
{
    return (int64_t)(value_read(id) >> RANDOM_BITS);
}

void id_least(int64_t ms, char id[ID_BYTES])
{
    value_write(ms > 0 ? (id_value)ms << RANDOM_BITS : 0, id);
}
