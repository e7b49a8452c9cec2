/* fuzz_columns.c - any first line as what columns mean, and what follows as a table of them */
#include "fuzz_jobtrace.h"

#include <stdlib.h>

/* Cuts the line at its commas and takes the parts; 0: one is wrong, or some are missing. */
static int take_columns(jobtrace_columns *columns, char *line)
{
    char *comma;
    memset(columns, 0, sizeof *columns);
    for (; line; line = comma ? comma + 1 : NULL) {
        comma = strchr(line, ',');
        if (comma) *comma = '\0';
        if (jobtrace_add_column(columns, line)) return 0;
    }
    return jobtrace_columns_miss(columns) == NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *end = size > 0 ? (const uint8_t *)memchr(data, '\n', size) : NULL;
    const size_t length = end ? (size_t)(end - data) : size;
    char *line = (char *)malloc(length + 1);
    jobtrace_columns columns;
    if (!line) return 0;
    if (length > 0) memcpy(line, data, length);
    line[length] = '\0';
    if (end && take_columns(&columns, line))
        fuzz_jobtrace_with(JOBTRACE_CSV, end + 1, size - length - 1, NULL, 0, &columns,
                           JOBTRACE_WHATEVER);
    free(line);
    return 0;
}

FUZZ_MAIN("fuzz_columns",
    "submit=s,duration=d,nodes=n\ns,d,n\n1,2,3\n0.5,-1,4\n7,1-02:03:04.5,0.25\n",
    "submit=at:ms,start=from,end=to,nodes=n:0.01,job=j,walltime=w:h\n"
    "at|n|from|to|j|w\n2020-06-09T18:41:01Z|25|2020-06-09 18:41:01.5+02:00|2020/06/10 00:00|a|1\n"
    "None|-1|NaT|Unknown|\"b|b\"|\n",
    "submit=#1:min,wait=#2,end=#3,nodes=#4\n# x\n1\t2\t300\t4\r\n2\t-1\t300\t4\r\n",
    "start=s,duration=d,nodes=n\ns;d;n\n\"1\";1 days 02:03:04;2\n2;3 day, 0:00:01;2\n",
    "submit=s,duration=d,nodes=n,submit=x\n", "");
