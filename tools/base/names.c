/* names.c - distinct names in a hash table with open addressing */
#include "base/names.h"

#include "base/tool.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* FNV-1a */
static uint64_t hash_of(const char *text, size_t length)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < length; i++) {
        hash ^= (unsigned char)text[i];
        hash *= UINT64_C(0x100000001b3);
    }
    return hash ^ (hash >> 32);
}

/* Where text[length] stands, or would. */
static size_t find_slot(const name_index *n, const char *text, size_t length)
{
    size_t at = (size_t)hash_of(text, length) & (n->slots - 1);
    while (n->slot[at] > 0) {
        const char *name = names_text(n, n->slot[at] - 1);
        if (strlen(name) == length && memcmp(name, text, length) == 0) break;
        at = (at + 1) & (n->slots - 1);
    }
    return at;
}

/* At most half of the slots are taken, so that searches end soon. */
static int grow_slots(name_index *n)
{
    const size_t slots = n->slots < 64 ? 64 : n->slots * 2;
    size_t *slot = (size_t *)calloc(slots, sizeof *slot);
    if (!slot) return 0;
    free(n->slot);
    n->slot = slot;
    n->slots = slots;
    for (size_t i = 0; i < n->count; i++) {
        const char *name = names_text(n, i);
        slot[find_slot(n, name, strlen(name))] = i + 1;
    }
    return 1;
}

int names_add(name_index *n, const char *text, size_t length, size_t *number)
{
    if (n->count >= n->slots / 2 && !grow_slots(n)) return NAMES_FULL;
    size_t at = find_slot(n, text, length);
    if (n->slot[at] > 0) {
        *number = n->slot[at] - 1;
        return NAMES_KNOWN;
    }
    if (length > (size_t)-1 / 2 - n->used) return NAMES_FULL;
    void *grown = tool_room(n->text, &n->text_room, n->used + length + 1, 1);
    if (!grown) return NAMES_FULL;
    n->text = (char *)grown;
    grown = tool_room(n->start, &n->room, n->count + 1, sizeof *n->start);
    if (!grown) return NAMES_FULL;
    n->start = (size_t *)grown;
    memcpy(n->text + n->used, text, length);
    n->text[n->used + length] = '\0';
    n->start[n->count] = n->used;
    n->used += length + 1;
    n->slot[at] = n->count + 1;
    *number = n->count++;
    return NAMES_NEW;
}

size_t names_find(const name_index *n, const char *text)
{
    if (n->slots == 0) return n->count;
    size_t at = find_slot(n, text, strlen(text));
    return n->slot[at] > 0 ? n->slot[at] - 1 : n->count;
}

const char *names_text(const name_index *n, size_t number)
{
    return n->text + n->start[number];
}

void names_free(name_index *n)
{
    free(n->text);
    free(n->start);
    free(n->slot);
    memset(n, 0, sizeof *n);
}

size_t names_number(name_index *names, const char *text)
{
    size_t number = 0;
    if (names_add(names, text, strlen(text), &number) == NAMES_FULL) tool_fail("out of memory");
    return number;
}

row_list *names_rows(const size_t *id, size_t rows, size_t count)
{
    row_list *list = (row_list *)tool_alloc(count, sizeof *list);
    size_t *room = (size_t *)tool_alloc(rows, sizeof *room), i;
    for (i = 0; i < rows; i++)
        if (id[i] != NAMES_NONE) list[id[i]].count++;
    for (i = 0; i < count; i++) {
        list[i].row = room;
        room += list[i].count;
        list[i].count = 0;
    }
    for (i = 0; i < rows; i++)
        if (id[i] != NAMES_NONE) list[id[i]].row[list[id[i]].count++] = i;
    return list;
}
