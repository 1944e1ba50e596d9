import type { StoredStrings } from '../arrays/packed-strings.js'
import { StringNumbers } from '../arrays/string-numbers.js'

/** Of a UUID, in characters. */
const usualLength = 36

/**
 * Which row belongs to which id. The rows of removed ids go to new ones, so that the index stays as small as what it
 * holds. Row numbers begin at 1.
 */
export class RowIds {
  readonly strings = new StringNumbers()
  #free = new Set<number>()

  of(row: number): string {
    return this.strings.text(row)
  }

  /** The row of an id, also of one that was removed; undefined when it has none. */
  rowOf(id: string): number | undefined {
    return this.strings.get(id)
  }

  /** Gives an id its row; `reuse` allows one that a removed id had. */
  assign(id: string, { reuse }: { reuse: boolean }): number {
    const row = this.rowOf(id) ?? this.#give(id, reuse)
    this.#free.delete(row)
    return row
  }

  /** Puts ids back under their rows, from `from` on (snapshots). */
  restore(from: number, ids: StoredStrings): void {
    this.strings.restore(from, ids)
    for (let i = 0; i < ids.ends.length; i++) this.strings.enlist(from + i)
  }

  /** The row's id was removed. */
  free(row: number): void {
    this.#free.add(row)
  }

  /** Estimate: typed arrays exactly, strings by a usual length. */
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
