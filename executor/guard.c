/* Signals, timers and the out-of-memory score of guard.h. */
#include "executor/guard.h"

#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <unistd.h>

/* Of ssh or srun the server can end the local process alone; this ends the executor behind it. */
static void on_deadline(int number)
{
    static const char text[] = "executor: past its own deadline, ending itself\n";
    (void)number;
    ssize_t written = write(STDERR_FILENO, text, sizeof text - 1);
    (void)written;
    _exit(EXECUTOR_DEADLINE);
}

static void reset_signals(void)
{
    struct sigaction action = {.sa_handler = SIG_DFL};
    sigset_t none;
    for (int number = 1; number < NSIG; number++)
        sigaction(number, &action, NULL); /* fails for SIGKILL and SIGSTOP */
    action.sa_handler = SIG_IGN;          /* a closed pipe is seen by write() */
    sigaction(SIGPIPE, &action, NULL);
    action.sa_handler = on_deadline;
    sigaction(SIGALRM, &action, NULL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

/* A machine short of memory loses an experiment, not the service. */
static void oom_score_raise(void)
{
    static const char most[] = "900";
    int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    ssize_t written = write(fd, most, strlen(most));
    (void)written;
    close(fd);
}

void guard_start(void)
{
    pid_t parent = getppid();
    reset_signals();
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    /* A parent that died before prctl() sends no signal. */
    if (getppid() != parent)
        _exit(EXECUTOR_OK);
    oom_score_raise();
}

void guard_deadline(double seconds)
{
    double whole;
    double fraction = modf(seconds, &whole);
    struct itimerval timer = {
        .it_value = {.tv_sec = (time_t)whole, .tv_usec = (suseconds_t)(fraction * 1e6)},
    };
    setitimer(ITIMER_REAL, &timer, NULL);
}

double guard_pause(void)
{
    struct itimerval left = {0}, none = {0};
    setitimer(ITIMER_REAL, &none, &left);
    return (double)left.it_value.tv_sec + (double)left.it_value.tv_usec / 1e6;
}
