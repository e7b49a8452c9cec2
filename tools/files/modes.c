/* modes.c - the ways to train, and the models of each */
#include "files/modes.h"

static const struct {
    sgdp_model first, last, usual;
} models[MODE_COUNT] = {
    {SGDP_ASYNC_EXACT,    SGDP_ASYNC_CYNTHIA,      SGDP_ASYNC_RHYTHM},
    {SGDP_SYNC_PS,        SGDP_SYNC_STAGGERED,     SGDP_SYNC_STAGGERED},
    {SGDP_ALLREDUCE_RING, SGDP_ALLREDUCE_DOUBLING, SGDP_ALLREDUCE_RING},
};

const char *const mode_words[MODE_COUNT] = {"async", "sync", "allreduce"};

train_mode mode_read(const args *a)
{
    if (!args_given(a, "--mode")) tool_fail("--mode is missing: async, sync or allreduce");
    return (train_mode)args_choice(a, "--mode", mode_words, MODE_COUNT, 0);
}

train_mode mode_of_model(sgdp_model model)
{
    size_t mode = 0;
    while (mode < MODE_COUNT && (model < models[mode].first || model > models[mode].last))
        mode++;
    return (train_mode)mode;
}

sgdp_model mode_read_model(const args *a, train_mode mode, int *chosen)
{
    const char *words[SGDP_MODEL_COUNT + 1];
    const size_t first = (size_t)models[mode].first;
    const size_t count = (size_t)models[mode].last - first + 1;
    size_t i;
    words[0] = "auto";
    for (i = 0; i < count; i++) words[i + 1] = sgdp_model_text((sgdp_model)(first + i));
    i = args_choice(a, "--model", words, count + 1, 0);
    *chosen = i == 0;
    return i == 0 ? models[mode].usual : (sgdp_model)(first + i - 1);
}

double mode_usual_cv(sgdp_model model)
{
    return model == SGDP_ASYNC_RHYTHM || model == SGDP_SYNC_STAGGERED ? 0.02 : 0.0;
}

sgdp_model mode_usual_model(train_mode mode) { return models[mode].usual; }
