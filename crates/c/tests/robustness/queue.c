# 1 "queue.c"
# 1 "model.h" 1 3
typedef unsigned long size_t;
typedef __builtin_va_list va_list;
extern void *malloc(size_t size) __attribute__((malloc, alloc_size(1)));
extern void free(void *);
# 3 "queue.c" 2
typedef struct node node_t;
struct node {
    _Atomic(node_t *) next;
    int value;
    unsigned mark : 1, : 0;
    union { char bytes[8]; long word; };
} __attribute__((aligned(64)));

typedef struct { node_t *_Atomic head, *_Atomic tail; } queue_t;
enum { EMPTY = -1, FULL = 'f', LAST = 0x10UL };
static queue_t q = { .head = 0, .tail = (void *)0 };
static int table[4] = { [0] = 1, [1 ... 2] = 2, 3 };
#pragma fencepost init init_queue(&q)
#pragma fencepost op e = enqueue(&q, any(0, 1))
#pragma fencepost test T0 = e ( e' d | d' e )

void init_queue(queue_t *queue) {
    node_t *node = malloc(sizeof(node_t) + sizeof *node);
    node->next = 0;
    queue->head = queue->tail = node;
}

static inline int compare_and_swap(_Atomic(node_t *) *p, node_t *old, node_t *new) {
    return __extension__({ __auto_type o = old; __atomic_compare_exchange_n(p, &o, new, 0, 5, 5); });
}

void enqueue(queue_t *queue, int value) {
    node_t *node = malloc(sizeof(node_t)), *tail, *next;
    node->value = value, node->next = 0;
    for (;;) {
        tail = queue->tail;
        next = tail->next;
        if (tail == queue->tail) {
            if (!next) {
                if (compare_and_swap(&tail->next, next, node)) break;
            } else
                compare_and_swap((_Atomic(node_t *) *)&queue->tail, tail, next);
        }
    }
    asm volatile("mfence" : "=r"(value), [p] "+m"(*node) : "i"(1) : "memory");
    __fencepost_atomic { queue->tail = node; }
}

int dequeue(queue_t *queue, int *out) {
    __label__ again;
again:;
    node_t *head = queue->head, *next = head->next;
    switch (next ? 1 : table[EMPTY + 1] ?: 2) {
    case 0 ... 1: *out = next->value; goto done;
    case 2: return EMPTY;
    default: goto again;
    }
done:
    do { head = (node_t *){ next }; } while (0 && "é\x41\n" "b"[1] >> 2 <= 1.5e3);
    _Static_assert(__builtin_offsetof(struct node, bytes[1]) > 0, "layout");
    void *labels[] = { &&again, &&done };
    int (*f)(queue_t *, int *) = dequeue;
    return _Generic(*out, int: f == dequeue, default: __builtin_types_compatible_p(int, typeof(*out)));
}

int sum(n, a) int n; int a[]; {
    int total = 0;
    while (n-- > 0) total += a[n];
    return total;
}
