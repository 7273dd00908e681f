/* What the library that plays CUPTI saw; a test finds it in the library as `fake_cupti`. What the library does besides
   working is said by the variable FAKE_CUPTI: "" or
     initialize, availability, enable, start, busy, evaluate, dropped, endless: that step goes wrong
     without:TEXT   the chip has no metric whose name holds TEXT
     nan:TEXT       values of those are no numbers */
#ifndef COALESCED_TESTS_FAKE_CUPTI_H
#define COALESCED_TESTS_FAKE_CUPTI_H

#include <dlfcn.h>
#include <stdlib.h>

struct fake_cupti {
    char log
        [256]; /* S: a pass began, T: it ended, D: its data were read; tests add what they did themselves */
    int adds;  /* calls that added metrics to an object that was then configured */
    int hosts; /* objects that nobody has freed yet */
    int enables, disables;
    int launches; /* of kernels; tests count them, because the library cannot see them: each in a pass is a range */
};

#ifdef FAKE_CUPTI_LIBRARY
/* The library's record, emptied, and the library in CUPTI's place. NULL: not to be opened. */
static inline struct fake_cupti *fake_cupti_begin(void)
{
    void *library = dlopen(FAKE_CUPTI_LIBRARY, RTLD_NOW);
    struct fake_cupti *fake = library ? (struct fake_cupti *)dlsym(library, "fake_cupti") : NULL;
    if (fake)
        *fake = (struct fake_cupti){0};
    setenv("COALESCED_CUPTI_LIBRARY", FAKE_CUPTI_LIBRARY, 1);
    setenv("FAKE_CUPTI", "", 1);
    return fake;
}
#endif

#endif
