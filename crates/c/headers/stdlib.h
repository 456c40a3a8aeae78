#ifndef FENCEPOST_STDLIB_H
#define FENCEPOST_STDLIB_H
#include <stddef.h>
#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1
#define RAND_MAX 2147483647
void *malloc(size_t size);
void *calloc(size_t count, size_t size);
void *aligned_alloc(size_t alignment, size_t size);
void free(void *pointer);
int posix_memalign(void **pointer, size_t alignment, size_t size);
_Noreturn static inline void abort(void)
{
    __fencepost_abort();
}
_Noreturn static inline void exit(int status)
{
    __fencepost_exit(status);
}
static inline int abs(int value)
{
    return value < 0 ? -value : value;
}
static inline long labs(long value)
{
    return value < 0 ? -value : value;
}
static inline long long llabs(long long value)
{
    return value < 0 ? -value : value;
}
static inline int rand(void)
{
    return __fencepost_any((int)0) & RAND_MAX;
}
void srand(unsigned seed) __attribute__((fencepost_ignored));
int atoi(const char *text);
int atexit(void (*function)(void));
#endif
