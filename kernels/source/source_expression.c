/* muParser behind a list of what may stand in an expression: what the library knows besides (assignments, texts, lists) is
   refused before it sees it. */
#include "kernels/source/source_expression.h"

#include <ctype.h>
#include <fenv.h>
#include <math.h>
#include <muParserDLL.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FUNCTIONS "ceil, floor, round, abs, min and max"

static const char name_letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.";
static const double exact_most = 9007199254740992; /* 2^53 */

struct source_expression {
    char text[SOURCE_EXPRESSION_BYTES + 1];
    muParserHandle_t parser;
    bool fractional; /* it has a division or a fraction: a step may be rounded, and the result be right */
    uint32_t used;   /* bit i: the name of index i */
    int count;
    pthread_mutex_t lock; /* guards the parser and `values`, which it reads */
    double values[SOURCE_EXPRESSION_NAMES];
};

/* ---- functions ---- */

static double least(const double *values, int count)
{
    double found = values[0];
    for (int i = 1; i < count; i++)
        found = fmin(found, values[i]);
    return found;
}

static double greatest(const double *values, int count)
{
    double found = values[0];
    for (int i = 1; i < count; i++)
        found = fmax(found, values[i]);
    return found;
}

/* ceil and its like are macros or have several types in some C libraries; these have one. */
static double up(double value)
{
    return ceil(value);
}

static double down(double value)
{
    return floor(value);
}

static double nearest(double value)
{
    return round(value);
}

static double size_of(double value)
{
    return fabs(value);
}

/* Without a handler the library prints its errors. */
static void keep_quiet(muParserHandle_t parser)
{
    (void)parser;
}

static void define_all(struct source_expression *e, const char *const *names)
{
    mupSetErrorHandler(e->parser, keep_quiet);
    mupClearFun(e->parser);
    mupClearConst(e->parser);
    mupDefineNameChars(e->parser, name_letters);
    mupDefineFun1(e->parser, "ceil", up, 1);
    mupDefineFun1(e->parser, "floor", down, 1);
    mupDefineFun1(e->parser, "round", nearest, 1);
    mupDefineFun1(e->parser, "abs", size_of, 1);
    mupDefineMultFun(e->parser, "min", least, 1);
    mupDefineMultFun(e->parser, "max", greatest, 1);
    for (int i = 0; i < e->count; i++) {
        e->values[i] = 1;
        mupDefineVar(e->parser, names[i], &e->values[i]);
    }
}

/* ---- parsing ---- */

/* The part of the text that is one name or number. */
static size_t word_length(const char *text)
{
    return strspn(text, name_letters);
}

static int check_number(const char *text, size_t at, size_t length, struct error *error)
{
    char *end;
    double number = strtod(text + at, &end);
    if (end < text + at + length)
        return error_set(error, ERROR_INVALID, "character %zu: \"%.*s\" is neither a number nor a name",
                         at + 1, (int)(length < 40 ? length : 40), text + at);
    if (number > exact_most)
        return error_set(error, ERROR_INVALID,
                         "character %zu: %.*s is above 2^53, up to which numbers are exact", at + 1,
                         (int)(length < 40 ? length : 40), text + at);
    return 0;
}

/* Looks at each letter, so that the library sees nothing but what is meant. */
static int check_text(struct source_expression *e, const char *const *names, struct error *error)
{
    int depth = 0;
    for (size_t at = 0, length; e->text[at]; at += length) {
        char letter = e->text[at];
        length = word_length(e->text + at);
        if (length && (isdigit((unsigned char)letter) || letter == '.')) {
            if (check_number(e->text, at, length, error) < 0)
                return -1;
            e->fractional = e->fractional || strcspn(e->text + at, ".eE") < length;
        } else if (length) {
            for (int i = 0; i < e->count; i++)
                if (strlen(names[i]) == length && memcmp(names[i], e->text + at, length) == 0)
                    e->used |= UINT32_C(1) << i;
        } else if (!strchr(" +-*/(),", letter)) {
            return isprint((unsigned char)letter)
                       ? error_set(error, ERROR_INVALID,
                                   "character %zu: \"%c\" has no place in an expression: numbers, names, + - "
                                   "* / ( ) and " FUNCTIONS,
                                   at + 1, letter)
                       : error_set(error, ERROR_INVALID,
                                   "character %zu: a byte that has no place in an expression", at + 1);
        }
        e->fractional = e->fractional || letter == '/';
        depth += (letter == '(') - (letter == ')');
        if (letter == ',' && depth < 1)
            return error_set(error, ERROR_INVALID,
                             "character %zu: a comma stands only within min() and max()", at + 1);
        length += !length;
    }
    return 0;
}

/* "n, offset"; "none". */
static void names_list(const struct source_expression *e, const char *const *names, char *list, size_t size)
{
    snprintf(list, size, "none");
    for (int i = 0, used = 0; i < e->count && used < (int)size; i++)
        used += snprintf(list + used, size - (size_t)used, "%s%s", i ? ", " : "", names[i]);
}

