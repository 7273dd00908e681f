/* The options of the command line, one a row: OPTION(name of the enumerator, members of struct manual_option).
   The file that includes this one defines OPTION. */
OPTION(URL, "url", 0, "URL", "the service, instead of COALESCED_URL", NULL)
OPTION(JSON, "json", 0, NULL, "print the service's answer as it came, also a refusal", NULL)
OPTION(CSV, "csv", 0, NULL, "print the service's table", NULL)
OPTION(ASCII, "ascii", 0, NULL, "draw and write with ASCII alone; the default where the locale is not UTF-8",
       NULL)
OPTION(COLOR, "color", 0, "WHEN", "colours: auto (on a terminal, unless NO_COLOR is set), always or never",
       "auto always never")
OPTION(QUIET, "quiet", 'q', NULL, "no progress and no remarks on standard error; errors are told", NULL)
OPTION(PATIENCE, "patience", 0, "SECONDS",
       "how long to try again when the service is full, stopping or was lost; 60 unless given", NULL)
OPTION(HELP, "help", 'h', NULL, "print help, after a command for that command", NULL)
OPTION(DETACH, "detach", 'd', NULL, "print the id and do not wait", NULL)
OPTION(
    STRICT, "strict", 0, NULL,
    "exit 5 when a result is not stable; a point of 6 or more runs is judged by its interval over the runs "
    "and counts as stable; a kernel of your own is not timed, and is never unstable",
    NULL)
OPTION(CANCEL, "cancel-on-interrupt", 0, NULL, "Ctrl-C cancels the work instead of leaving it in the queue",
       NULL)
OPTION(X, "x", 0, "AXIS", "the axis along which the plot goes", NULL)
OPTION(Y, "y", 0, "VALUE", "what the plot shows: cold_gbps unless given; times in microseconds",
       "hot_gbps cold_gbps hot_us cold_us")
OPTION(NO_PLOT, "no-plot", 0, NULL, "the table alone", NULL)
OPTION(MEMBERS, "members", 0, "FILE",
       "further members of the request, as a JSON object: {\"arguments\": [...], \"threads\": \"n\"}", NULL)
OPTION(WARP, "warp", 0, "N", "the warp of the block to look at; 0 unless given", NULL)
OPTION(BLOCK, "in-block", 0, "X[xYxZ]", "the block of the grid to look at; 0 unless given", NULL)
OPTION(LIMIT, "limit", 'n', "N", "at most so many rows, 10000 at most; 20 unless given", NULL)
OPTION(SWEEPS, "sweeps", 0, NULL, "list sweeps instead of experiments", NULL)
OPTION(KERNEL, "kernel", 0, "NAME", "only those of this kernel", NULL)
OPTION(STATE, "state", 0, "STATE", "only those in this state", NULL)
OPTION(DEVICE, "device", 0, "DEVICE",
       "which one, by its name or number; where something is to run also any, or what it must be, with "
       "commas between: "
       "arch=sm_90,memory_bytes=100G",
       NULL)
OPTION(SPREAD, "spread", 0, NULL,
       "each point goes to whichever device is free: any, unless --device says which", NULL)
OPTION(DEVICE_UUID, "device-uuid", 0, "UUID", "only those that ran on that device", NULL)
OPTION(DEVICE_NAME, "device-name", 0, "NAME",
       "predict the time on a device that is called so, and whose constants are known: \"NVIDIA H200\"", NULL)
OPTION(LABEL, "label", 0, "NAME[=VALUE]", "only those with this label", NULL)
OPTION(OWNER, "owner", 0, "NAME", "only those of this person", NULL)
OPTION(SWEEP, "sweep", 0, "ID", "only those of this sweep", NULL)
OPTION(SINCE, "since", 0, "TIME", "only those submitted then or later: 2026-02-03, or 2026-02-03T04:05:06Z",
       NULL)
OPTION(UNTIL, "until", 0, "TIME", "only those submitted before then", NULL)
OPTION(TIME, "time", 0, "WHICH", "the times to compare; the service's choice when left out", "hot cold")
OPTION(SAME_WITHIN, "same-within", 0, "PART",
       "what is called the same: 0.005 is half a per cent, which is the service's default", NULL)
OPTION(BUT_FOR, "but-for", 0, "FIELDS",
       "fields of the request in which A and B may differ, with commas between them", NULL)
OPTION(STABLE_ONLY, "stable-only", 0, NULL, "compare only runs whose result is stable", NULL)
OPTION(INTERVAL, "interval", 0, "SECONDS", "time between two looks; 1 unless given", NULL)
OPTION(ONCE, "once", 0, NULL, "look once, as it does without a terminal", NULL)
OPTION(OUTPUT, "output", 'o', "FILE", "write to this file instead of standard output", NULL)
OPTION(VIEW, "view", 0, "VIEW",
       "of a sweep's table: a row a run (runs), or a row a point with medians and intervals (summary); "
       "prints the table, as --csv does",
       "runs summary")
OPTION(COLUMNS, "columns", 0, "NAMES",
       "of the table only these columns, with commas between them; prints it, as --csv does", NULL)
OPTION(SAMPLES, "samples", 0, NULL,
       "the raw samples of an experiment that was run with measure.keep_samples=on", NULL)
OPTION(AGAIN, "again", 0, NULL, "ask for a new one, which takes the role admin", NULL)
OPTION(VERSION, "version", 'V', NULL, "print the version", NULL)
OPTION(COMPLETION, "completion", 0, "SHELL", "print the completion for a shell", "bash zsh fish")
OPTION(MAN, "man", 0, NULL, "print the man page's source", NULL)
