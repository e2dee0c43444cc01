import { Tokenizer as HuggingFace } from '@huggingface/tokenizers';
import type { TokenizerDefinition } from './definition.js';
import { MergeTable } from './merge-table.js';

// GPT-2's split as the reference tokenizer runs it. JavaScript's \s takes U+FEFF for white space and leaves U+0085 out;
// Unicode, and so the reference, has it the other way round.
const pieces =
  /'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\p{White_Space}\p{L}\p{N}]+|\p{White_Space}+(?!\P{White_Space})|\p{White_Space}+/gu;

/** Pieces whose ids are remembered; all are forgotten when there are more, so memory stays flat. */
const maxRemembered = 65_536;
const maxRememberedLength = 64; // longer ones are rare

/** Byte-level BPE of plain text: special tokens in the text are text. */
export class ByteLevelBpe {
  readonly #definition: TokenizerDefinition;
  readonly #merges: MergeTable;
  readonly #remembered = new Map<string, readonly number[]>();
  #library: HuggingFace | undefined; // built when first asked: encoding does without

  constructor(definition: TokenizerDefinition) {
    this.#definition = definition;
    this.#merges = new MergeTable(definition);
  }

  /** Appends the ids of a text to `ids`. */
  encode(text: string, ids: number[]): void {
    for (const piece of text.match(pieces) ?? []) {
      const own = this.#remembered.get(piece) ?? this.#encodePiece(piece);
      for (let i = 0; i < own.length; i++) ids.push(own[i]!);
    }
  }

  decode(ids: number[]): string {
    this.#library ??= new HuggingFace(this.#definition, {});
    return this.#library.decode(ids, { clean_up_tokenization_spaces: false });
  }

  #encodePiece(piece: string): readonly number[] {
    const ids = this.#merges.encode(piece);
    if (piece.length > maxRememberedLength) return ids;
    if (this.#remembered.size >= maxRemembered) this.#remembered.clear();
    this.#remembered.set(detached(piece), ids);
    return ids;
  }
}

/** A copy with characters of its own: a part of a text keeps the whole text in memory for as long as it lives. */
function detached(piece: string): string {
  return Buffer.from(piece, 'utf16le').toString('utf16le');
}
