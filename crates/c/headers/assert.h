/* Not guarded: its meaning follows NDEBUG at each inclusion. */
#undef assert
#ifdef NDEBUG
#define assert(e) ((void)0)
#else
#define assert(e) __fencepost_assert(!!(e), #e)
#endif
#ifndef __cplusplus
#undef static_assert
#define static_assert _Static_assert
#endif
