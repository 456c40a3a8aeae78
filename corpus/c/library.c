/* Small functions of <stdlib.h>, <string.h>, <pthread.h> and <threads.h>. */
#include <assert.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>
#pragma fencepost expect main sc holds

static int calls;

static void call(void)
{
    calls++;
}

int main(void)
{
    assert(abs(-3) == 3 && labs(-3000000000l) == 3000000000l && llabs(LLONG_MIN + 1) == LLONG_MAX);
    assert(sizeof(labs(0)) == 8 && labs(5) == 5 && llabs(0) == 0);

    char text[8] = "xxxxxxx";
    assert(strcpy(text, "abc") == text && strcmp(text, "abc") == 0 && text[4] == 'x');
    assert(strcpy(text, "")[0] == 0 && text[1] == 'b');
    const char *word = "hello";
    assert(strchr(word, 'l') == word + 2 && strchr(word, 'h') == word && !strchr(word, 'x'));
    assert(strchr(word, 0) == word + 5 && strchr("\xff", 0xff) && !strchr("", 'a'));
    assert(strncmp("abc", "abd", 2) == 0 && strncmp("abc", "abd", 3) < 0 && strncmp("ab", "a", 9) > 0);
    assert(strncmp("a\0b", "a\0c", 3) == 0 && strncmp("\xff", "a", 1) > 0 && strncmp("x", "y", 0) == 0);

    static pthread_once_t control = PTHREAD_ONCE_INIT;
    assert(pthread_once(&control, call) == 0 && calls == 1);
    assert(pthread_once(&control, call) == 0 && calls == 1);
    static once_flag flag = ONCE_FLAG_INIT;
    call_once(&flag, call);
    call_once(&flag, call);
    assert(calls == 2);
    return 0;
}
