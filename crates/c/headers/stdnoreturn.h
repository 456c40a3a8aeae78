#ifndef FENCEPOST_STDNORETURN_H
#define FENCEPOST_STDNORETURN_H
#define noreturn _Noreturn
#endif
