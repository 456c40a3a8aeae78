/* Attacks mining: run alone, a lock that is held waits for ever by storing in every round. */
int l, x;
int take(void)
{
    while (__atomic_exchange_n(&l, 1, __ATOMIC_SEQ_CST))
        ;
    return __atomic_fetch_add(&x, 1, __ATOMIC_SEQ_CST);
}
int give(void)
{
    __atomic_store_n(&l, 0, __ATOMIC_SEQ_CST);
    return 0;
}
#pragma fencepost op t = take()
#pragma fencepost op g = give()
#pragma fencepost test T = ( t | t | g )
#pragma fencepost expect T sc, tso holds
