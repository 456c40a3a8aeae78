#ifndef FENCEPOST_STDDEF_H
#define FENCEPOST_STDDEF_H
typedef unsigned long size_t;
typedef long ptrdiff_t;
typedef int wchar_t;
typedef struct {
    long long fencepost_a;
    long double fencepost_b;
} max_align_t;
#define NULL ((void *)0)
#define offsetof(type, member) __builtin_offsetof(type, member)
#endif
