/* The table of products, and the search in it. */
#include "kernels/model/product.h"

#include <ctype.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* clang-format off */
static const struct {
    const char *name, *arch;
} products[] = {
    {"GT 240", "sm_12"},
    {"C1060", "sm_13"}, {"M1060", "sm_13"}, {"GTX 260", "sm_13"}, {"GTX 280", "sm_13"}, {"GTX 285", "sm_13"},
    {"C2050", "sm_20"}, {"C2070", "sm_20"}, {"C2075", "sm_20"}, {"M2050", "sm_20"}, {"M2070", "sm_20"},
    {"M2075", "sm_20"}, {"M2090", "sm_20"}, {"GTX 470", "sm_20"}, {"GTX 480", "sm_20"}, {"GTX 570", "sm_20"},
    {"GTX 580", "sm_20"}, {"GTX 460", "sm_21"}, {"GTX 560", "sm_21"},
    {"K10", "sm_30"}, {"GTX 660", "sm_30"}, {"GTX 670", "sm_30"}, {"GTX 680", "sm_30"}, {"GTX 690", "sm_30"},
    {"GTX 770", "sm_30"},
    {"K20", "sm_35"}, {"K20c", "sm_35"}, {"K20m", "sm_35"}, {"K20s", "sm_35"}, {"K20X", "sm_35"}, {"K20Xm", "sm_35"},
    {"K40", "sm_35"}, {"K40c", "sm_35"}, {"K40m", "sm_35"}, {"K40s", "sm_35"}, {"GTX 780", "sm_35"},
    {"K80", "sm_37"},
    {"GTX 750", "sm_50"},
    {"M4", "sm_52"}, {"M40", "sm_52"}, {"M60", "sm_52"}, {"GTX 960", "sm_52"}, {"GTX 970", "sm_52"}, {"GTX 980", "sm_52"},
    {"P100", "sm_60"}, {"GP100", "sm_60"},
    {"P4", "sm_61"}, {"P40", "sm_61"}, {"GTX 1050", "sm_61"}, {"GTX 1060", "sm_61"}, {"GTX 1070", "sm_61"},
    {"GTX 1080", "sm_61"},
    {"V100", "sm_70"}, {"V100S", "sm_70"}, {"TITAN V", "sm_70"}, {"GV100", "sm_70"},
    {"T4", "sm_75"}, {"GTX 1650", "sm_75"}, {"GTX 1660", "sm_75"}, {"RTX 2060", "sm_75"}, {"RTX 2070", "sm_75"},
    {"RTX 2080", "sm_75"}, {"TITAN RTX", "sm_75"},
    {"A30", "sm_80"}, {"A100", "sm_80"},
    {"A2", "sm_86"}, {"A10", "sm_86"}, {"A16", "sm_86"}, {"A40", "sm_86"}, {"RTX A6000", "sm_86"}, {"RTX 3060", "sm_86"},
    {"RTX 3070", "sm_86"}, {"RTX 3080", "sm_86"}, {"RTX 3090", "sm_86"},
    {"L4", "sm_89"}, {"L40", "sm_89"}, {"L40S", "sm_89"}, {"RTX 4060", "sm_89"}, {"RTX 4070", "sm_89"},
    {"RTX 4080", "sm_89"}, {"RTX 4090", "sm_89"},
    {"H100", "sm_90"}, {"H200", "sm_90"}, {"H800", "sm_90"}, {"GH200", "sm_90"},
    {"B200", "sm_100"}, {"GB200", "sm_100"}, {"B300", "sm_103"}, {"GB300", "sm_103"},
    {"RTX 5070", "sm_120"}, {"RTX 5080", "sm_120"}, {"RTX 5090", "sm_120"}, {"GB10", "sm_121"},
};
/* clang-format on */
enum { PRODUCTS = sizeof products / sizeof *products };

const char *product_at(int index)
{
    return index < PRODUCTS ? products[index].name : NULL;
}

const char *product_own(const char *text)
{
    static const char *const words[] = {"nvidia ", "tesla ", "geforce ", "quadro "};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strncasecmp(text, words[i], strlen(words[i])) == 0)
            text += strlen(words[i]);
    return text;
}

/* The number of bytes that are digits, at least one; 0 when there are other characters ("3.7", "sm_37"). */
static size_t digits_only(const char *text)
{
    size_t count = strspn(text, "0123456789");
    return count <= 3 && !text[count] ? count : 0;
}

bool product_arch(const char *text, char arch[PRODUCT_ARCH_BYTES])
{
    const char *dot = strchr(text, '.');
    arch[0] = '\0';
    if (strncasecmp(text, "sm_", 3) == 0 && digits_only(text + 3)) {
        snprintf(arch, PRODUCT_ARCH_BYTES, "sm_%.3s", text + 3);
    } else if (dot && dot > text && dot - text <= 2 && strspn(text, "0123456789") == (size_t)(dot - text) &&
               digits_only(dot + 1) == 1) {
        snprintf(arch, PRODUCT_ARCH_BYTES, "sm_%.*s%.1s", (int)(dot - text), text, dot + 1);
    } else {
        const char *own = product_own(text);
        for (int i = 0; i < PRODUCTS && !arch[0]; i++) {
            size_t length = strlen(products[i].name);
            if (strncasecmp(own, products[i].name, length) == 0 && !isalnum((unsigned char)own[length]))
                snprintf(arch, PRODUCT_ARCH_BYTES, "%s", products[i].arch);
        }
    }
    return arch[0] != '\0';
}
