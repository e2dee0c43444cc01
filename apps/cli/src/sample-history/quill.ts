import type { SampleProject } from './history.js';

/** Text handling: a growable buffer, UTF-8, a lexer, INI files, paths, Base64. */
export const quill: SampleProject = {
  name: 'quill',
  start: 1_551_690_000,
  head: 'a99becd9f738ee2efd3a863ed587cabf36992219',
  authors: [
    { name: 'Mira Okonjo', email: 'mira@quill.example', offset: '+0100' },
    { name: 'Tomas Brandl', email: 'tb@quill.example', offset: '+0200' },
    { name: 'Ines Varga', email: 'ines@quill.example', offset: '-0500' },
  ],
  sources: String.raw`
=== quill.h
#ifndef QUILL_H
#define QUILL_H

#include <stddef.h>

#define QUILL_FAILED (-1)

struct buf {
    char *data;
    size_t len, cap;
};

struct ini {
    struct { const char *key, *value; } *items;
    size_t count;
};

#endif

=== buf.head
#include <stdlib.h>
#include <string.h>

#include "quill.h"

=== buf_reserve
int buf_reserve(struct buf *b, size_t extra)
{
    size_t need = b->len + extra + 1;
    size_t cap = b->cap ? b->cap : 16;
    char *data;

    if (need <= b->cap)
        return 0;
    while (cap < need)
        cap *= 2;
    data = realloc(b->data, cap);
    if (data == NULL)
        return -1;
    b->data = data;
    b->cap = cap;
    return 0;
}

=== buf_append
int buf_append(struct buf *b, const void *src, size_t n)
{
    if (buf_reserve(b, n) != 0)
        return -1;
    memcpy(b->data + b->len, src, n);
    b->len += n;
    b->data[b->len] = '\0';
    return 0;
}

=== buf_take
char *buf_take(struct buf *b, size_t *len)
{
    char *data = b->data;

    if (len != NULL)
        *len = b->len;
    b->data = NULL;
    b->len = 0;
    b->cap = 0;
    return data;
}

=== utf8.head
#include "quill.h"

=== utf8_next
int utf8_next(const unsigned char **at, const unsigned char *end, unsigned *point)
{
    const unsigned char *p = *at;
    unsigned c, n;

    if (p >= end)
        return 0;
    c = *p++;
    n = c < 0x80 ? 0 : c < 0xe0 ? 1 : c < 0xf0 ? 2 : 3;
    if (n > 0)
        c &= 0x3f >> n;
    while (n-- > 0) {
        if (p >= end || (*p & 0xc0) != 0x80)
            return -1;
        c = c << 6 | (*p++ & 0x3f);
    }
    *at = p;
    *point = c;
    return 1;
}

=== lex.head
#include <limits.h>

#include "quill.h"

=== lex_blank
static int is_blank(int c)
{
    return c == ' ' || c == '\t';
}

=== lex_number
int lex_number(const char *s, size_t n, long *out)
{
    long value = 0;
    size_t i = 0;
    int negative = 0;

    if (i < n && s[i] == '-') {
        negative = 1;
        i++;
    }
    for (; i < n && s[i] >= '0' && s[i] <= '9'; i++) {
        if (value > (LONG_MAX - 9) / 10)
            return -1;
        value = value * 10 + (s[i] - '0');
    }
    *out = negative ? -value : value;
    return (int)i;
}

=== lex_string
int lex_string(const char *s, size_t n, struct buf *out)
{
    size_t i;

    for (i = 1; i < n; i++) {
        char c = s[i];
        if (c == '"')
            return (int)(i + 1);
        if (c == '\\') {
            if (i + 1 >= n)
                return -1;
            c = s[++i];
        }
        if (buf_append(out, &c, 1) != 0)
            return -1;
    }
    return -1;
}

=== ini.head
#include <stdlib.h>
#include <string.h>

#include "quill.h"

=== ini_blank
static int is_blank(int c)
{
    return c == ' ' || c == '\t';
}

=== ini_line
int ini_line(const char *line, size_t n, struct buf *key, struct buf *value)
{
    size_t i = 0, start, end;

    while (i < n && is_blank(line[i]))
        i++;
    if (i == n || line[i] == ';')
        return 0;
    start = i;
    while (i < n && line[i] != '=')
        i++;
    if (i == n)
        return -1;
    end = i;
    while (end > start && is_blank(line[end - 1]))
        end--;
    buf_append(key, line + start, end - start);
    return buf_append(value, line + i + 1, n - i - 1);
}

=== ini_get
const char *ini_get(const struct ini *file, const char *key)
{
    size_t lo = 0, hi = file->count;

    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        int order = strcmp(key, file->items[mid].key);
        if (order == 0)
            return file->items[mid].value;
        if (order < 0)
            hi = mid;
        else
            lo = mid + 1;
    }
    return NULL;
}

=== path.head
#include <string.h>

#include "quill.h"

=== path_is_absolute
#ifdef _WIN32
int path_is_absolute(const char *p)
{
    if (p[0] == '\\' && p[1] == '\\')
        return 1;
    return p[0] != '\0' && p[1] == ':' && p[2] == '\\';
}
#else
int path_is_absolute(const char *p)
{
    return p[0] == '/';
}
#endif

=== path_join
int path_join(struct buf *out, const char *dir, const char *name)
{
    size_t n = strlen(dir);

    if (path_is_absolute(name))
        return buf_append(out, name, strlen(name));
    if (buf_append(out, dir, n) != 0)
        return -1;
    if (n > 0 && dir[n - 1] != '/' && buf_append(out, "/", 1) != 0)
        return -1;
    return buf_append(out, name, strlen(name));
}

=== b64.head
#include "quill.h"

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

=== b64_encode
int b64_encode(struct buf *out, const unsigned char *src, size_t n)
{
    size_t i;

    if (buf_reserve(out, (n + 2) / 3 * 4) != 0)
        return -1;
    for (i = 0; i < n; i += 3) {
        unsigned long v = (unsigned long)src[i] << 16;
        char quad[4] = { '=', '=', '=', '=' };
        if (i + 1 < n)
            v |= (unsigned long)src[i + 1] << 8;
        if (i + 2 < n)
            v |= src[i + 2];
        quad[0] = digits[v >> 18 & 63];
        quad[1] = digits[v >> 12 & 63];
        if (i + 1 < n)
            quad[2] = digits[v >> 6 & 63];
        if (i + 2 < n)
            quad[3] = digits[v & 63];
        buf_append(out, quad, 4);
    }
    return 0;
}
`,
  log: String.raw`
add quill.h quill.h :: Start with the buffer's type
add src/buf.c buf.head buf_reserve buf_append buf_take :: Add a growable byte buffer
bad reserve-exact buf_reserve :: Reserve only the bytes that were asked for :: b->len + extra + 1 => b->len + extra
add src/util.c utf8.head utf8_next :: Decode UTF-8
undo this reserve-exact :: The terminating byte is then written past the end of the block: heap overflow in buf_append.
bad take-keep buf_take :: Keep the storage for the next use :: *len = b->len;\n    b->data = NULL; => *len = b->len;
bad grow-half buf_reserve :: Grow more slowly to save memory :: cap *= 2; => cap += cap / 2;
undo short take-keep :: Caller and buffer both own the block now, so it is freed twice and the tests crash.
edit quill.h :: Declare the buffer functions :: #endif => int buf_reserve(struct buf *b, size_t extra);\nint buf_append(struct buf *b, const void *src, size_t n);\nint path_is_absolute(const char *p);\n\n#endif
undo this grow-half :: A buffer of one byte never grows and buf_append hangs.
bad append-unchecked buf_append :: Simplify appending :: if (buf_reserve(b, n) != 0)\n        return -1; => buf_reserve(b, n);
edit buf_take :: Use a plain truth test for the optional length :: if (len != NULL) => if (len)
bad append-bare buf_append :: Speed up appending of single bytes :: b->len += n;\n    b->data[b->len] = '\0'; => b->len += n;
edit buf_take :: Handle an empty buffer in buf_take :: if (len) => if (data == NULL)\n        data = calloc(1, 1);\n    if (len)
undo list append-unchecked,append-bare :: Appending now crashes when memory runs out, and strings are no longer terminated: garbage shows in the output.
bad utf8-wide utf8_next :: Fix decoding of two-byte sequences :: c < 0xe0 ? 1 => c <= 0xe0 ? 1
edit buf_reserve :: Detect overflow of the requested size :: if (need <= b->cap) => if (need < extra)\n        return -1;\n    if (need <= b->cap)
move src/util.c src/utf8.c :: Give the decoder a file of its own
undo this utf8-wide :: It does not fix the decoding and breaks every three-byte sequence that begins with E0.
edit buf_append :: Avoid the call for empty input :: if (buf_reserve(b, n) != 0) => if (n == 0)\n        return 0;\n    if (buf_reserve(b, n) != 0)
add src/lex.c lex.head lex_blank lex_number :: Read decimal numbers
bad utf8-mask utf8_next :: Drop the mask that every byte passes anyway :: if (p >= end || (*p & 0xc0) != 0x80)\n            return -1; => if (p >= end)\n            return -1;
edit buf_reserve :: Use a truth test for the allocation :: if (data == NULL) => if (!data)
edit buf_take :: Say who frees the result :: return data; => return data; /* the caller frees it */
bad number-sign lex_number :: Fix parsing of negative numbers at the lower limit :: negative = 1;\n        i++; => negative = 1;
undo inline utf8-mask :: Invalid sequences were accepted as characters, which is a security regression.
edit buf_append :: Use a local variable for the end of the text :: memcpy(b->data + b->len, src, n); => char *end = b->data + b->len;\n    memcpy(end, src, n);
undo short number-sign :: It does not fix the lower limit and fails for all negative numbers: "-7" reads as 0.
edit utf8_next :: Reject overlong two-byte sequences :: c = *p++; => c = *p++;\n    if (c == 0xc0 || c == 0xc1)\n        return -1;
bad number-guard lex_number :: Remove a redundant range check :: if (value > (LONG_MAX - 9) / 10)\n            return -1;\n        value = value * 10 => value = value * 10
edit buf_reserve :: Start with a larger block :: b->cap : 16 => b->cap : 32
edit buf_take :: Simplify resetting the sizes :: b->len = 0;\n    b->cap = 0; => b->len = b->cap = 0;
bad number-bound lex_number :: Look at the last digit too :: for (; i < n && => for (; i <= n &&
undo trailer number-guard,number-bound :: Put the checks of lex_number back: long inputs overflow and one byte past the end is read (invalid read under valgrind)
edit utf8_next :: Refactor the length test into a shift :: if (n > 0)\n        c &= 0x3f >> n; => c &= n ? 0x3fu >> n : 0x7fu;
edit buf_append :: Handle a source inside the buffer itself :: memcpy(end, src, n); => memmove(end, src, n);
add src/lex.c lex_string :: Read quoted strings
edit lex_number :: Improve the type of the sign flag :: int negative = 0; => unsigned char negative = 0;
bad string-escape lex_string :: Simplify the handling of escapes :: if (i + 1 >= n)\n                return -1;\n            c = s[++i]; => c = s[++i];
edit buf_reserve :: Say what the extra byte is for :: size_t need = b->len + extra + 1; => size_t need = b->len + extra + 1; /* one for the terminator */
edit utf8_next :: Reject code points past U+10FFFF :: *at = p;\n    *point = c; => if (c > 0x10ffff)\n        return -1;\n    *at = p;\n    *point = c;
undo this string-escape :: A string that ends with a backslash reads out of bounds and crashes the lexer.
bad string-start lex_string :: Fix strings without a leading quote :: for (i = 1; i < n; i++) => for (i = 0; i < n; i++)
edit lex_number :: Use a pointer-free loop condition :: for (; i < n && s[i] >= '0' && s[i] <= '9'; i++) => for (; i < n && (unsigned)(s[i] - '0') <= 9; i++)
edit buf_take :: Reset the buffer in one statement :: b->data = NULL;\n    b->len = b->cap = 0; => *b = (struct buf){ 0 };
undo short string-start :: Every string now comes out empty; the fix was wrong.
bad string-grow lex_string :: Avoid a check in the inner loop :: if (buf_append(out, &c, 1) != 0)\n            return -1; => buf_append(out, &c, 1);
add src/ini.c ini.head ini_blank ini_line :: Read lines of INI files
undo bare string-grow :: -
edit lex_number :: Fix the result for a lone minus sign :: *out = negative ? => if (i == negative)\n        return 0;\n    *out = negative ?
bad ini-comment ini_line :: Fix comments after blanks :: if (i == n || line[i] == ';') => if (line[i] == ';')
bad low-lex lex_blank :: Simplify is_blank to one comparison :: return c == ' ' || c == '\t'; => return c <= ' ';
edit buf_reserve :: Avoid overflow when doubling :: while (cap < need) => while (cap < need && cap <= (size_t)-1 / 2)
bad low-ini ini_blank :: Simplify is_blank to one comparison :: return c == ' ' || c == '\t'; => return c <= ' ';
edit lex_string :: Use the length type for the result :: return (int)(i + 1); => return (int)i + 1;
undo list low-lex,low-ini :: Line feeds and bytes above 127 count as blank now: wrong tokens, and the parser hangs at the end of a line.
undo this ini-comment :: An empty line reads past its end: the fix is incomplete and crashes on files with trailing newlines.
bad ini-trim ini_line :: Trim keys with fewer branches :: while (end > start && is_blank(line[end - 1])) => while (is_blank(line[end - 1]))
edit lex_blank :: Treat form feed as blank :: c == '\t' => c == '\t' || c == '\f'
bad blank-ini ini_blank :: Treat form feed as blank :: c == '\t' => c == '\t' || c == '\f'
edit buf_append :: Refactor the update of the length :: b->len += n;\n    b->data[b->len] = '\0'; => end[n] = '\0';\n    b->len += n;
undo inline ini-trim :: A line of blanks before "=" runs off the front of the buffer; memory corruption seen in the field.
edit lex_string :: Handle escaped tabs :: c = s[++i]; => c = s[++i];\n            if (c == 't')\n                c = '\t';
undo short blank-ini :: Section names that contain form feeds break, a regression for existing files.
edit lex_number :: Accept a plus sign :: if (i < n && s[i] == '-') { => if (i < n && s[i] == '+')\n        i++;\n    else if (i < n && s[i] == '-') {
bad ini-leak ini_line :: Stop copying values that are empty :: buf_append(key, line + start, end - start); => if (i + 1 == n)\n        return 0;\n    buf_append(key, line + start, end - start);
edit lex_blank :: Simplify the test for blanks :: return c == ' ' || c == '\t' || c == '\f'; => return c == '\t' || c == '\f' || c == ' ';
edit buf_take :: Simplify the empty result :: data = calloc(1, 1); => data = strdup("");
undo this ini-leak :: Keys without a value vanish from the file: wrong results for "key=".
edit lex_string :: Improve the check for the end of input :: if (i + 1 >= n) => if (n - i < 2)
add src/ini.c ini_get :: Look up keys
bad get-middle ini_get :: Use one index less in the search :: lo = mid + 1; => lo = mid;
edit lex_blank,ini_blank :: Take unsigned characters in is_blank :: int c) => unsigned char c)
edit ini_line :: Report lines without a key :: end = i; => if (i == start)\n        return -1;\n    end = i;
undo this get-middle :: The search hangs when the key is missing.
edit utf8_next :: Avoid a second comparison with the end :: if (p >= end) => if (p == end)
bad get-order ini_get :: Fix the lookup of keys that sort last :: if (order < 0) => if (order <= 0 || hi == file->count)
edit lex_string :: Refactor the append into its own statement :: char c = s[i]; => int failed;\n        char c = s[i];
add src/path.c path.head path_is_absolute path_join :: Join paths
undo inline get-order :: Lookups of the last key still return NULL, so the fix is incomplete and breaks others.
edit buf_reserve :: Simplify the failure path :: b->data = data;\n    b->cap = cap;\n    return 0; => b->cap = cap;\n    b->data = data;\n    return 0;
bad join-empty path_join :: Remove the check for an empty folder :: if (n > 0 && dir[n - 1] != '/' => if (dir[n - 1] != '/'
edit lex_number :: Say what lex_number returns :: return (int)i; => return (int)i; /* bytes read */
topic wide-paths path_join :: Accept back slashes between names :: dir[n - 1] != '/' => dir[n - 1] != '/' && dir[n - 1] != '\\'
edit ini_line :: Trim blanks before the value :: return buf_append(value, line + i + 1, n - i - 1); => for (i++; i < n && is_blank(line[i]); i++)\n        ;\n    return buf_append(value, line + i, n - i);
edit ini_get :: Say why the middle is computed so :: size_t mid = lo => size_t mid = /* never overflows */ lo
merge wide-paths :: Merge branch 'wide-paths'
undo short join-empty :: An empty folder reads the byte before the string: out of bounds, and ASan aborts.
edit buf_append :: Add an early return for a null source :: if (n == 0) => if (src == NULL || n == 0)
undo merge merge-of-wide-paths :: File names that end in a back slash are valid here, so joining is wrong for them.
bad absolute-drive path_is_absolute :: Simplify the test for drives :: return p[0] != '\0' && p[1] == ':' && p[2] == '\\'; => return p[1] == ':' && p[2] == '\\';
edit ini_get :: Handle a missing file in ini_get :: int order = => if (file->items[mid].key == NULL)\n            return NULL;\n        int order =
add src/b64.c b64.head b64_encode :: Encode Base64
edit lex_string :: Use the result of the append directly :: if (buf_append(out, &c, 1) != 0) => failed = buf_append(out, &c, 1) != 0;\n        if (failed)
undo list absolute-drive :: Empty paths are read past their terminator: invalid read on Windows.
bad b64-short b64_encode :: Compute the size more simply :: (n + 2) / 3 * 4 => n / 3 * 4
edit ini_line :: Ignore lines that begin with a number sign :: line[i] == ';' => line[i] == ';' || line[i] == '#'
edit path_is_absolute :: Accept forward slashes after a drive :: p[2] == '\\'; => (p[2] == '\\' || p[2] == '/');
bad b64-last b64_encode :: Fix padding of the last group :: if (i + 2 < n)\n            v |= src[i + 2]; => if (i + 2 <= n)\n            v |= src[i + 2];
edit ini_get :: Compare the first byte before the whole key :: int order = strcmp => int order = *key != *file->items[mid].key ? *key - *file->items[mid].key : strcmp
edit utf8_next :: Use the fixed mask of continuation bytes :: c << 6 | (*p++ & 0x3f) => (c << 6) | (*p++ & 0x3f)
undo trailer b64-short,b64-last :: Encoding of one and two bytes is broken: padding is wrong and the buffer overflows
bad join-reserve path_join :: Speed up joining by one reservation :: if (buf_append(out, dir, n) != 0) => buf_reserve(out, n);\n    if (buf_append(out, dir, n) < 0)
edit lex_number :: Speed up the loop for short numbers :: value > (LONG_MAX - 9) / 10 => i > 8 && value > (LONG_MAX - 9) / 10
undo quoted join-reserve :: -
edit b64_encode :: Check the result of every append :: buf_append(out, quad, 4); => if (buf_append(out, quad, 4) != 0)\n            return -1;
edit ini_line :: Refuse keys that contain a null byte :: end = i; => if (memchr(line + start, '\0', i - start))\n        return -1;\n    end = i;
edit path_join :: Use a name for the length of the folder :: size_t n = strlen(dir); => size_t n = strlen(dir); /* of the folder */
edit path_is_absolute :: Document the two forms :: #ifdef _WIN32\nint => #ifdef _WIN32\n/* a drive or a share */\nint
rename b64_encode base64_encode :: Rename b64_encode to base64_encode
edit buf_take :: Handle a null buffer :: *b = => if (b != NULL)\n        *b =
edit * :: Use one name for failure :: return -1; => return QUILL_FAILED;
`,
};
