#include "client/manual/command_table.h"

#include <stddef.h>
#include <string.h>

#include "client/commands/command.h"

const struct manual_option manual_options[OPTION_COUNT] = {
#define OPTION(name, ...) [OPTION_##name] = {__VA_ARGS__},
#include "client/manual/options.h"
#undef OPTION
};

#define BIT(name) (UINT64_C(1) << OPTION_##name)

const uint64_t manual_common =
    BIT(URL) | BIT(JSON) | BIT(ASCII) | BIT(COLOR) | BIT(QUIET) | BIT(PATIENCE) | BIT(HELP);
const uint64_t manual_alone = BIT(HELP) | BIT(VERSION) | BIT(COMPLETION) | BIT(MAN);

#define TABLE (BIT(CSV) | BIT(VIEW) | BIT(COLUMNS))
#define WAITING (BIT(STRICT) | BIT(CANCEL) | TABLE)
#define PLOTTING (BIT(X) | BIT(Y) | BIT(NO_PLOT))

const struct manual_command manual_commands[] = {
    {"run", "KERNEL|FILE.cu [NAME=VALUE ...]", "run one experiment and print what came of it",
     "Without a value for it, a parameter is what the service says in `coalesce kernels KERNEL`.\n"
     "Ctrl-C leaves the experiment in the queue and says how to come back to it.\n"
     "A kernel of your own is interpreted on the processor, and watched for faults: show.out=0..31 prints "
     "elements of\n"
     "an output, reference=FILE.cu names a kernel whose outputs must be the same.\n",
     "coalesce run read_offset\n"
     "coalesce run read_offset offset=11 size=2^26 block=512 label.who=ada\n"
     "coalesce run sum_matrix_2d size=8192x8192 block=32x8 order=column counters=on\n"
     "coalesce run read_offset --device arch=sm_90\n"
     "coalesce run kernel.cu n=1000 block=256 show.out=0..7 reference=plain.cu\n",
     WAITING | PLOTTING | BIT(DETACH) | BIT(DEVICE) | BIT(MEMBERS), WORDS_KERNEL, 1, -1, command_run},
    {"sweep", "KERNEL|FILE.cu NAME=VALUES ...", "run many experiments, every combination of the values",
     "Values with commas between them are an axis. repeat=N runs every point N times, each time with the "
     "arrays placed\n"
     "anew: only then does the interval hold for the next run too. While it runs the number of points done "
     "and the time\n"
     "left are told; at the end come a table and a plot.\n",
     "coalesce sweep read_offset offset=0..16,32 block=128,256 repeat=6\n"
     "coalesce sweep sum_matrix_2d size=8192x8192 block=32x8,16x16,256x1\n"
     "coalesce sweep read_offset 'offset=0..1024 step 32' --y hot_us\n"
     "coalesce sweep read_offset offset=0..128 --spread\n"
     "coalesce sweep kernel.cu n=1024,1000003 block=128,256\n",
     WAITING | PLOTTING | BIT(DETACH) | BIT(DEVICE) | BIT(SPREAD) | BIT(MEMBERS), WORDS_KERNEL, 1, -1,
     command_sweep},
    {"recipe", "[NAME [NAME=VALUES ...]]", "run a published table again, or list them",
     "Without a name the recipes are listed. With one its sweep is run; values replace those of the "
     "recipe.\n",
     "coalesce recipe\n"
     "coalesce recipe read_segment_cached\n",
     WAITING | PLOTTING | BIT(DETACH) | BIT(DEVICE) | BIT(SPREAD), WORDS_RECIPE, 0, -1, command_recipe},
    {"again", "ID [NAME=VALUES ...]", "run the request of an experiment or a sweep once more",
     "Values replace those of the request, and NAME=null removes one; several values of a parameter turn an "
     "experiment into a sweep. The grid follows the size and the block if it did before, a reference whose "
     "launch was the same follows the new one, and repeat= places the arrays anew for each run unless "
     "placement=keep is given. The old results stay: the new runs have an id of their own, and `coalesce "
     "compare` compares the two.\n",
     "coalesce again 01M7YM65F54TJADP7Z58JCT8G6\n"
     "coalesce again 01M7YM65F54TJADP7Z58JCT8G6 repeat=6\n"
     "coalesce again 01M7YM6JPB4T1ZD7F2WQ3R9K5E offset=0..16\n",
     WAITING | PLOTTING | BIT(DETACH) | BIT(DEVICE) | BIT(SPREAD), WORDS_IDS, 1, -1, command_again},
    {"predict", "KERNEL|FILE.cu [NAME=VALUE ...]",
     "what the service's model of the memory system says, without a device",
     "arch= takes one architecture or several; all that the model counts, from sm_12 on, when it is left "
     "out. Of each whose constants are "
     "known it also\n"
     "tells how long it takes, each of seven bounds as a bar, which of them limits and why: nothing runs. "
     "--device-name\n"
     "says on which device, and adds what one change of the request would bring, where that is 5 per cent or "
     "more and\n"
     "the kernel is one of the suite. The sentences are in the language of LANG, English or Chinese.\n",
     "coalesce predict read_offset offset=11 arch=sm_20,sm_90\n"
     "coalesce predict read_offset offset=11 size=2^26 --device-name 'NVIDIA H200'\n"
     "coalesce predict kernel.cu n=1048576 block=256 arch=sm_90\n",
     BIT(DEVICE_NAME) | BIT(MEMBERS), WORDS_KERNEL, 1, -1, command_predict},
    {"check", "FILE.cu [NAME=VALUE ...]",
     "have the service look for faults in a kernel of your own, without a device",
     "Accesses outside of a buffer, misaligned or of what was never written, races (not between instructions "
     "that a warp "
     "executes in step), barriers that not all "
     "threads reach\n"
     "(those that have ended do not count, as on a GPU): each with its line, thread and element. What the "
     "kernel takes is read from its parameters; --members "
     "says it where\n"
     "that is not enough, as {\"arguments\": [{\"name\": \"in\", \"elements\": \"rows * columns\"}, ..., "
     "{\"name\": "
     "\"rows\"}]}, all of\n"
     "them in their order; a struct that is passed by value has \"fields\": [{\"name\": \"w\", \"type\": "
     "\"i32\"}, "
     "...], and its values are in.w=4.\n"
     "threads= says how many threads are needed (n where it and --members are left out "
     "and the block "
     "is "
     "along x), or\n"
     "grid= how many blocks. Exit 1 when something is wrong, or not all could be checked.\n",
     "coalesce check kernel.cu n=1048576 block=256\n"
     "coalesce check transpose.cu rows=1000 columns=1000 block=32x8 grid=32x125 --members arguments.json\n",
     BIT(MEMBERS), WORDS_KERNEL, 1, -1, command_check},
    {"explain", "KERNEL|FILE.cu [NAME=VALUE ...]",
     "which sectors and bytes the lanes of a warp touch, as a drawing",
     "arch= is the architecture; sm_90 when it is left out. In the drawing a cell is some "
     "bytes of a\n"
     "sector: used by the warp, or moved and not used. Of a kernel of your own line= is the line to look "
     "at.\n",
     "coalesce explain read_offset offset=11\n"
     "coalesce explain strided stride=3 --warp 1\n"
     "coalesce explain kernel.cu n=1048576 block=256 line=7\n",
     BIT(WARP) | BIT(BLOCK) | BIT(MEMBERS), WORDS_KERNEL, 1, -1, command_explain},
    {"occupancy", "[NAME=VALUE ...]", "how many blocks fit a multiprocessor, and what limits them",
     "arch= takes one architecture or several; all of them when it is left out. block= is the threads of a "
     "block, 256\n"
     "unless given, registers= those of a thread, shared_bytes= those of a block. Of a single architecture "
     "also the\n"
     "staircases: at which registers, bytes and threads one more or one fewer block fits. In the language of "
     "LANG.\n",
     "coalesce occupancy arch=sm_35 block=256 registers=33\n"
     "coalesce occupancy arch=sm_12,sm_90 block=32x16 registers=17 shared_bytes=4Ki\n",
     0, WORDS_OCCUPANCY, 0, -1, command_occupancy},
    {"ls", "", "list experiments or sweeps, newest first",
     "Sweeps are found by state, label, owner, device-uuid, since and until. --state running finds all that "
     "have not ended,\n"
     "also where the list says queued or paused because nothing of it runs; then they are succeeded, "
     "finished "
     "(not all of it\n"
     "succeeded) or cancelled. The table (--csv, --columns) is of experiments.\n",
     "coalesce ls --kernel copy --state failed\n"
     "coalesce ls --label who=ada --since 2026-02-03 --csv --columns id,kernel,hot_median_us\n"
     "coalesce ls --sweeps --since 2026-02-03\n",
     BIT(CSV) | BIT(COLUMNS) | BIT(DEVICE_UUID) | BIT(LIMIT) | BIT(SWEEPS) | BIT(KERNEL) | BIT(STATE) |
         BIT(DEVICE) | BIT(LABEL) | BIT(OWNER) | BIT(SWEEP) | BIT(SINCE) | BIT(UNTIL),
     WORDS_NONE, 0, 0, command_ls},
    {"show", "ID", "print an experiment or a sweep as it is now",
     "Of an id the last six characters or more will do, as the lists show them.\n",
     "coalesce show 01M7YM65F54TJADP7Z58JCT8G6\n"
     "coalesce show 01M7YM65F54TJADP7Z58JCT8G6 --columns offset,block_x,hot_median_us\n"
     "coalesce show 01M7YM6JPB4T1ZD7F2WQ3R9K5E --samples\n",
     TABLE | BIT(SAMPLES) | BIT(STRICT) | PLOTTING, WORDS_IDS, 1, 1, command_show},
    {"watch", "ID", "wait for an experiment or a sweep, and print what came of it",
     "`run --detach`, `sweep --detach` and `recipe --detach` print the id; `coalesce ls` and `coalesce ls "
     "--sweeps` list it.\n",
     "coalesce watch 01M7YM65F54TJADP7Z58JCT8G6\n", WAITING | PLOTTING, WORDS_IDS, 1, 1, command_watch},
    {"cancel", "ID ...", "cancel experiments or sweeps",
     "You can cancel your own work; the role admin can cancel anybody's. Finished results are kept. A "
     "cancellation cannot be undone: `coalesce again ID` submits the work once more.\n",
     "coalesce cancel 01M7YM65F54TJADP7Z58JCT8G6\n", 0, WORDS_IDS, 1, -1, command_cancel},
    {"remove", "ID ...", "remove experiments or sweeps that have ended",
     "They are in no list any more. For a while, ten minutes unless the service says otherwise, undo brings "
     "them back.\n",
     "coalesce remove 01M7YM65F54TJADP7Z58JCT8G6\n", 0, WORDS_IDS, 1, -1, command_remove},
    {"undo", "[ID ...]", "bring back what was removed; without an id, list it",
     "What was removed can be brought back for ten minutes, unless the service says otherwise. Without an id "
     "it lists what can be brought back, and until when.\n",
     "coalesce undo 01M7YM65F54TJADP7Z58JCT8G6\ncoalesce undo\n", 0, WORDS_IDS, 0, -1, command_undo},
    {"compare", "A B", "compare two sweeps, labels, devices or periods, point by point",
     "A and B are each the id of a sweep or of an experiment, or filters with commas between them: "
     "label.NAME=VALUE,\n"
     "device=DEVICE, "
     "device_uuid=UUID, kernel=NAME, owner=NAME, since=TIME, until=TIME, sweep=ID, where.NAME=VALUE;\n"
     "or as the page's address has a side: sweep:ID,where.NAME:VALUE. The "
     "ratio is the time of A over the time of B:\n"
     "above 1 B is faster. Exit 6 when B is worse in some point, 7 when none is worse and that cannot be "
     "told for "
     "some, or when no point is on both sides.\n",
     "coalesce compare 01M7YM65F54TJADP7Z58JCT8G6 01M7YM6JPB4T1ZD7F2WQ3R9K5E\n"
     "coalesce compare label.build=old label.build=new\n"
     "coalesce compare sweep=ID,where.offset=11 sweep=ID,where.offset=0 --but-for offset\n"
     "coalesce compare sweep:ID,where.block:128 sweep:ID,where.block:256 --but-for block\n"
     "coalesce compare kernel=copy,device=cuda:0 kernel=copy,device=cuda:1 --time cold\n",
     BIT(CSV) | BIT(TIME) | BIT(SAME_WITHIN) | BIT(BUT_FOR) | BIT(STABLE_ONLY), WORDS_IDS, 2, 2,
     command_compare},
    {"top", "", "devices, what runs and who waits, as it changes", "q or Ctrl-C ends it.\n", "coalesce top\n",
     BIT(INTERVAL) | BIT(ONCE), WORDS_NONE, 0, 0, command_top},
    {"queue", "", "who waits for which devices, in order", "Devices for which the same waits share a line.\n",
     "coalesce queue\n", 0, WORDS_NONE, 0, 0, command_queue},
    {"pause", "[DEVICE]", "let nothing more begin on a device, or on all of them",
     "What runs ends, and what waits waits until `coalesce resume`, also when the service is started again. "
     "Work can be submitted as before. It takes the role admin.\n",
     "coalesce pause cuda:0\ncoalesce pause\n", 0, WORDS_DEVICE, 0, 1, command_pause},
    {"resume", "[DEVICE]", "end what coalesce pause began",
     "The whole queue and each device are paused apart: a device takes work when neither is.\n",
     "coalesce resume cuda:0\ncoalesce resume\n", 0, WORDS_DEVICE, 0, 1, command_resume},
    {"devices", "[DEVICE]", "what experiments run on, and how it is",
     "A device is away when nothing is held for it: it is started when there is work.\n",
     "coalesce devices\ncoalesce devices cuda:0\n", 0, WORDS_DEVICE, 0, 1, command_devices},
    {"calibration", "DEVICE", "the constants that a device's times are predicted with",
     "With where they come from: made by the device itself, or shipped for another of its name. A new one "
     "takes seconds,\n"
     "behind all that waits; the old one is used until then.\n",
     "coalesce calibration cuda:0\ncoalesce calibration cuda:0 --again\n", BIT(AGAIN), WORDS_DEVICE, 1, 1,
     command_calibration},
    {"kernels", "[KERNEL]", "what can be run, or the parameters of one kernel", "",
     "coalesce kernels read_offset\n", 0, WORDS_KERNEL, 0, 1, command_kernels},
    {"export", "ID", "print a sweep's or an experiment's results, or write them to a file",
     "As CSV, or as JSON with --json, or when the file that -o names ends in .json.\n",
     "coalesce export 01M7YM65F54TJADP7Z58JCT8G6 -o offsets.csv\n"
     "coalesce export 01M7YM65F54TJADP7Z58JCT8G6 --view summary -o medians.csv\n"
     "coalesce export 01M7YM6JPB4T1ZD7F2WQ3R9K5E --samples -o samples.csv\n",
     TABLE | BIT(SAMPLES) | BIT(OUTPUT), WORDS_IDS, 1, 1, command_export},
    {NULL, NULL, NULL, NULL, NULL, 0, WORDS_NONE, 0, 0, NULL},
};

