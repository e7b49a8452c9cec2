/* paint.h - colour on a terminal */
#ifndef TOOLS_BASE_PAINT_H
#define TOOLS_BASE_PAINT_H

/* "sgdperf:" before an error, "note:" before a note, and heads of tables and help. Nothing
 * else is painted, and nothing before paint_begin, for tests of what is printed. */
typedef enum paint_kind { PAINT_ERROR = 0, PAINT_NOTE, PAINT_HEADING, PAINT_KINDS } paint_kind;

/* Looks once where stderr and stdout lead: to a terminal other than TERM=dumb, and NO_COLOR
 * is not set or empty. */
void paint_begin(void);

/* What begins and ends it there; "" elsewhere. */
const char *paint(paint_kind kind);
const char *paint_end(paint_kind kind);

#endif /* TOOLS_BASE_PAINT_H */
