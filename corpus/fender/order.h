/* ORDER(n, kind): the n-th fence of an algorithm. -DUNFENCED leaves out all of them, -DNO_FENCE=3 just the
 * third, so that one text serves to show that the fences suffice and that each is needed. */
#ifndef NO_FENCE
#define NO_FENCE 0
#endif
#ifdef UNFENCED
#define ORDER(number, kind)
#else
#define ORDER(number, kind)     \
    do {                        \
        if (number != NO_FENCE) \
            fence(kind);        \
    } while (0)
#endif
