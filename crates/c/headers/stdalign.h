#ifndef FENCEPOST_STDALIGN_H
#define FENCEPOST_STDALIGN_H
#define alignas _Alignas
#define alignof _Alignof
#endif
