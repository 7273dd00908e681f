/* Is this a sanitizer's build? */
#ifndef COALESCED_TESTS_SANITIZED_H
#define COALESCED_TESTS_SANITIZED_H

#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
enum { SANITIZED = 1 };
#else
enum { SANITIZED = 0 };
#endif

#endif
