/* ORDER(n, kind): the n-th fence of an algorithm. -DUNFENCED leaves out all of them, -DNO_FENCE=3 just the third, and
 * -DONLY_FENCE=3 all but the third. */
#ifndef NO_FENCE
#define NO_FENCE 0
#endif
#if defined(UNFENCED)
#define ORDER(number, kind)
#elif defined(ONLY_FENCE)
#define ORDER(number, kind)       \
    do {                          \
        if (number == ONLY_FENCE) \
            fence(kind);          \
    } while (0)
#else
#define ORDER(number, kind)     \
    do {                        \
        if (number != NO_FENCE) \
            fence(kind);        \
    } while (0)
#endif
