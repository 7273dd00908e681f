#include "tests/unit/support/sandbox_process.h"

#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

void sandbox_process_start(struct sandbox_process *process, int (*run)(void *arg), void *arg)
{
    int in[2], out[2];
    struct error error = {0};
    signal(SIGPIPE, SIG_IGN);
    fflush(NULL);
    assert_int_equal(pipe2(in, O_CLOEXEC), 0);
    assert_int_equal(pipe2(out, O_CLOEXEC), 0);
    process->pid = fork();
    assert_true(process->pid >= 0);
    if (process->pid == 0) {
        dup2(in[0], STDIN_FILENO);
        dup2(out[1], STDOUT_FILENO);
        closefrom(3);
        _exit(run(arg));
    }
    close(in[0]);
    close(out[1]);
    if (sandbox_client_new(&process->client, in[1], out[0], 300, &error) < 0)
        fail_msg("%s", error.text);
}

int sandbox_process_stop(struct sandbox_process *process)
{
    int status = -1;
    sandbox_client_free(process->client);
    assert_int_equal(waitpid(process->pid, &status, 0), process->pid);
    return status;
}

int sandbox_process_descriptors(pid_t pid)
{
    char path[64];
    int count = 0;
    snprintf(path, sizeof path, "/proc/%d/fd", (int)pid);
    DIR *folder = opendir(path);
    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder));)
        count += entry->d_name[0] != '.';
    closedir(folder);
    return count;
}

static int children_of(pid_t pid)
{
    char path[64], text[4096] = "", *left = NULL;
    int count = 0;
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)pid, (int)pid);
    FILE *file = fopen(path, "re");
    assert_non_null(file);
    size_t size = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[size] = '\0';
    for (char *word = strtok_r(text, " ", &left); word; word = strtok_r(NULL, " ", &left))
        count++;
    return count;
}

void sandbox_process_rest(pid_t pid)
{
    for (int i = 0; children_of(pid) != 1 && i < 30000; i++)
        usleep(1000);
    assert_int_equal(children_of(pid), 1);
}

long sandbox_process_memory(pid_t pid)
{
    char path[64], line[256];
    long kib = 0, rows = 0;
    snprintf(path, sizeof path, "/proc/%d/smaps_rollup", (int)pid);
    FILE *file = fopen(path, "re");
    assert_non_null(file);
    while (fgets(line, sizeof line, file))
        rows += sscanf(line, "Private_Dirty: %ld", &kib);
    fclose(file);
    assert_int_equal(rows, 1);
    return kib;
}
