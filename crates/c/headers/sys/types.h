#ifndef FENCEPOST_SYS_TYPES_H
#define FENCEPOST_SYS_TYPES_H
#include <stddef.h>
#include <stdint.h>
typedef long ssize_t;
typedef long off_t;
typedef int pid_t;
#endif
