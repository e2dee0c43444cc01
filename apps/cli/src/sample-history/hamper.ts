import type { SampleProject } from './history.js';

/** Containers: a vector, a hash map, a list, a ring buffer, a heap, a bit set. */
export const hamper: SampleProject = {
  name: 'hamper',
  start: 1_583_140_000,
  head: 'f370bd600ddbaa1acea2eee28c7a0ab7e7d7f8f0',
  authors: [
    { name: 'Joss Albright', email: 'joss@hamper.example', offset: '-0800' },
    { name: 'Keiko Marin', email: 'keiko@hamper.example', offset: '+0900' },
    { name: 'Paul Adeyemi', email: 'paul@hamper.example', offset: '+0000' },
    { name: 'Rut Solberg', email: 'rut@hamper.example', offset: '+0100' },
  ],
  sources: String.raw`
=== hamper.h
#ifndef HAMPER_H
#define HAMPER_H

#include <stddef.h>

#define HAMPER_NOMEM (-1)
#define HAMPER_NONE NULL
#define MAP_FACTOR 33

struct vec { void **items; size_t count, room; };
struct entry { char *key; void *value; };
struct map { struct entry *entries; size_t size, used; };
struct node { void *item; struct node *next; };
struct list { struct node *head, *tail; size_t length; };
struct ring { char *data; size_t start, used, size; unsigned long stamp; };
struct heap { void **items; size_t count; int (*less)(void *, void *); };

#endif

=== vec.head
#include <stdlib.h>
#include <string.h>

#include "hamper.h"

=== vec_push
int vec_push(struct vec *v, void *item)
{
    if (v->count == v->room) {
        size_t room = v->room ? v->room * 2 : 8;
        void **items = realloc(v->items, room * sizeof(void *));
        if (items == NULL)
            return -1;
        v->items = items;
        v->room = room;
    }
    v->items[v->count++] = item;
    return 0;
}

=== vec_remove
void *vec_remove(struct vec *v, size_t at)
{
    void *item;

    if (at >= v->count)
        return NULL;
    item = v->items[at];
    v->count--;
    memmove(v->items + at, v->items + at + 1, (v->count - at) * sizeof(void *));
    return item;
}

=== map.head
#include <stdlib.h>
#include <string.h>

#include "hamper.h"

=== map_hash
static unsigned long map_hash(const char *key)
{
    unsigned long h = 5381;

    while (*key != '\0')
        h = h * 33 + (unsigned char)*key++;
    return h;
}

=== map_find
static struct entry *map_find(const struct map *m, const char *key)
{
    size_t i = map_hash(key) & (m->size - 1);
    size_t probes;

    for (probes = 0; probes < m->size; probes++) {
        struct entry *e = &m->entries[i];
        if (e->key == NULL)
            return e;
        if (strcmp(e->key, key) == 0)
            return e;
        i = (i + 1) & (m->size - 1);
    }
    return NULL;
}

=== map_put
int map_put(struct map *m, const char *key, void *value)
{
    struct entry *e;

    if ((m->used + 1) * 4 > m->size * 3 && map_grow(m) != 0)
        return -1;
    e = map_find(m, key);
    if (e == NULL)
        return -1;
    if (e->key == NULL) {
        e->key = strdup(key);
        if (e->key == NULL)
            return -1;
        m->used++;
    }
    e->value = value;
    return 0;
}

=== list.head
#include <stdlib.h>

#include "hamper.h"

=== list_remove
int list_remove(struct list *l, void *item)
{
    struct node **link = &l->head;

    while (*link != NULL) {
        struct node *n = *link;
        if (n->item == item) {
            *link = n->next;
            free(n);
            l->length--;
            return 1;
        }
        link = &n->next;
    }
    return 0;
}

=== list_reverse
void list_reverse(struct list *l)
{
    struct node *done = NULL;
    struct node *n = l->head;

    while (n != NULL) {
        struct node *next = n->next;
        n->next = done;
        done = n;
        n = next;
    }
    l->head = done;
}

=== ring.head
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "hamper.h"

=== ring_min
static size_t min_size(size_t a, size_t b)
{
    return a < b ? a : b;
}

=== ring_write
size_t ring_write(struct ring *r, const char *src, size_t n)
{
    size_t end = (r->start + r->used) % r->size;
    size_t first;

    n = min_size(n, r->size - r->used);
    first = min_size(n, r->size - end);
    memcpy(r->data + end, src, first);
    memcpy(r->data, src + first, n - first);
    r->used += n;
    return n;
}

=== ring_clock
#ifdef HAMPER_TICKS
unsigned long ring_age(const struct ring *r)
{
    return ticks() - r->stamp;
}
#else
unsigned long ring_age(const struct ring *r)
{
    return (unsigned long)time(NULL) - r->stamp;
}
#endif

=== heap.head
#include "hamper.h"

=== heap_min
static size_t min_size(size_t a, size_t b)
{
    return a < b ? a : b;
}

=== heap_sift
static void heap_sift(struct heap *h, size_t at)
{
    void *moving = h->items[at];

    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= h->count)
            break;
        if (child + 1 < h->count && h->less(h->items[child + 1], h->items[child]))
            child++;
        if (!h->less(h->items[child], moving))
            break;
        h->items[at] = h->items[child];
        at = child;
    }
    h->items[at] = moving;
}

=== heap_pop
void *heap_pop(struct heap *h)
{
    void *top;

    if (h->count == 0)
        return NULL;
    top = h->items[0];
    h->count--;
    h->items[0] = h->items[h->count];
    if (h->count > 0)
        heap_sift(h, 0);
    return top;
}

=== bits.head
#include "hamper.h"

=== bits_next
size_t bits_next(const unsigned long *words, size_t bits, size_t from)
{
    const size_t width = 8 * sizeof(unsigned long);

    while (from < bits) {
        unsigned long word = words[from / width] >> (from % width);
        if (word == 0) {
            from += width - from % width;
            continue;
        }
        while ((word & 1) == 0) {
            word >>= 1;
            from++;
        }
        return from < bits ? from : bits;
    }
    return bits;
}
`,
  log: String.raw`
add hamper.h hamper.h :: Start with the vector's type
add src/vec.c vec.head vec_push vec_remove :: Add a vector of pointers
bad push-half vec_push :: Grow more slowly :: v->room * 2 : 8 => v->room + v->room / 2 : 1
bad remove-last vec_remove :: Allow the index one past the end :: if (at >= v->count) => if (at > v->count)
undo this push-half :: A vector with room for one never grows, so the next push writes out of bounds.
add src/table.c map.head map_hash map_find :: Hash strings and find entries
undo short remove-last :: The item past the end is read and the count underflows: crash in vec_remove on an empty vector.
bad push-size vec_push :: Simplify the size of the block :: room * sizeof(void *) => room * sizeof(int)
edit hamper.h :: Declare the vector functions :: #endif => int vec_push(struct vec *v, void *item);\nint map_grow(struct map *m);\n\n#endif
bad hash-signed map_hash :: Drop a cast that does nothing :: (unsigned char)*key++ => *key++
edit vec_remove :: Avoid moving nothing :: v->count--;\n    memmove => v->count--;\n    if (at < v->count)\n        memmove
undo list push-size,hash-signed :: Heap overflow on 64-bit machines, and wrong results for keys with bytes above 127.
bad find-mask map_find :: Use the remainder for tables of any size :: i = (i + 1) & (m->size - 1); => i = i + 1 % m->size;
edit vec_push :: Use the type of the item for the size :: sizeof(void *) => sizeof(*items)
move src/table.c src/map.c :: Name the file after the type
bad find-probes map_find :: Fix lookups in a full table :: probes < m->size; => probes <= m->size;
edit vec_remove :: Handle a missing vector :: if (at >= v->count) => if (v == NULL || at >= v->count)
undo inline find-mask :: Lookups run past the end of the table and crash.
edit map_hash :: Improve the spread of short keys :: h = 5381; => h = 0x9e3779b9;
undo this find-probes :: It does not fix the lookup: a full table still loops, and the first entry is compared twice.
add src/map.c map_put :: Put entries into the map
edit vec_push :: Handle overflow of the size :: if (items == NULL) => if (room > (size_t)-1 / sizeof(*items) || items == NULL)
bad put-load map_put :: Fill the table before it grows :: (m->used + 1) * 4 > m->size * 3 => m->used > m->size
edit vec_remove :: Simplify by a pointer to the slot :: item = v->items[at]; => void **slot = v->items + at;\n\n    item = *slot;
bad put-key map_put :: Avoid the copy of the key :: e->key = strdup(key); => e->key = (char *)key;
edit map_find :: Use one test for both kinds of hit :: if (e->key == NULL)\n            return e;\n        if (strcmp(e->key, key) == 0) => if (e->key == NULL || strcmp(e->key, key) == 0)
undo trailer put-load,put-key :: Restore map_put: inserting into a full table hangs, and keys are used after they are freed
edit map_hash :: Avoid a cast in the loop :: (unsigned char)*key++ => *(const unsigned char *)key++
bad find-null map_find :: Simplify the test for free entries :: if (e->key == NULL || strcmp => if (strcmp
edit vec_push :: Test for overflow before the allocation :: void **items = realloc => void **items = room > (size_t)-1 / sizeof(*items) ? NULL : realloc
undo short find-null :: Free entries have no key: crash on the first lookup.
add src/list.c list.head list_remove list_reverse :: Add a singly linked list
edit vec_remove :: Use the slot when closing the gap :: memmove(v->items + at, v->items + at + 1, => memmove(slot, slot + 1,
bad list-free list_remove :: Fix a leak of the removed node :: *link = n->next;\n            free(n); => free(n);\n            *link = n->next;
edit map_put :: Avoid growing for keys that are there :: struct entry *e; => struct entry *e = m->size ? map_find(m, key) : NULL;
edit map_find :: Name the mask :: size_t probes; => size_t mask = m->size - 1;\n    size_t probes;
undo this list-free :: Use after free: the fix reads the node it has just freed.
edit vec_push :: Simplify the test for a failed allocation :: if (room > (size_t)-1 / sizeof(*items) || items == NULL) => if (!items)
bad list-link list_remove :: Use the head itself to go on :: link = &n->next; => l->head = n->next;
edit map_hash :: Mix the high bits into the low ones :: return h; => return h ^ (h >> 15);
bad reverse-head list_reverse :: Skip the work for short lists :: l->head = done; => if (l->length > 2)\n        l->head = done;
edit map_put :: Use the entry found before :: e = map_find(m, key);\n    if => if (e == NULL || e->key == NULL)\n        e = map_find(m, key);\n    if
undo short list-link :: Every node before the match is lost: memory leak and wrong lengths.
edit map_find :: Use the mask in the loop :: i = (i + 1) & (m->size - 1); => i = (i + 1) & mask;
undo inline reverse-head :: Lists of two items came out empty, a regression from the last release.
edit vec_remove :: Clear the slot that became free :: return item; => v->items[v->count] = NULL;\n    return item;
bad list-count list_remove :: Count removed nodes at the end :: l->length--;\n            return 1; => return 1;
edit map_hash :: Use a name for the multiplier :: h * 33 => h * MAP_FACTOR
add src/ring.c ring.head ring_min ring_write ring_clock :: Add a ring buffer
undo bare list-count :: -
edit map_put :: Handle a key that is missing :: if (e == NULL)\n        return -1; => if (key == NULL || e == NULL)\n        return -1;
bad ring-space ring_write :: Fix writes into a full buffer :: r->size - r->used); => r->size - r->used + 1);
edit vec_push :: Start with room for four :: room * 2 : 8 => room * 2 : 4
edit list_reverse :: Declare the next node outside :: struct node *n = l->head; => struct node *n = l->head, *next;
undo this ring-space :: The fix is wrong: the oldest byte is overwritten and readers see corrupt data.
bad ring-end ring_write :: Speed up by dropping a division :: (r->start + r->used) % r->size; => r->start + r->used;
edit map_find :: Speed up by comparing the first byte :: strcmp(e->key, key) == 0 => (*e->key == *key && strcmp(e->key, key) == 0)
edit list_remove :: Handle an empty list first :: struct node **link = &l->head; => struct node **link = &l->head;\n\n    if (l->length == 0)\n        return 0;
undo short ring-end :: Writes after a wrap land outside the block: heap corruption, found by ASan.
bad ring-wrap ring_write :: Copy only when there is something to wrap :: memcpy(r->data, src + first, n - first); => if (first == 0)\n        memcpy(r->data, src + first, n - first);
edit map_hash :: Accept a missing key :: while (*key != '\0') => while (key && *key != '\0')
edit list_reverse :: Avoid a declaration in the loop :: struct node *next = n->next; => next = n->next;
edit vec_remove :: Improve the test order :: v == NULL || at >= v->count => !v || at >= v->count
undo this ring-wrap :: Bytes after the wrap are never written; data is lost and the stream is corrupt.
edit map_put :: Store the value first :: m->used++;\n    }\n    e->value = value; => m->used++;\n    }\n\n    e->value = value;
bad min-ring ring_min :: Simplify the comparison in min_size :: return a < b ? a : b; => return a <= b ? a : b;
edit list_remove :: Speed up removal at the head :: while (*link != NULL) { => while (*link) {
undo inline min-ring :: The comparison is wrong for equal sizes on the old compiler and breaks its build.
add src/heap.c heap.head heap_min heap_sift heap_pop :: Add a binary heap
edit heap_min :: Simplify the comparison in min_size :: return a < b ? a : b; => return a <= b ? a : b;
bad sift-child heap_sift :: Compare with both children always :: if (child + 1 < h->count && h->less => if (child + 1 <= h->count && h->less
edit map_find :: Return early for an empty map :: size_t mask = m->size - 1; => size_t mask = m->size ? m->size - 1 : 0;
edit heap_min :: Use the same comparison as the ring buffer :: return a <= b ? a : b; => return a < b ? a : b;
edit list_reverse :: Use a single loop header :: while (n != NULL) { => for (; n != NULL; n = next) {
undo this sift-child :: One item past the end is compared: invalid read, and the order is wrong.
bad pop-order heap_pop :: Shrink after the move :: h->count--;\n    h->items[0] = h->items[h->count]; => h->items[0] = h->items[h->count];\n    h->count--;
edit ring_write :: Handle a buffer without room :: size_t first; => size_t first;\n\n    if (r->used == r->size)\n        return 0;
edit list_remove :: Avoid a second read of the link :: struct node *n = *link; => struct node *const n = *link;
edit ring_min :: Speed up min_size by inlining :: static size_t => static inline size_t
undo short pop-order :: The item after the last one is moved to the top: garbage is returned and tests fail.
bad sift-stop heap_sift :: Fix the order of equal items :: if (!h->less(h->items[child], moving)) => if (h->less(moving, h->items[child]))
edit list_reverse :: Refactor the step of the loop :: done = n;\n        n = next; => done = n;
edit ring_write :: Use the smaller of both sizes once :: first = min_size(n, r->size - end); => first = r->size - end;\n    first = min_size(n, first);
undo this sift-stop :: Equal items are still out of order, the fix is incomplete; it also breaks stable sorting.
add src/bits.c bits.head bits_next :: Find the next set bit
edit list_remove :: Clear the node before it is freed :: free(n); => n->next = NULL;\n            free(n);
bad bits-shift bits_next :: Fix the first bit of a word :: from += width - from % width; => from += width;
edit heap_pop :: Use one test for an empty heap :: if (h->count == 0) => if (!h->count)
edit heap_min :: Speed up min_size by inlining :: static size_t => static inline size_t
topic wide-ring ring_write :: Accept a null source :: memcpy(r->data + end, src, first); => if (src)\n        memcpy(r->data + end, src, first);
edit heap_sift :: Improve the name of the moved item :: void *moving = h->items[at]; => void *const moving = h->items[at];
undo inline bits-shift :: Bits at the start of the next word are skipped; the fix breaks iteration.
merge wide-ring :: Merge branch 'wide-ring'
bad bits-limit bits_next :: Simplify the result :: return from < bits ? from : bits;\n    } => return from;\n    }
edit heap_pop :: Handle a null heap :: if (!h->count) => if (!h || !h->count)
undo merge merge-of-wide-ring :: Half-written buffers are silent data loss, so the old crash was better.
bad sift-index heap_sift :: Use the index of the first child from zero :: 2 * at + 1; => 2 * at;
undo list bits-limit,sift-index :: Iteration returns bits past the end, and the root is its own child so that sifting hangs.
edit heap_sift :: Speed up sifting by a local array :: size_t child = 2 * at + 1; => void **items = h->items;\n        size_t child = 2 * at + 1;
bad age-signed ring_clock :: Fix the age across a change of the clock :: return (unsigned long)time(NULL) - r->stamp; => return (unsigned long)labs(time(NULL) - (long)r->stamp);
edit list_reverse :: Keep the tail of the list :: l->head = done; => l->tail = l->head;\n    l->head = done;
edit bits_next :: Use a count of trailing zeros by halves :: while ((word & 1) == 0) { => while ((word & 0xff) == 0) {\n            word >>= 8;\n            from += 8;\n        }\n        while ((word & 1) == 0) {
undo quoted age-signed :: -
edit ring_min :: Use const parameters in min_size :: size_t a, size_t b => const size_t a, const size_t b
redo age-signed :: Boards without a battery do set their clock back, so the difference is needed after all.
edit heap_pop :: Clear the slot behind the last item :: h->items[0] = h->items[h->count]; => h->items[0] = h->items[h->count];\n    h->items[h->count] = NULL;
edit heap_sift :: Use the local array throughout :: h->items[at] = h->items[child]; => items[at] = items[child];
edit bits_next :: Improve the name of the word size :: const size_t width => const size_t width /* in bits */
edit heap_min :: Use const parameters in min_size :: size_t a, size_t b => const size_t a, const size_t b
edit list_remove :: Tidy the end of the loop :: link = &n->next; => link = &(*link)->next;
edit ring_clock :: Document both clocks\n\nFollow-up to {push-half}; nothing to revert here. :: #ifdef HAMPER_TICKS => /* ticks where the board has them, seconds elsewhere */\n#ifdef HAMPER_TICKS
rename bits_next bits_find_next :: Rename bits_next to bits_find_next
edit heap_sift,heap_pop :: Tell the compiler that heaps do not overlap :: struct heap *h => struct heap *restrict h
edit * :: Take the status names from the header :: return -1; => return HAMPER_NOMEM;
edit * :: Use one name for empty results :: return NULL; => return HAMPER_NONE;
`,
};
