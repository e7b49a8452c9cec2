/* setjmp.h - WebAssembly cannot leave a function by longjmp: what would do so ends the
 * program. Only args_describe needs it, which no command of the page calls. */
#ifndef WEB_SETJMP_H
#define WEB_SETJMP_H

typedef int jmp_buf[1];

#define setjmp(environment) ((void)(environment), 0)
#define longjmp(environment, value) __builtin_trap()

#endif /* WEB_SETJMP_H */
