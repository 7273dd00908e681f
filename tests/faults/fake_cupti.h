/* What the library that plays CUPTI saw; a test finds it in the library as `fake_cupti`. What the library does besides
   working is said by the variable FAKE_CUPTI: "" or
     initialize, availability, enable, start, busy, evaluate, dropped, endless: that step goes wrong
     without:TEXT   the chip has no metric whose name holds TEXT
     nan:TEXT       values of those are no numbers */
#pragma once

struct fake_cupti {
    char log
        [256]; /* S: a pass began, T: it ended, D: its data were read; tests add what they did themselves */
    int adds;  /* calls that added metrics to an object that was then configured */
    int hosts; /* objects that nobody has freed yet */
    int enables, disables;
    /* of kernels; tests count them, because the library cannot see them: each in a pass is a range */
    int launches;
};
