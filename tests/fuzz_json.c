/* fuzz_json.c - the JSON reader survives any bytes, stays inside them, and closes what it
 * opens; a value that it skips is one that it can read. */
#include "fuzz.h"
#include "base/json.h"

static int has_text(json_token token)
{
    return token == JSON_KEY || token == JSON_STRING || token == JSON_NUMBER;
}

/* Reads token by token: 1 if the bytes are JSON. */
static int read_all(const uint8_t *data, size_t size)
{
    const char *begin = (const char *)data, *end = begin + size;
    size_t depth = 0, tokens = 0, line = 1;
    json_reader r;
    json_token token;
    json_read(&r, begin, size);
    while ((token = json_next(&r)) != JSON_END && token != JSON_WRONG) {
        require(++tokens <= size && r.at <= end);
        require(r.line >= line && r.line <= size + 1);
        line = r.line;
        if (token == JSON_OBJECT || token == JSON_ARRAY) depth++;
        if (token == JSON_CLOSE) require(depth-- > 0);
        require(depth == r.depth && depth <= JSON_DEPTH);
        if (has_text(token))
            require(r.text >= begin && r.length <= size && r.text + r.length <= end);
    }
    require((token == JSON_WRONG) == (r.wrong != NULL));
    require(token == JSON_WRONG || depth == 0);
    require(json_next(&r) == token);
    return token == JSON_END;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    json_reader r;
    json_read(&r, (const char *)data, size);
    int skipped = json_skip(&r, json_next(&r)) && json_next(&r) == JSON_END;
    require(skipped == read_all(data, size));
    return 0;
}

FUZZ_MAIN("fuzz_json",
    "{\"a\": [1, -2.5e+10, true, false, null, \"\\u00e9\\n\\\\\"], \"b\": {}, \"\": []}",
    "\xEF\xBB\xBF [[[[[]]]], {\"k\" : {\"k\" : 0}}]\r\n",
    "\"\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\"", "-0.0E-1", "nul", "[1,]", "{\"a\" 1}", "01",
    "");
