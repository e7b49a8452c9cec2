/* trace.c - the profile that a trace of operations holds */
#include "base/digits.h"
#include "cmd/advise/advise.h"
#include "files/status.h"
#include "files/trace.h"

#include <stdio.h>
#include <string.h>

static int has_column(const csv_table *t, const char *name)
{
    int i;
    for (i = 0; i < t->columns; i++)
        if (strcmp(t->header[i], name) == 0) return 1;
    return 0;
}

/* The larger way counts where they differ: a job has one size. An exchange among workers
 * has uplinks alone. */
static double model_bytes(const csv_table *t, const sgdsim_means *m, int exchanges)
{
    const double up = m->uplink_bytes, down = m->downlink_bytes;
    const double larger = up > down ? up : down, smaller = up > down ? down : up;
    if (smaller < 0.99 * larger && !(exchanges && !(down > 0.0)))
        tool_note("sizes-differ",
                  "%s: %.4g bytes up and %.4g down in a step: the larger counts for both",
                  t->name, up, down);
    return larger;
}

/* A profile file of one row, as if it had been read from the trace's. */
static const csv_table *make_profile(const csv_table *t, const sgdsim_means *m, int exchanges)
{
    static const char header[] = "forward_s,backward_s,update_s,model_bytes";
    char number[4][NUMBER_BYTES], text[sizeof header + 4 * NUMBER_BYTES + 8], message[256];
    csv_table *profile = (csv_table *)tool_alloc(1, sizeof *profile);
    number_write(m->forward_s, number[0]);
    number_write(m->backward_s, number[1]);
    number_write(m->update_s, number[2]);
    number_write(model_bytes(t, m, exchanges), number[3]);
    snprintf(text, sizeof text, "%s\n%s,%s,%s,%s\n", header, number[0], number[1], number[2],
             number[3]);
    if (!csv_parse(profile, t->name, text, strlen(text), 0, message, sizeof message))
        tool_fail("%s", message);
    return profile;
}

const csv_table *advice_file(const args *a)
{
    static const csv_table *file;
    const char *path = a->file_count > 0 ? a->files[0] : args_text(a, OPTION_PROFILE, NULL);
    if (path && !file) file = csv_read(path, 0);
    return file;
}

static int is_given(const csv_table *t, const args *a, const char *column, option_id option)
{
    return has_column(t, column) || args_given(a, option);
}

/* What any job needs: a table of something else has rows enough, but no job. */
static void check_columns(const csv_table *t, const args *a)
{
    static const struct { const char *column; option_id option; } needed[] = {
        {"forward_s", OPTION_FORWARD}, {"backward_s", OPTION_BACKWARD}, {"update_s", OPTION_UPDATE}
    };
    const int step = is_given(t, a, "step_s", OPTION_STEP);
    const int reduces = strcmp(args_text(a, OPTION_MODE, ""), "allreduce") == 0;
    size_t i;
    for (i = 0; i < COUNT_OF(needed); i++) {
        if (i < 2 ? step : reduces) continue;
        if (!is_given(t, a, needed[i].column, needed[i].option))
            tool_fail("%s:%lu: no column '%s', and no %s", t->name, (unsigned long)t->header_line,
                      needed[i].column, option_name(needed[i].option));
    }
}

const csv_table *advice_profile(const args *a)
{
    const csv_table *t = advice_file(a);
    const uint32_t servers = (uint32_t)args_integer(a, OPTION_SERVERS, 1, 1000000, 1);
    sgdsim_means m;
    trace_file trace;
    if (!t) return NULL;
    if (a->file_count > 0 && args_given(a, OPTION_PROFILE))
        args_fail(OPTION_PROFILE, NULL, "not with %s", t->name);
    if (has_column(t, "phase") && has_column(t, "start_s"))
        tool_fail("%s:%lu: a log of phases, not a profile: first sgdperf profile %s --format csv",
                  t->name, (unsigned long)t->header_line, t->name);
    if (layers_are(t) && !has_column(t, "resource"))
        tool_fail("%s:%lu: a table of layers, which --mode allreduce takes: for another mode "
                  "sgdperf trace-from-layers %s | sgdperf advise -", t->name,
                  (unsigned long)t->header_line, t->name);
    if (!has_column(t, "resource") || !has_column(t, "waits_for")) {
        if (t->rows > 1) check_columns(t, a);
        if (t->rows > 1)
            csv_fail(t, 1, CSV_NONE, "a second job, advise takes one: leave out the others");
        return t;
    }
    trace_parse(&trace, t, servers);
    tool_check_sim(sgdsim_trace_means(&trace.trace, &m), t->name);
    tool_note("mean-profile",
              "%s: a trace of %lu step%s, taken for its mean profile: forward %.4g s, backward "
              "%.4g s, update %.4g s, %.4g bytes each way; sgdperf simulate replays what overlaps",
              t->name, (unsigned long)trace.trace.steps, trace.trace.steps == 1 ? "" : "s",
              m.forward_s, m.backward_s, m.update_s,
              m.uplink_bytes > m.downlink_bytes ? m.uplink_bytes : m.downlink_bytes);
    return make_profile(t, &m, strcmp(args_text(a, OPTION_MODE, ""), "allreduce") == 0);
}
