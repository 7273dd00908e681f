/* A scanner of PTX: comments, texts, statements and their first word. */
#include "executor/compiler_assembly.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct scanner {
    const char *at;
    bool inside;    /* between the marks */
    bool statement; /* the next word begins a statement */
    struct compiler_directive *found;
};

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* After a comment, a text or a blank; NULL: there is none here. */
static const char *skip(const char *at)
{
    const char *end;
    if (begins(at, "//"))
        return at + strcspn(at, "\n");
    if (begins(at, "/*"))
        return (end = strstr(at + 2, "*/")) ? end + 2 : at + strlen(at);
    if (*at == '"')
        return (end = strpbrk(at + 1, "\"\n")) ? end + 1 : at + strlen(at);
    return isspace((unsigned char)*at) ? at + 1 : NULL;
}

static bool refuse(struct scanner *scanner, const char *name, size_t length)
{
    snprintf(scanner->found->name, sizeof scanner->found->name, "%.*s", (int)length, name);
    return true;
}

/* ".loc 1 7 9": file 1 is the user's source. */
static void read_place(struct scanner *scanner, const char *at)
{
    char *end;
    unsigned long file = strtoul(at, &end, 10), line = strtoul(end, &end, 10),
                  column = strtoul(end, &end, 10);
    if (file == 1) {
        scanner->found->line = (unsigned)line;
        scanner->found->column = (unsigned)column;
    }
}

/* A word from a dot on. True: it may not be here. */
static bool check_word(struct scanner *scanner, const char *word, size_t length)
{
    bool is_include = length == strlen(".include") && strncasecmp(word, ".include", length) == 0;
    if (is_include || (scanner->inside && scanner->statement && !(length == 4 && begins(word, ".reg"))))
        return refuse(scanner, word, length);
    if (scanner->statement && length == 4 && begins(word, ".loc"))
        read_place(scanner, word + length);
    return false;
}

/* True: a mark that does not match. */
static bool check_mark(struct scanner *scanner)
{
    static const char begin[] = "// begin inline asm", end[] = "// end inline asm";
    bool opens = begins(scanner->at, begin), closes = begins(scanner->at, end);
    if ((opens && scanner->inside) || (closes && !scanner->inside))
        return refuse(scanner, scanner->at, strlen(opens ? begin : end));
    if (opens || closes) {
        scanner->inside = opens;
        scanner->statement = true;
    }
    return false;
}

bool compiler_assembly_find(const char *ptx, struct compiler_directive *found)
{
    static const char word[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_$";
    struct scanner scanner = {.at = ptx, .statement = true, .found = found};
    *found = (struct compiler_directive){0};
    while (*scanner.at) {
        if (check_mark(&scanner))
            return true;
        const char *after = skip(scanner.at);
        if (after) {
            /* Outside of assembly a directive such as .loc ends with its line, not with a semicolon. */
            scanner.statement |= !scanner.inside && memchr(scanner.at, '\n', (size_t)(after - scanner.at));
            scanner.at = after;
            continue;
        }
        size_t length =
            1 + (*scanner.at == '.' || strchr(word, *scanner.at) ? strspn(scanner.at + 1, word) : 0);
        if (*scanner.at == '.' && check_word(&scanner, scanner.at, length))
            return true;
        scanner.statement = strchr(";{}:", *scanner.at);
        scanner.at += length;
    }
    return false;
}
