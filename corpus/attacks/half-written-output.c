/* Against the rule that an unwritten output promises nothing: it is so for the bits that this serial execution left
 * unwritten, and for no others. */

int n, flag;

/* Of the two bytes that are written, one holds what was read: a lost update shows in it. */
void half(unsigned *out)
{
    int old = n;
    n = old + 1;
    ((unsigned char *)out)[0] = old;
    ((unsigned char *)out)[3] = 7;
}

/* No serial execution writes the second byte, so it may hold anything; the first is promised. */
void spill(unsigned *out)
{
    ((unsigned char *)out)[0] = 1;
    if (flag) ((unsigned char *)out)[1] = 9;
}
void spoil(unsigned *out)
{
    ((unsigned char *)out)[0] = 1;
    if (flag) ((unsigned char *)out)[0] = 9;
}
void blink(void) { flag = 1; flag = 0; }

#pragma fencepost op h = half(out)
#pragma fencepost op s = spill(out)
#pragma fencepost op w = spoil(out)
#pragma fencepost op b = blink()
#pragma fencepost test Th = ( h | h )
#pragma fencepost test Ts = ( s | b )
#pragma fencepost test Tw = ( w | b )
#pragma fencepost model sc
#pragma fencepost expect Th, Tw sc violated
#pragma fencepost expect Ts sc holds
