/** The part of Orama's internal document ids that numbers rows. Row numbers begin at 1. */
interface InternalIds {
  idToInternalId: Map<string, number>
  internalIdToId: string[]
}

/**
 * Which row belongs to which id. Orama numbers documents and never takes a number back; here the rows of removed
 * ids go to new ones, so that the index stays as small as what it holds.
 */
export class RowIds {
  #ids: InternalIds = { idToInternalId: new Map(), internalIdToId: [] }
  #free = new Set<number>()

  /** Uses Orama's own numbering from now on. */
  attach(ids: InternalIds): void {
    this.#ids = ids
  }

  of(row: number): string {
    return this.#ids.internalIdToId[row - 1]!
  }

  /** The row of an id, also of one that was removed; undefined when it has none. */
  rowOf(id: string): number | undefined {
    return this.#ids.idToInternalId.get(id)
  }

  /** Gives an id its row; `reuse` allows one that a removed id had. */
  assign(id: string, { reuse }: { reuse: boolean }): number {
    const row = this.rowOf(id) ?? (reuse ? this.#takeFree(id) : undefined) ?? this.#append(id)
    this.#free.delete(row)
    return row
  }

  /** Gives each id a row of its own, or the one it has (snapshots). */
  restore(ids: readonly string[]): number[] {
    return ids.map(id => {
      const known = this.rowOf(id)
      if (known !== undefined) this.#free.delete(known)
      return known ?? this.#append(id)
    })
  }

  /** The row's id was removed. */
  free(row: number): void {
    this.#free.add(row)
  }

  /** Estimate: string, map entry and place in the list. */
  get bytes(): number {
    return this.#ids.internalIdToId.length * 150
  }

  #takeFree(id: string): number | undefined {
    const [row] = this.#free
    if (row === undefined) return undefined
    // Orama counts the entries of this map to number the next document: one goes for the one that comes.
    this.#ids.idToInternalId.delete(this.of(row))
    this.#ids.idToInternalId.set(id, row)
    this.#ids.internalIdToId[row - 1] = id
    return row
  }

  #append(id: string): number {
    const row = this.#ids.internalIdToId.push(id)
    this.#ids.idToInternalId.set(id, row)
    return row
  }
}