/* Our sentence for an error code of muParser (muParserError.h). */
static int parse_error(struct source_expression *e, const char *const *names, struct error *error)
{
    enum { UNKNOWN = 1, AT_END = 2, MISSING_PARENTHESIS = 11, TOO_MANY = 14, TOO_FEW = 15, EMPTY = 25 };
    int code = mupGetErrorCode(e->parser), position = mupGetErrorPos(e->parser) + 1;
    const char *token = mupGetErrorToken(e->parser);
    char list[160];
    names_list(e, names, list, sizeof list);
    switch (code) {
    case EMPTY:
        return error_set(error, ERROR_INVALID, "is empty");
    case UNKNOWN:
        return error_set(error, ERROR_INVALID,
                         "character %d: \"%.40s\" is no scalar argument; there are: %s; and " FUNCTIONS,
                         position, token, list);
    case AT_END:
        return error_set(error, ERROR_INVALID, "it ends where a number or a name is wanted");
    case MISSING_PARENTHESIS:
        return error_set(error, ERROR_INVALID, "a \")\" is missing");
    case TOO_MANY:
    case TOO_FEW:
        return error_set(error, ERROR_INVALID,
                         "character %d: the function \"%.40s\" takes another number of values", position,
                         token);
    default:
        return error_set(error, ERROR_INVALID, "character %d: \"%.40s\" has no place here", position, token);
    }
}

struct source_expression *source_expression_new(const char *text, const char *const *names, int count,
                                                struct error *error)
{
    struct source_expression *e = NULL;
    if (strlen(text) > SOURCE_EXPRESSION_BYTES || count > SOURCE_EXPRESSION_NAMES) {
        error_set(error, ERROR_INVALID, "at most %d bytes, and %d names", SOURCE_EXPRESSION_BYTES,
                  SOURCE_EXPRESSION_NAMES);
        return NULL;
    }
    e = calloc(1, sizeof *e);
    if (!e) {
        error_set(error, ERROR_MEMORY, "no memory for an expression");
        return NULL;
    }
    pthread_mutex_init(&e->lock, NULL);
    snprintf(e->text, sizeof e->text, "%s", text);
    e->count = count;
    e->parser = mupCreate(muBASETYPE_FLOAT);
    if (check_text(e, names, error) < 0)
        goto out;
    define_all(e, names);
    mupSetExpr(e->parser, e->text);
    feclearexcept(FE_INEXACT);
    mupEval(e->parser);
    if (mupError(e->parser))
        parse_error(e, names, error);
    else if (fetestexcept(FE_INEXACT) && !e->fractional)
        error_set(error, ERROR_INVALID, "has numbers above 2^53, up to which they are exact");
    else
        return e;
out:
    source_expression_free(e);
    return NULL;
}

void source_expression_free(struct source_expression *expression)
{
    if (!expression)
        return;
    mupRelease(expression->parser);
    pthread_mutex_destroy(&expression->lock);
    free(expression);
}

const char *source_expression_text(const struct source_expression *expression)
{
    return expression->text;
}

bool source_expression_uses(const struct source_expression *expression, int name)
{
    return expression->used >> name & 1;
}

/* ---- computing ---- */

/* Evaluates with roundings in that direction. Constant parts are folded when the library parses: so it parses again. */
static double rounded(struct source_expression *e, int direction)
{
    int before = fegetround();
    fesetround(direction);
    mupSetExpr(e->parser, e->text);
    double value = mupEval(e->parser);
    fesetround(before);
    return value;
}

/* True: no step was rounded, or not so that it matters. Without a fraction every step is of whole numbers, and none may
   be rounded; with one, the result must not depend on the direction. */
static bool compute(struct source_expression *e, double *value)
{
    fexcept_t before;
    fegetexceptflag(&before, FE_INEXACT);
    feclearexcept(FE_INEXACT);
    *value = mupEval(e->parser);
    bool exact = !fetestexcept(FE_INEXACT);
    fesetexceptflag(&before, FE_INEXACT);
    if (exact || !e->fractional)
        return exact;
    double low = rounded(e, FE_DOWNWARD), high = rounded(e, FE_UPWARD);
    mupSetExpr(e->parser, e->text);
    *value = low;
    return low == high;
}

int source_expression_value(const struct source_expression *expression, const double *values,
                            uint64_t *result, struct error *error)
{
    struct source_expression *e = (struct source_expression *)expression;
    double value;
    pthread_mutex_lock(&e->lock);
    memcpy(e->values, values, (size_t)e->count * sizeof *values);
    bool exact = compute(e, &value);
    pthread_mutex_unlock(&e->lock);
    if (!isfinite(value))
        return error_set(error, ERROR_INVALID, "is no number: it divides by 0");
    if (value > exact_most)
        return error_set(error, ERROR_INVALID, "is above 2^53, up to which numbers are exact");
    if (exact && value != floor(value))
        return error_set(error, ERROR_INVALID,
                         "is %g, a whole number is wanted: ceil(...) and floor(...) make one", value);
    if (!exact)
        return error_set(
            error, ERROR_INVALID,
            "is about %g, not exact: numbers are up to 2^53, a fraction needs ceil(...) or floor(...)",
            value);
    if (value < 1)
        return error_set(error, ERROR_INVALID, "must be at least 1, is %.0f", value);
    *result = (uint64_t)value;
    return 0;
}
