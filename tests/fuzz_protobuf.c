/* fuzz_protobuf.c - the reader of Protocol Buffers survives any bytes, stays inside them and
 * inside the messages that it enters. */
#include "fuzz.h"
#include "base/words.h"
#include "import/protobuf.h"

/* What one field says, by one of the ways of asking, chosen by its number. */
static uint64_t ask(protobuf_reader *r)
{
    uint64_t sum = r->field * 31 + r->value, value = 0;
    char text[12];
    switch (r->field % 4) {
    case 0:
        protobuf_text(r, text, sizeof text);
        for (size_t i = 0; text[i] != '\0'; i++) sum = sum * 31 + (unsigned char)text[i];
        for (size_t i = 0; text[i] != '\0'; i += utf8_length(text + i))
            require(utf8_length(text + i) > 0 && (unsigned char)text[i] >= 0x20);
        return sum;
    case 1:
        while (protobuf_repeated(r, &value)) sum = sum * 31 + value;
        return sum;
    case 2:
        (void)protobuf_enter(r);
        return sum;
    default:
        return sum + (uint64_t)protobuf_zigzag(r) + (uint64_t)protobuf_signed(r);
    }
}

/* All of it, as one message or as frames: a sum of what was read. */
static uint64_t read_all(protobuf_reader *r, int frames)
{
    uint64_t sum = 0;
    for (;;) {
        const size_t depth = r->depth;
        const uint64_t at = r->at;
        if (frames && depth == 0) {
            if (!protobuf_frame(r)) return sum;
        } else if (protobuf_next(r)) {
            require(r->at <= r->rest && r->rest <= r->end[r->depth]);
            sum = sum * 31 + ask(r);
        } else if (r->wrong || depth == 0) {
            return sum;
        } else {
            require(r->depth == depth - 1 && r->at == r->end[depth]);
        }
        require(r->at >= at && r->depth < PROTOBUF_DEPTH);
        require(r->depth == 0 || r->end[r->depth] <= r->end[r->depth - 1]);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    protobuf_reader r;
    stream in;
    for (int frames = 0; frames < 2; frames++) {
        stream_of(&in, "fuzz", (const char *)data, size);
        protobuf_read(&r, &in);
        (void)read_all(&r, frames);
        require(r.at <= size && stream_place(&in) == r.at);
        require(r.wrong || r.at == size);
        require(!protobuf_next(&r) || !r.wrong);
    }
    return 0;
}

FUZZ_MAIN("fuzz_protobuf",
    "\x08\x96\x01\x11" "12345678" "\x1D" "1234" "\x22\x03" "abc" "\x2A\x04\x01\x02\x83\x04",
    "\x32\x0B\x32\x09\x32\x07\x32\x05\x22\x03\xE2\x82\xAC",
    "\x05\x08\x01\x22\x01" "a\x04\x0A\x02\x01\x02\x02\x08\x7F",
    "\x12\x07" "0.0.4\x0A\x1E\x08\x01\x12\x04" "conv\x18\x04\x2A\x01\x01"
    "\x38\x07\x52\x0A\x0A\x05" "extra\xD8\x01\x01",
    "");
