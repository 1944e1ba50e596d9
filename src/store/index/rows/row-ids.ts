import { type StoredStrings, StringNumbers } from '../arrays/string-numbers.js'

/** Length of a UUID in characters. */
const usualLength = 36

/**
 * Maps ids to rows. Rows of removed ids are reused, so that the index does not grow. Row numbers begin at 1.
 */
export class RowIds {
  readonly strings = new StringNumbers()
  #free = new Set<number>()

  of(row: number): string {
    return this.strings.text(row)
  }

  /** The row of an id, even a removed one; undefined without one. */
  rowOf(id: string): number | undefined {
    return this.strings.get(id)
  }

  /** Assigns a row to an id; `reuse` allows the row of a removed id. */
  assign(id: string, { reuse }: { reuse: boolean }): number {
    const row = this.rowOf(id) ?? this.#give(id, reuse)
    this.#free.delete(row)
    return row
  }

  /** Restores ids under their rows, from `from` on (snapshots). */
  restore(from: number, ids: StoredStrings): void {
    this.strings.restore(from, ids)
    for (let i = 0; i < ids.ends.length; i++) this.strings.enlist(from + i)
  }

  /** Releases the row of a removed id. */
  free(row: number): void {
    this.#free.add(row)
  }

  /** Estimated size: exact for typed arrays, with an assumed length for strings. */
  get bytes(): number {
    return this.strings.bytes(usualLength)
  }

  #give(id: string, reuse: boolean): number {
    const [free] = reuse ? this.#free : []
    if (free !== undefined) this.strings.delete(this.of(free))
    const row = free ?? this.strings.last + 1
    this.strings.set(id, row)
    return row
  }
}
