#include "kernels/source/access_line.h"

#include <ctype.h>
#include <string.h>

#include <algorithm>
#include <set>
#include <string>

static bool is_of_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Returns that line of the text, from 1; "" if there is none. */
static std::string line_of(const std::string &text, int line)
{
    size_t from = 0;
    for (int i = 1; i < line && from < text.size(); i++)
        from = std::min(text.size(), text.find('\n', from)) + 1;
    return from < text.size() ? text.substr(from, text.find('\n', from) - from) : "";
}

/* Whether that line of the text has the name as a word, and not as a member: blockIdx.x does not name x. */
static bool line_names(const char *text, int line, const char *name)
{
    const std::string code = line_of(text, line);
    const size_t length = strlen(name);
    for (size_t at = code.find(name); at != std::string::npos; at = code.find(name, at + length))
        if ((!at || (!is_of_name(code[at - 1]) && code[at - 1] != '.')) && !is_of_name(code[at + length]))
            return true;
    return false;
}

/* Returns the text with blanks in place of comments. */
static std::string without_comments(const char *text)
{
    std::string code = text;
    for (size_t at = 0; at + 1 < code.size(); at++) {
        const bool line = code.compare(at, 2, "//") == 0;
        if (!line && code.compare(at, 2, "/*") != 0)
            continue;
        size_t end = line ? code.find('\n', at) : code.find("*/", at + 2);
        end = end == std::string::npos ? code.size() : line ? end : end + 2;
        for (; at < end; at++)
            code[at] = code[at] == '\n' ? '\n' : ' ';
    }
    return code;
}

/* Whether the array may get another name there: its address is taken, a reference is bound to it, or a macro names it. */
static bool is_renamed(const std::string &code, size_t at)
{
    const size_t start = at ? code.rfind('\n', at - 1) + 1 : 0;
    std::string before = code.substr(start, at - start);
    for (size_t both; (both = before.find("&&")) != std::string::npos;)
        before.erase(both, 2);
    return before.find('&') != std::string::npos || before.find("#define") != std::string::npos;
}

/* Returns the line, from 1, on which the kernel accesses the array, if it does on one line alone: 0, if on several; -1, if
   that is not known, because the array may have another name, or is never used. */
static int line_of_accesses(const source_kernel *kernel, const char *name)
{
    const std::string code = without_comments(kernel->draft.source);
    const size_t length = strlen(name), head = code.find(source_kernel_spoken(&kernel->kernel)),
                 body = head == std::string::npos ? head : code.find('{', head);
    int found = -1;
    for (size_t at = code.find(name); at != std::string::npos; at = code.find(name, at + length)) {
        if ((at && (is_of_name(code[at - 1]) || code[at - 1] == '.')) || is_of_name(code[at + length]))
            continue;
        const bool inside = body != std::string::npos && at > body;
        const size_t next = code.find_first_not_of(' ', at + length);
        if ((inside && (next == std::string::npos || code[next] != '[' || is_renamed(code, at))) ||
            (!inside && code.substr(code.rfind('\n', at) + 1, 7) == "#define"))
            return -1;
        if (!inside)
            continue;
        const int line = 1 + (int)std::count(code.begin(), code.begin() + (std::ptrdiff_t)at, '\n');
        found = found < 0 || found == line ? line : 0;
    }
    return found;
}

/* Whether the line, from 1, accesses no memory for sure: it has braces, `else` and barriers alone, or gives a new scalar a
   value of constants and of the thread's place. An access that is told there was moved by the compiler. */
static bool line_accesses_nothing(const char *text, int line)
{
    static const std::set<std::string> types = {"int",    "unsigned", "const", "long",
                                                "size_t", "auto",     "float", "double"},
                                       places = {"blockIdx", "threadIdx", "blockDim", "gridDim",
                                                 "x",        "y",         "z"};
    std::string code = line_of(without_comments(text), line);
    for (const char *word : {"__syncthreads()", "__syncwarp()", "else"})
        if (size_t at = code.find(word); at != std::string::npos)
            code.erase(at, strlen(word));
    if (code.find_first_of("[&>#") != std::string::npos)
        return false;
    bool typed = false, named = false;
    for (size_t at = 0; at < code.size();) {
        size_t end = at;
        while (end < code.size() && is_of_name(code[end]))
            end++;
        const std::string word = code.substr(at, end - at);
        at = std::max(end, at + 1);
        if (word.empty() || isdigit((unsigned char)word[0]) || places.count(word))
            continue;
        if (types.count(word))
            typed = true;
        else if (!typed || named)
            return false;
        else
            named = true;
    }
    return true;
}

ptx_position access_line_find(const source_kernel *kernel, const ptx_position &position, const char *array,
                              int joined[2])
{
    const char *text = kernel->draft.source;
    ptx_position place = position;
    joined[0] = joined[1] = 0;
    if (!text)
        return place;
    if (!array || !*array) {
        if (position.line > 0 && line_accesses_nothing(text, position.line))
            place.line = place.column = 0;
        return place;
    }
    if (position.line > 0 && line_names(text, position.line, array))
        return place;
    int line = -1;
    if (position.branch_lines[0]) {
        const bool first = line_names(text, position.branch_lines[0], array),
                   second = line_names(text, position.branch_lines[1], array);
        line = first && second ? 0
               : first         ? position.branch_lines[0]
               : second        ? position.branch_lines[1]
                               : -1;
        if (line == 0)
            std::copy(position.branch_lines, position.branch_lines + 2, joined);
    }
    if (line < 0)
        line = line_of_accesses(kernel, array);
    if (line < 0)
        return place;
    place.line = line;
    place.column = 0;
    return place;
}
