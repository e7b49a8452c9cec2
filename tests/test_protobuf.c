/* test_protobuf.c - the wire format of Protocol Buffers. The bytes of most tests are those
 * of its public description, written by hand. */
#include "test.h"
#include "base/tool.h"
#include "import/protobuf.h"

#include <float.h>

/* ---- A stream from memory -------------------------------------------------- */

static stream          input;
static protobuf_reader r;

static void open_bytes(const char *bytes, size_t length)
{
    stream_of(&input, "bytes", bytes, length);
    protobuf_read(&r, &input);
}

/* Of a literal, which may have zeros inside. */
#define OPEN(literal) open_bytes(literal, sizeof(literal) - 1)

#define CHECK_FIELD(number, kind, v) \
    (CHECK(protobuf_next(&r)), CHECK(r.field == (number)), CHECK(r.wire == (kind)), \
     CHECK(r.value == (v)))
#define CHECK_END() (CHECK(!protobuf_next(&r)), CHECK(r.wrong == NULL))

/* ---- Fields ---------------------------------------------------------------- */

TEST(numbers_of_every_kind_are_read)
{
    OPEN("\x08\x96\x01" "\x11\x00\x00\x00\x00\x00\x00\xF8\x3F" "\x1D\x00\x00\x20\xC0"
         "\x20\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01" "\x28\x03" "\x30\x00");
    CHECK_FIELD(1, PROTOBUF_VARINT, 150);
    CHECK_FIELD(2, PROTOBUF_FIXED64, UINT64_C(0x3FF8000000000000));
    CHECK_REL(protobuf_double(&r), 1.5, 0.0);
    CHECK_FIELD(3, PROTOBUF_FIXED32, 0xC0200000u);
    CHECK_REL(protobuf_float(&r), -2.5, 0.0);
    CHECK_FIELD(4, PROTOBUF_VARINT, UINT64_MAX);
    CHECK(protobuf_signed(&r) == -1);
    CHECK_FIELD(5, PROTOBUF_VARINT, 3);
    CHECK(protobuf_zigzag(&r) == -2);
    CHECK_FIELD(6, PROTOBUF_VARINT, 0);
    CHECK_END();
    CHECK(r.at == input.size);
}

TEST(signs_are_those_of_the_extremes)
{
    r.value = UINT64_C(1) << 63;
    CHECK(protobuf_signed(&r) == INT64_MIN);
    r.value = INT64_MAX;
    CHECK(protobuf_signed(&r) == INT64_MAX);
    r.value = UINT64_MAX;
    CHECK(protobuf_zigzag(&r) == INT64_MIN);
    r.value = UINT64_MAX - 1;
    CHECK(protobuf_zigzag(&r) == INT64_MAX);
}

TEST(a_large_field_number_is_one)
{
    OPEN("\xF8\xFF\xFF\xFF\x0F\x07");
    CHECK_FIELD(UINT32_C(0x1FFFFFFF), PROTOBUF_VARINT, 7);
    CHECK_END();
}

TEST(nothing_is_a_message)
{
    OPEN("");
    CHECK_END();
}

/* ---- Messages and texts ---------------------------------------------------- */

TEST(messages_nest_and_unknown_fields_are_skipped)
{
    char text[8];
    OPEN("\x1A\x07" "\x0A\x03" "abc" "\x10\x05" "\x22\x04skip" "\x08\x01");
    CHECK_FIELD(3, PROTOBUF_LENGTH, 7);
    CHECK(protobuf_enter(&r));
    CHECK(protobuf_next(&r));
    protobuf_text(&r, text, sizeof text);
    CHECK_TEXT(text, "abc");
    CHECK_FIELD(2, PROTOBUF_VARINT, 5);
    CHECK_END();                       /* of the inner message */
    CHECK_FIELD(4, PROTOBUF_LENGTH, 4);
    CHECK_FIELD(1, PROTOBUF_VARINT, 1);
    CHECK_END();
}

TEST(an_empty_message_is_entered_and_left)
{
    OPEN("\x0A\x00\x10\x02");
    CHECK(protobuf_next(&r) && protobuf_enter(&r));
    CHECK_END();
    CHECK_FIELD(2, PROTOBUF_VARINT, 2);
    CHECK_END();
}

TEST(a_number_is_not_entered)
{
    OPEN("\x08\x01");
    CHECK(protobuf_next(&r));
    CHECK(!protobuf_enter(&r));
    CHECK_END();
}

