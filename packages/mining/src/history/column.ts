/** A typed array that numbers are added to; it grows by half. */
export class Column<T extends Float64Array | Int32Array | Uint8Array> {
  count = 0;

  constructor(public values: T) {}

  push(value: number): void {
    if (this.count === this.values.length) {
      const longer = this.values.constructor as new (length: number) => T;
      const values = new longer(Math.ceil(this.count * 1.5) + 256);
      values.set(this.values);
      this.values = values;
    }
    this.values[this.count++] = value;
  }
}
