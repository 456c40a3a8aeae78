/* Compiler builtins that are ordinary functions of their arguments. */
static inline int __builtin_popcountll(unsigned long long x)
{
    x = x - ((x >> 1) & 0x5555555555555555ull);
    x = (x & 0x3333333333333333ull) + ((x >> 2) & 0x3333333333333333ull);
    x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0full;
    return (int)((x * 0x0101010101010101ull) >> 56);
}
static inline int __builtin_popcountl(unsigned long x) { return __builtin_popcountll(x); }
static inline int __builtin_popcount(unsigned x) { return __builtin_popcountll(x); }
static inline int __builtin_ctzll(unsigned long long x) { return __builtin_popcountll((x & -x) - 1); }
static inline int __builtin_ctzl(unsigned long x) { return __builtin_ctzll(x); }
static inline int __builtin_ctz(unsigned x) { return __builtin_ctzll(x); }
static inline int __builtin_clzll(unsigned long long x)
{
    x |= x >> 1;
    x |= x >> 2;
    x |= x >> 4;
    x |= x >> 8;
    x |= x >> 16;
    x |= x >> 32;
    return 64 - __builtin_popcountll(x);
}
static inline int __builtin_clzl(unsigned long x) { return __builtin_clzll(x); }
static inline int __builtin_clz(unsigned x) { return __builtin_clzll(x) - 32; }
static inline int __builtin_ffsll(long long x) { return x ? __builtin_ctzll(x) + 1 : 0; }
static inline int __builtin_ffsl(long x) { return __builtin_ffsll(x); }
static inline int __builtin_ffs(int x) { return __builtin_ffsll((unsigned)x); }