TEST(text_is_cut_to_its_room_and_made_text)
{
    static const struct { const char *bytes; size_t room; const char *want; } cases[] = {
        {"\x0A\x06" "abcdef", 4, "abc"},
        {"\x0A\x06" "abcdef", 1, ""},
        {"\x0A\x05" "a\tb\nc", 9, "a?b?c"},
        {"\x0A\x03" "a\xFF" "b", 9, "a?b"},
        {"\x0A\x05" "ab\xE2\x82\xAC", 9, "ab\xE2\x82\xAC"},
        {"\x0A\x05" "ab\xE2\x82\xAC", 5, "ab"}, /* no half of a character */
        {"\x0A\x04" "ab\xE2\x82", 9, "ab??"}
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char text[16] = "dirt";
        open_bytes(cases[i].bytes, strlen(cases[i].bytes));
        CHECK(protobuf_next(&r));
        protobuf_text(&r, text, cases[i].room);
        CHECK_TEXT(text, cases[i].want);
        CHECK_END();
    }
    {
        char text[16];
        OPEN("\x0A\x03" "a\0b");
        CHECK(protobuf_next(&r));
        protobuf_text(&r, text, sizeof text);
        CHECK_TEXT(text, "a?b");
        CHECK_END();
    }
}

TEST(repeated_numbers_are_packed_or_not)
{
    uint64_t value = 0;
    OPEN("\x22\x06\x03\x8E\x02\x9E\xA7\x05" "\x20\x07" "\x22\x00");
    CHECK(protobuf_next(&r));
    CHECK(protobuf_repeated(&r, &value) && value == 3);
    CHECK(protobuf_repeated(&r, &value) && value == 270);
    CHECK(protobuf_repeated(&r, &value) && value == 86942);
    CHECK(!protobuf_repeated(&r, &value));
    CHECK(protobuf_next(&r));
    CHECK(protobuf_repeated(&r, &value) && value == 7);
    CHECK(!protobuf_repeated(&r, &value));
    CHECK(protobuf_next(&r));
    CHECK(!protobuf_repeated(&r, &value));
    CHECK_END();
}

TEST(frames_come_one_after_the_other)
{
    OPEN("\x02\x08\x01" "\x00" "\x04\x08\x02\x10\x03");
    CHECK(protobuf_frame(&r));
    CHECK_FIELD(1, PROTOBUF_VARINT, 1);
    CHECK_END();
    CHECK(protobuf_frame(&r));
    CHECK_END();
    CHECK(protobuf_frame(&r));
    CHECK_FIELD(1, PROTOBUF_VARINT, 2);
    CHECK_FIELD(2, PROTOBUF_VARINT, 3);
    CHECK_END();
    CHECK(!protobuf_frame(&r) && r.wrong == NULL);
}

TEST(frames_stand_in_a_message)
{
    OPEN("\x0A\x05" "\x02\x08\x01" "\x01\x10" "\x10\x07");
    CHECK(protobuf_next(&r) && protobuf_enter(&r));
    CHECK(protobuf_frame(&r));
    CHECK_FIELD(1, PROTOBUF_VARINT, 1);
    CHECK_END();
    CHECK(protobuf_frame(&r));
    CHECK(!protobuf_next(&r));
    CHECK_TEXT(r.wrong, "a number reaches beyond the end of its message");
    OPEN("\x0A\x03" "\x02\x08\x01" "\x10\x07");
    CHECK(protobuf_next(&r) && protobuf_enter(&r) && protobuf_frame(&r));
    CHECK_FIELD(1, PROTOBUF_VARINT, 1);
    CHECK_END();
    CHECK(!protobuf_frame(&r));
    CHECK_END();                       /* of the message around them */
    CHECK_FIELD(2, PROTOBUF_VARINT, 7);
    CHECK_END();
}

TEST(before_the_first_field_there_is_nothing)
{
    char text[8] = "dirt";
    uint64_t value = 0;
    OPEN("\x0A\x01" "a");
    CHECK(!protobuf_enter(&r) && !protobuf_repeated(&r, &value));
    protobuf_text(&r, text, sizeof text);
    CHECK_TEXT(text, "");
    CHECK(protobuf_next(&r));
    protobuf_text(&r, text, sizeof text);
    CHECK_TEXT(text, "a");
}

/* ---- What is no message ---------------------------------------------------- */

/* Reads all of it, going into every field of number 15. */
static void read_all(void)
{
    size_t tokens = 0;
    while (tokens++ < 1000 && (protobuf_next(&r) || (!r.wrong && r.at < input.size)))
        if (r.field == 15) (void)protobuf_enter(&r);
}

