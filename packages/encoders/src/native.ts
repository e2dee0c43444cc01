export { loadNativeTokenizer } from './tokenizers/native-tokenizer.js';
