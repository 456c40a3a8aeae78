#ifndef FENCEPOST_STRING_H
#define FENCEPOST_STRING_H
#include <stddef.h>
/* These three take a constant number of bytes and go part by part, as the types of their arguments say. */
void *memcpy(void *to, const void *from, size_t size);
void *memmove(void *to, const void *from, size_t size);
void *memset(void *to, int byte, size_t size);
static inline int memcmp(const void *a, const void *b, size_t size)
{
    const unsigned char *x = (const unsigned char *)a, *y = (const unsigned char *)b;
    for (size_t i = 0; i < size; i++)
        if (x[i] != y[i])
            return x[i] < y[i] ? -1 : 1;
    return 0;
}
static inline size_t strlen(const char *text)
{
    size_t length = 0;
    while (text[length])
        length++;
    return length;
}
static inline int strcmp(const char *a, const char *b)
{
    while (*a && *a == *b)
        a++, b++;
    return (unsigned char)*a - (unsigned char)*b;
}
static inline int strncmp(const char *a, const char *b, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (a[i] != b[i] || !a[i])
            return (unsigned char)a[i] - (unsigned char)b[i];
    return 0;
}
static inline char *strcpy(char *to, const char *from)
{
    char *at = to;
    while ((*at++ = *from++))
        ;
    return to;
}
static inline char *strchr(const char *text, int character)
{
    for (; *text != (char)character; text++)
        if (!*text)
            return 0;
    return (char *)text;
}
#endif
