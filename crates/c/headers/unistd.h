#ifndef FENCEPOST_UNISTD_H
#define FENCEPOST_UNISTD_H
#include <stddef.h>
typedef long ssize_t;
unsigned sleep(unsigned seconds) __attribute__((fencepost_ignored));
int usleep(unsigned microseconds) __attribute__((fencepost_ignored));
#endif
