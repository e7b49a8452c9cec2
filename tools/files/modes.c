/* modes.c - the ways to train, and the models of each */
#include "files/modes.h"

#include "base/words.h"

#include <string.h>

static const struct {
    sgdp_model first, last, usual;
} models[MODE_COUNT] = {
    {SGDP_ASYNC_EXACT,    SGDP_ASYNC_CYNTHIA,      SGDP_ASYNC_RHYTHM},
    {SGDP_SYNC_PS,        SGDP_SYNC_STAGGERED,     SGDP_SYNC_STAGGERED},
    {SGDP_ALLREDUCE_RING, SGDP_ALLREDUCE_CLUSTER,  SGDP_ALLREDUCE_RING},
};

const char *const mode_words[MODE_COUNT] = {"async", "sync", "allreduce"};

train_mode mode_read(const args *a)
{
    if (!args_given(a, OPTION_MODE)) tool_fail("--mode is missing: async, sync or allreduce");
    return (train_mode)args_choice(a, OPTION_MODE, mode_words, MODE_COUNT, 0);
}

train_mode mode_of_model(sgdp_model model)
{
    size_t mode = 0;
    while (model > models[mode].last) mode++;      /* of the order of the models */
    return (train_mode)mode;
}

/* A model of another mode than that of words[count]. */
TOOL_NORETURN static void fail_model(const char *text, train_mode mode,
                                     const char *const *words, size_t count)
{
    const char *modes[MODE_COUNT];
    char list[256], of[32];
    size_t n = 0;
    for (size_t i = 0; i < SGDP_MODEL_COUNT; i++)
        if (strcmp(sgdp_model_text((sgdp_model)i), text) == 0)
            modes[n++] = mode_words[mode_of_model((sgdp_model)i)];
    args_fail(OPTION_MODEL, text, "is a model of --mode %s; models of --mode %s are %s",
              words_join(modes, n, of, sizeof of), mode_words[mode],
              words_join(words, count, list, sizeof list));
}

sgdp_model mode_read_model(const args *a, train_mode mode, int *chosen)
{
    const char *words[SGDP_MODEL_COUNT + 1];
    const size_t first = (size_t)models[mode].first;
    const size_t count = (size_t)models[mode].last - first + 1;
    size_t i;
    words[0] = "auto";
    for (i = 0; i < count; i++) words[i + 1] = sgdp_model_text((sgdp_model)(first + i));
    i = args_given(a, OPTION_MODEL) ? words_find(words, count + 1, args_text(a, OPTION_MODEL,
                                                                             "")) : 0;
    if (i > count) fail_model(args_text(a, OPTION_MODEL, ""), mode, words, count + 1);
    *chosen = i == 0;
    return i == 0 ? models[mode].usual : (sgdp_model)(first + i - 1);
}

double mode_usual_cv(sgdp_model model)
{
    return model == SGDP_ASYNC_RHYTHM || model == SGDP_SYNC_STAGGERED ? 0.02 : 0.0;
}

sgdp_model mode_usual_model(train_mode mode, int declared)
{
    return declared && mode == MODE_ALLREDUCE ? SGDP_ALLREDUCE_CLUSTER : models[mode].usual;
}
