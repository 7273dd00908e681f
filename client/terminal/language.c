#include "client/terminal/language.h"

#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *english, *chinese;
} language_texts[] = {
#include "client/terminal/language_help.inc"
#include "client/terminal/language_texts.inc"
};

/* Texts of the C library and of libcurl, whose own translations are rarely installed. */
static const struct {
    const char *english, *chinese;
} system_texts[] = {
    {"Couldn't connect to server", "无法连接到服务器"},
    {"Could not connect to server", "无法连接到服务器"},
    {"Couldn't resolve host name", "无法解析主机名"},
    {"Could not resolve hostname", "无法解析主机名"},
    {"URL using bad/illegal format or missing URL", "URL 格式不正确，或没有给出 URL"},
    {"Unsupported protocol", "不支持的协议"},
    {"Timeout was reached", "超时"},
    {"Server returned nothing (no headers, no data)", "服务器没有返回任何内容"},
    {"Failure when receiving data from the peer", "接收数据失败"},
    {"Failed sending data to the peer", "发送数据失败"},
    {"No such file or directory", "没有该文件或目录"},
    {"Permission denied", "权限不足"},
    {"Is a directory", "是目录"},
    {"Not a directory", "不是目录"},
    {"No space left on device", "磁盘已满"},
    {"Read-only file system", "文件系统只读"},
};

/* [English with % for anything, Chinese with {1} for what stood there and {1%} for the same as per cent]: made from
   web/reasons.js, where some have what an English page says behind them. */
static const char *const reasons[][3] = {
#include "reasons_zh.inc"
};

enum { PLACES = 9 };

static bool ascii_alone = true, is_chinese;

/* The first of the variables that is set and not empty; "" for none. */
static const char *first_set(const char *const names[3])
{
    for (int i = 0; i < 3; i++) {
        const char *value = getenv(names[i]);
        if (value && *value)
            return value;
    }
    return "";
}

void language_open(bool ascii)
{
    static const char *const messages[] = {"LC_ALL", "LC_MESSAGES", "LANG"}, *const characters[] = {
                                                                                 "LC_ALL", "LC_CTYPE",
                                                                                 "LANG"};
    /* A locale that is named but not installed here still says what the terminal shows. */
    if (!setlocale(LC_CTYPE, "") && strstr(first_set(characters), "UTF-8"))
        setlocale(LC_CTYPE, "C.UTF-8");
    ascii_alone = ascii || strcmp(nl_langinfo(CODESET), "UTF-8") != 0;
    is_chinese = !ascii_alone && strncmp(first_set(messages), "zh", 2) == 0;
}

bool language_is_ascii(void)
{
    return ascii_alone;
}

bool language_is_chinese(void)
{
    return is_chinese;
}

const char *language_text(const char *english)
{
    for (size_t i = 0; is_chinese && i < sizeof language_texts / sizeof *language_texts; i++)
        if (strcmp(language_texts[i].english, english) == 0)
            return language_texts[i].chinese;
    return english;
}

const char *language_system(const char *english)
{
    for (size_t i = 0; is_chinese && i < sizeof system_texts / sizeof *system_texts; i++)
        if (strcmp(system_texts[i].english, english) == 0)
            return system_texts[i].chinese;
    return english;
}

/* ---- reasons ---- */

struct place {
    const char *from;
    size_t length;
};

/* True when the pattern makes the text; what its '%' stand for is then in `places`, the shortest that fits. */
static bool matches(const char *pattern, const char *text, struct place *places, int left)
{
    while (*pattern && *pattern != '%' && *pattern == *text)
        pattern++, text++;
    if (!*pattern)
        return strcmp(text, "") == 0 || strcmp(text, ".") == 0;
    if (*pattern != '%' || left == 0)
        return false;
    for (size_t length = 1; length <= strlen(text); length++) {
        *places = (struct place){text, length};
        if (matches(pattern + 1, text + length, places + 1, left - 1))
            return true;
    }
    return false;
}

/* Writes the Chinese with its places filled in. */
static void fill(const char *chinese, const struct place *places, char text[LANGUAGE_REASON_BYTES])
{
    size_t used = 0;
    while (*chinese && used + 1 < LANGUAGE_REASON_BYTES) {
        bool place = chinese[0] == '{' && chinese[1] >= '1' && chinese[1] <= '9';
        const struct place *one = place ? &places[chinese[1] - '1'] : NULL;
        int length = 1;
        if (!place)
            text[used] = *chinese;
        else if (chinese[2] == '%') {
            double percent = 100 * strtod(one->from, NULL);
            length = snprintf(text + used, LANGUAGE_REASON_BYTES - used,
                              percent < 99.5 ? "%.2g %%" : "%.0f %%", percent);
        } else
            length = snprintf(text + used, LANGUAGE_REASON_BYTES - used, "%.*s", (int)one->length, one->from);
        used += (size_t)length;
        chinese += !place ? 1 : chinese[2] == '%' ? 4 : 3;
    }
    text[used < LANGUAGE_REASON_BYTES ? used : LANGUAGE_REASON_BYTES - 1] = '\0';
}

const char *language_reason(const char *english, char text[LANGUAGE_REASON_BYTES])
{
    struct place places[PLACES] = {{"", 0}};
    const char *behind =
        english + strspn(english, "#/._abcdefghijklmnopqrstuvwxyz0123456789"); /* its field */
    behind = strncmp(behind, ": ", 2) == 0 ? behind + 2 : english;
    for (size_t i = 0; is_chinese && i < sizeof reasons / sizeof *reasons; i++)
        if (matches(reasons[i][0], english, places, PLACES) ||
            matches(reasons[i][0], behind, places, PLACES)) {
            fill(reasons[i][1], places, text);
            return text;
        }
    return english;
}

const char *language_without_line(const char *detail, int line)
{
    char place[64];
    snprintf(place, sizeof place, language_text("line %d: "), line);
    return strncmp(detail, place, strlen(place)) == 0 ? detail + strlen(place) : detail;
}