const struct manual_pair manual_values[] = {
    {"offset=11, load=ca", "a number or a word"},
    {"size=2^26, 'size=1<<26', size=64Mi, size=1M",
     "powers; Ki, Mi, Gi and Ti are powers of 1024, k, M, G and T of 1000"},
    {"block=32x8, size=8192x8192", "a shape"},
    {"offset=0,1,11", "several: an axis of a sweep"},
    {"offset=0..16,32", "from 0 to 16, and 32"},
    {"'offset=0..1024 step 32', 'size=1..4096 by x2'", "every 32nd; doubling"},
    {"label.who=ada", "a label"},
    {"priority=10", "-100 to 100: the order of your own work; an admin's 101 to 200 goes before everybody's"},
    {"measure.noise=0.001", "a member of an object of the request"},
    {"device=any, device=arch=sm_90", "where it may run, as --device says it"},
    {"counters=on", "read the hardware's counters; or the names of counters"},
    {NULL, NULL},
};

const struct manual_exit manual_exits[] = {
    {"0", "done", NULL},
    {"1", "an experiment failed, was cancelled, or its output is wrong", "run sweep recipe again show watch"},
    {"1", "check: a fault was found, or not all could be checked", "check"},
    {"1", "standard output or a file cannot be written", NULL},
    {"2", "the command line is wrong; nothing was sent", NULL},
    {"3", "the service cannot be reached", NULL},
    {"4", "the service refused: its sentence says what would have been right", NULL},
    {"5", "with --strict: a result is not stable", "run sweep recipe again show watch"},
    {"6", "compare: B is worse than A in some point", "compare"},
    {"7", "compare: nothing is worse, and for some point it cannot be told; or no point is on both sides",
     "compare"},
    {"130", "interrupted; what was submitted stays in the queue unless --cancel-on-interrupt was given",
     NULL},
    {NULL, NULL, NULL},
};

