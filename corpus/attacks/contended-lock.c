/* Attacks silent turns: a lock that tells whether it had to wait. Serial calls never wait; others may. */
int l, x;
int take(void)
{
    int contended = 0;
    while (__atomic_exchange_n(&l, 1, __ATOMIC_SEQ_CST))
        contended = 1;
    x = x + 1;
    __atomic_store_n(&l, 0, __ATOMIC_SEQ_CST);
    return contended;
}
int quiet(void)
{
    while (__atomic_exchange_n(&l, 1, __ATOMIC_SEQ_CST))
        ;
    int y = x = x + 1;
    __atomic_store_n(&l, 0, __ATOMIC_SEQ_CST);
    return y;
}
#pragma fencepost op t = take()
#pragma fencepost op q = quiet()
#pragma fencepost test Told = ( t | t )
#pragma fencepost test Untold = ( q | q )
#pragma fencepost expect Told sc, tso, pso, rmo, relaxed violated
#pragma fencepost expect Untold sc, tso, pso, rmo, relaxed holds
