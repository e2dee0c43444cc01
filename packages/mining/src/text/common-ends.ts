const block = 4096;

/** How many bytes two files share at their beginning, and of the rest at their end. */
export function commonEnds(a: Buffer, b: Buffer): { prefix: number; suffix: number } {
  const shorter = Math.min(a.length, b.length);
  let prefix = 0;
  while (prefix + block <= shorter && a.compare(b, prefix, prefix + block, prefix, prefix + block) === 0)
    prefix += block;
  while (prefix < shorter && a[prefix] === b[prefix]) prefix++;

  const room = shorter - prefix;
  let suffix = 0;
  while (
    suffix + block <= room &&
    a.compare(b, b.length - suffix - block, b.length - suffix, a.length - suffix - block, a.length - suffix) === 0
  ) {
    suffix += block;
  }
  while (suffix < room && a[a.length - suffix - 1] === b[b.length - suffix - 1]) suffix++;
  return { prefix, suffix };
}
