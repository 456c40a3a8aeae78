#ifndef FENCEPOST_TIME_H
#define FENCEPOST_TIME_H
#include <stddef.h>
typedef long time_t;
struct timespec {
    time_t tv_sec;
    long tv_nsec;
};
int nanosleep(const struct timespec *time, struct timespec *left) __attribute__((fencepost_ignored));
#endif
