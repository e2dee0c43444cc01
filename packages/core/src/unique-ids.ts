import { RedefError } from './errors.js';

/** The ids of a table's rows, of which none may come twice: a join would count one row for two, or lose both. */
export class UniqueIds {
  readonly #places = new Map<string, number>();

  /** @param describe names a row in the error: `changes.jsonl:17` */
  constructor(private readonly describe: (place: number) => string) {}

  /** @throws `RedefError` `duplicate-id` with the places of both rows */
  add(id: string, place: number): void {
    const first = this.#places.get(id);
    if (first !== undefined) {
      throw new RedefError(`${this.describe(place)}: the id ${id} stands at ${this.describe(first)} already`, {
        code: 'duplicate-id',
        remedy: 'Remove one of the two rows, or name each folder of a table once.',
      });
    }
    this.#places.set(id, place);
  }
}
