/* The language of what the command says: Chinese where the locale of messages is, else English.

   The sources have the English; client/terminal/language_texts.inc and language_help.inc have the Chinese beside it, and
   tests/rules/test_command_words.py holds those tables against the sources. */
#pragma once

#include <stdbool.h>

enum { LANGUAGE_REASON_BYTES = 1024 };

/* Sets LC_CTYPE and reads the environment. With ASCII alone, also that of a locale without UTF-8, the language
   is English. Called once, before anything is said. */
void language_open(bool ascii);

/* Whether only ASCII may be written: --ascii was given, or the locale is not UTF-8. */
bool language_is_ascii(void);
bool language_is_chinese(void);

/* The text, or the printf format with the same conversions, in the language. Static, or `english` itself. */
const char *language_text(const char *english) __attribute__((format_arg(1)));

/* A reason that the service gave in English, in the language: `text`, or `english` itself where the page's table of
   reasons (web/reasons.js) has none that fits. */
const char *language_reason(const char *english, char text[LANGUAGE_REASON_BYTES]);

/* The text of strerror() or curl_easy_strerror() in the language; `english` itself where there is no translation here. */
const char *language_system(const char *english);

/* The service's sentence behind the "line 7: " that it begins with, for who has printed that line already. */
const char *language_without_line(const char *detail, int line);