const struct manual_pair manual_environment[] = {
    {"COALESCED_URL",
     "the service: http://host:port, or unix:/path of its socket; http://127.0.0.1:8080 unless set"},
    {"COALESCED_TOKEN_FILE", "a file with the token in its first line, which only you can read"},
    {"CURL_CA_BUNDLE",
     "for https: a file with the certificate authorities to trust, for example a lab's own"},
    {"NO_COLOR", "when set and not empty: no colours"},
    {"LC_ALL, LC_CTYPE, LANG",
     "whether the terminal shows UTF-8; with LC_MESSAGES the language of explanations"},
    {NULL, NULL},
};

const struct manual_command *command_table_find(const char *name)
{
    for (const struct manual_command *command = manual_commands; command->name; command++)
        if (strcmp(command->name, name) == 0)
            return command;
    return NULL;
}

bool command_table_returns(const struct manual_command *command, const struct manual_exit *row)
{
    size_t length = strlen(command->name);
    for (const char *at = row->commands; at; at = strchr(at, ' ')) {
        at += *at == ' ';
        if (strncmp(at, command->name, length) == 0 && (at[length] == ' ' || at[length] == '\0'))
            return true;
    }
    return !row->commands;
}

bool command_table_takes(const struct manual_command *command, enum option option)
{
    uint64_t all = manual_common | (command ? command->options : manual_alone);
    return (all >> option & 1) != 0;
}
