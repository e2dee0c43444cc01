// Words of C and C++, and of the macros that stand among them, by what they say about a declaration.
const words = (text: string): Set<string> => new Set(text.split(/\s+/));
export const control = words('if for while switch return do else catch case default goto break continue try sizeof');
export const specifiers = words(
  'static inline extern const volatile constexpr consteval constinit virtual explicit friend register typedef export ' +
    '__inline __inline__ __forceinline __extension__ _Noreturn noreturn __always_inline',
);
export const takesParens = words(
  '__attribute__ __attribute __declspec alignas _Alignas decltype noexcept throw asm __asm __asm__ requires typeof ' +
    '__typeof__ __typeof explicit constexpr if',
);
export const typeWords = words(
  'void char short int long float double signed unsigned bool _Bool auto struct union enum class wchar_t size_t',
);
export const tailWords = words(
  'const volatile noexcept override final throw try mutable restrict __restrict __restrict__ __attribute__ ' +
    '__attribute __declspec asm __asm__ __asm and_then',
);
/** Words that stand for whole declarations of their own. */
export const foreignMacro = /(?:^|_)(?:BEGIN|END)(?:_|$)|^Q_(?:OBJECT|GADGET|NAMESPACE)$/;
export const macroLike = /^(?:_*[A-Z][A-Z0-9_]*|__\w+)$/;
