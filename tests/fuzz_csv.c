/* fuzz_csv.c - the CSV parser and the number readers survive any bytes, and keep what
 * they promise about the tables that they accept. */
#include "fuzz.h"

#include "base/csv.h"

static void check_cell(const char *text)
{
    double number = 0.0;
    uint64_t whole = 0;
    const char *wrong = number_parse(text, NUMBER_ANY, &number);
    require(wrong != NULL || (number >= -1.7976931348623157e308 &&
                              number <= 1.7976931348623157e308));
    wrong = number_quantity(text, UNIT_TIME, NUMBER_POSITIVE, &number);
    require(wrong != NULL || number > 0.0);
    wrong = number_whole(text, 1, 100, &whole);
    require(wrong != NULL || (whole >= 1 && whole <= 100));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    csv_table table;
    char message[128];
    message[0] = '\0';
    if (!csv_parse(&table, "fuzz", (const char *)data, size, 0, message, sizeof message)) {
        require(strncmp(message, "fuzz:", 5) == 0 && table.cells == NULL);
        return 0;
    }
    require(table.rows > 0 && table.columns > 0 && message[0] == '\0');
    for (size_t row = 0; row < table.rows; row++) {
        require(csv_line(&table, row) > table.header_line);
        for (int i = 0; i < table.columns; i++) {
            const char *text = csv_text(&table, row, i);
            require(text >= table.text && text + strlen(text) <= table.text + size);
            check_cell(text);
        }
    }
    for (int i = 0; i < table.columns; i++) require(csv_column(&table, table.header[i]) == i);
    csv_free(&table);
    return 0;
}

FUZZ_MAIN("fuzz_csv",
    "class,population,think_s,uplink\nfast,4,0.029,0.072\nslow,4,6e-2,0.072\n",
    "# comment\r\n\"a\",\"b \"\"quoted\"\"\"\r\n\"1,5\",\"two\nlines\"\r\n",
    "\xEF\xBB\xBFx\n-1.5e3\n\n# end\n10ms",
    "");
