const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));

/** Words that are never the name of a variable: the keywords of C23 and C++23, and what compilers and headers make of some. */
export const keywords = words(
  'alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t char32_t char8_t class co_await ' +
    'co_return co_yield compl concept const const_cast consteval constexpr constinit continue decltype default delete do ' +
    'double dynamic_cast else enum explicit export extern false float for friend goto if inline int long mutable namespace ' +
    'new noexcept not not_eq nullptr operator or or_eq private protected public register reinterpret_cast requires restrict ' +
    'return short signed sizeof static static_assert static_cast struct switch template this thread_local throw true try ' +
    'typedef typeid typename typeof typeof_unqual union unsigned using virtual void volatile wchar_t while xor xor_eq ' +
    '_Alignas _Alignof _Atomic _BitInt _Bool _Complex _Generic _Imaginary _Noreturn _Static_assert _Thread_local __asm ' +
    '__asm__ __attribute__ __const __const__ __extension__ __func__ __FUNCTION__ __inline __inline__ __label__ __restrict ' +
    '__restrict__ __signed__ __typeof __typeof__ __volatile__ NULL',
);

/** Keywords that no declaration of a local variable starts with. */
export const startsNoDeclaration = words(
  'and asm break case catch co_await co_return co_yield continue default delete do else extern friend goto if namespace new ' +
    'not operator or private protected public return sizeof switch template throw try typedef typeof using while __asm ' +
    '__asm__ __label__',
);
