/* trial.h - a reader of the tools on input that it may refuse
 *
 *     char message[512];
 *     if (!trial(read, &context, message, sizeof message)) ... message says why
 *
 * The readers end the program over bad input; within a trial they end the trial. What
 * they allocated is freed in either case, so context keeps no pointer to it. */
#ifndef SGDPERF_TRIAL_H
#define SGDPERF_TRIAL_H

#include <setjmp.h>
#include <stdio.h>

#include "base/tool.h"

static jmp_buf trial_end;
static char   *trial_message;
static size_t  trial_message_bytes;

static void trial_report(const char *line)
{
    snprintf(trial_message, trial_message_bytes, "%s", line);
    longjmp(trial_end, 1);
}

/* 1 if run(ctx) returned and message is empty; 0 if it failed, and message is tool_fail's
 * line. */
static int trial(void (*run)(void *ctx), void *ctx, char *message, size_t message_bytes)
{
    void (*const report)(const char *line) = tool_report;
    volatile int returned = 0;
    message[0] = '\0';
    trial_message = message;
    trial_message_bytes = message_bytes;
    tool_report = trial_report;
    if (setjmp(trial_end) == 0) {
        run(ctx);
        returned = 1;
    }
    tool_report = report;
    tool_free_all();
    return returned;
}

#ifdef SGDPERF_FUZZ_H
/* run(ctx), which returns or is refused with one line that begins with `name`. */
static inline void fuzz_trial(void (*run)(void *ctx), void *ctx, const char *name)
{
    char message[2048];
    if (!trial(run, ctx, message, sizeof message))
        require(strncmp(message, name, strlen(name)) == 0 && strchr(message, '\n') == NULL);
}
#endif

#endif /* SGDPERF_TRIAL_H */
