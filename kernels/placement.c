/* Random spacers and the names of placements. */
#include "kernels/placement.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/clock.h"

const char *placement_text(enum placement placement)
{
    static const char *const names[PLACEMENTS] = {"keep", "new"};
    return names[placement];
}

static uint64_t random_bits(void)
{
    uint64_t bits;
    if (getrandom(&bits, sizeof bits, GRND_NONBLOCK) != sizeof bits)
        bits = ((uint64_t)getpid() << 40) ^ (uint64_t)clock_monotonic_ns();
    return bits;
}

uint64_t placement_nonce(void)
{
    return random_bits();
}

void placement_name(struct placed *placed, uint64_t nonce, const struct reserved *place)
{
    snprintf(placed->name, sizeof placed->name, "%016" PRIx64 "-%" PRIu64, nonce, place->allocation);
    placed->fresh = place->fresh;
}

uint64_t placement_spacer(uint64_t step, uint64_t least, uint64_t most)
{
    return most < least ? 0 : least + random_bits() % ((most - least) / step + 1) * step;
}
