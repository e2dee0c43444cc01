export type Language = 'c' | 'cpp';

const cppOnly = /\.(?:cc|cpp|cxx|c\+\+|hh|hpp|hxx|h\+\+|ipp|tpp|inl|cu|cuh)$/i;
const marks = ['namespace ', 'template <', 'template<', '\nclass ', 'public:', 'private:', 'std::'];

/**
 * The language of a file: by its extension, and for `.h`, which both share, by whether it holds words that only C++ has.
 * `.C` in a capital is C++.
 */
export function languageOf(path: string, bytes: Buffer, unlessC?: { from: number; to: number }): Language {
  if (cppOnly.test(path) || path.endsWith('.C')) return 'cpp';
  if (!/\.h$/i.test(path)) return 'c';
  // where the version before was C only what differs can say otherwise
  const searched = unlessC ? bytes.subarray(Math.max(0, unlessC.from - 12), unlessC.to + 12) : bytes;
  return marks.some((mark) => searched.includes(mark, 0, 'latin1')) ? 'cpp' : 'c';
}