TEST(what_is_damaged_says_why)
{
    static const struct { const char *bytes, *wrong; } cases[] = {
        {"\x08", "the file ends within a number"},
        {"\x08\xFF", "the file ends within a number"},
        {"\x09" "1234567", "the file ends within a number"},
        {"\x0D" "123", "the file ends within a number"},
        {"\x0A\x05" "abcd", "the file ends within a field"},
        {"\x08\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x02", "a number has more than 64 bits"},
        {"\x08\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01", "a number has more than 64 bits"},
        {"\x08\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x81\x01", "a number has more than 64 bits"},
        {"\x0B", "a field has an unknown kind"},
        {"\x0F", "a field has an unknown kind"},
        {"\x01", "the number of a field is missing"},
        {"\x82\x80\x80\x80\x10", "the number of a field is missing"},
        {"\x0A\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01",
         "a length reaches beyond the end of its message"},
        {"\x7A\x03\x0A\x05" "abcde", "a length reaches beyond the end of its message"},
        {"\x7A\x02\x08\xFF\x01\x01", "a number reaches beyond the end of its message"},
        {"\x7A\x03\x09" "12345678", "a number reaches beyond the end of its message"},
        {"\x0A\xFF\xFF\xFF\xFF\x0F", "the file ends within a field"}
    };
    char text[8];
    uint64_t value = 0;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        open_bytes(cases[i].bytes, strlen(cases[i].bytes));
        read_all();
        CHECK_TEXT(r.wrong, cases[i].wrong);
        CHECK(!protobuf_next(&r) && !protobuf_enter(&r) && !protobuf_frame(&r));
        CHECK(!protobuf_repeated(&r, &value));
        protobuf_text(&r, text, sizeof text);
        CHECK_TEXT(text, "");
        CHECK_TEXT(r.wrong, cases[i].wrong);
    }
}

TEST(depth_is_bounded)
{
    char bytes[2 * 40];
    size_t i;
    for (i = 0; i < 40; i++) { bytes[2 * i] = 15 << 3 | 2; bytes[2 * i + 1] = (char)(78 - 2 * i); }
    open_bytes(bytes, sizeof bytes);
    read_all();
    CHECK_TEXT(r.wrong, "messages are nested too deeply");
    for (i = 0; i < 40; i++) bytes[i] = (char)(39 - i);
    open_bytes(bytes, 40);
    for (i = 0; i < 40 && protobuf_frame(&r); i++) { }
    CHECK(i < 40);
    CHECK_TEXT(r.wrong, "messages are nested too deeply");
}

TEST(a_frame_that_is_cut_says_so)
{
    OPEN("\x05\x08\x01");
    CHECK(protobuf_frame(&r));
    CHECK_FIELD(1, PROTOBUF_VARINT, 1);
    CHECK(!protobuf_next(&r));
    CHECK_TEXT(r.wrong, "the file ends within a number");
    OPEN("\xFF");
    CHECK(!protobuf_frame(&r));
    CHECK_TEXT(r.wrong, "the file ends within a number");
    OPEN("\x0A\x05" "ab");
    CHECK(protobuf_next(&r) && !protobuf_frame(&r));
    CHECK_TEXT(r.wrong, "the file ends within a field");
}

/* ---- Writing --------------------------------------------------------------- */

TEST(what_is_written_reads_back)
{
    static const uint64_t numbers[] = {0, 1, 127, 128, 16384, UINT64_MAX};
    protobuf_writer w = {0}, inner = {0};
    uint64_t value = 1;
    char text[64];
    protobuf_put_text(&inner, 1, "name");
    protobuf_put_double(&inner, 3, -DBL_MIN);
    protobuf_put_integer(&w, 1, UINT64_MAX);
    protobuf_put_message(&w, 10, &inner);
    protobuf_put_packed(&w, 5, numbers, COUNT_OF(numbers));
    protobuf_put_text(&w, 2, "");
    open_bytes((const char *)w.bytes, w.length);
    CHECK_FIELD(1, PROTOBUF_VARINT, UINT64_MAX);
    CHECK(protobuf_next(&r) && r.field == 10 && protobuf_enter(&r));
    CHECK(protobuf_next(&r));
    protobuf_text(&r, text, sizeof text);
    CHECK_TEXT(text, "name");
    CHECK(protobuf_next(&r));
    CHECK_REL(protobuf_double(&r), -DBL_MIN, 0.0);
    CHECK_END();
    CHECK(protobuf_next(&r) && r.field == 5);
    for (size_t i = 0; i < COUNT_OF(numbers); i++)
        CHECK(protobuf_repeated(&r, &value) && value == numbers[i]);
    CHECK(!protobuf_repeated(&r, &value));
    CHECK_FIELD(2, PROTOBUF_LENGTH, 0);
    CHECK_END();
    tool_free_all();
}

TEST(a_long_text_is_cut_and_skipped)
{
    protobuf_writer w = {0};
    char *text = (char *)tool_alloc(100001, 1), few[5];
    memset(text, 'x', 100000);
    protobuf_put_text(&w, 1, text);
    protobuf_put_integer(&w, 2, 9);
    open_bytes((const char *)w.bytes, w.length);
    CHECK(protobuf_next(&r));
    protobuf_text(&r, few, sizeof few);
    CHECK_TEXT(few, "xxxx");
    CHECK_FIELD(2, PROTOBUF_VARINT, 9);
    CHECK_END();
    tool_free_all();
}

TEST_MAIN("test_protobuf");
