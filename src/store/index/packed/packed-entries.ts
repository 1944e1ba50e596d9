import type { AnyDocument, AnyDocumentStore, IDocumentsStore } from '@orama/orama'
import type { PackedRows } from './packed-rows.js'

/**
 * Orama's store of documents over the packed columns: an entry is put together when somebody asks, so nothing is
 * kept twice. Texts are gone once analysed; the empty ones tell Orama's `remove` that the row has these properties.
 */
export function packedEntries(rows: PackedRows): IDocumentsStore {
  const { columns, ids } = rows
  const prototype = entryPrototype(rows)
  const get = (_: AnyDocumentStore, id: string | number): AnyDocument | undefined => {
    const row = typeof id === 'number' ? id : ids.rowOf(id)
    return row !== undefined && columns.live[row] === 1
      ? Object.assign(Object.create(prototype), { row })
      : undefined
  }
  return {
    create: () => ({ docs: {} }),
    get,
    getMultiple: (store, wanted) => wanted.map(id => get(store, id)),
    getAll: store => {
      const all: Record<number, AnyDocument> = {}
      for (let row = 0; row < columns.end; row++) if (columns.live[row] === 1) all[row] = get(store, row)!
      return all
    },
    // Rows are filled without Orama: `PackedRows.take`.
    store: () => false,
    remove(_, _id, row) {
      if (columns.live[row] !== 1) return false
      columns.dismiss(row)
      return true
    },
    count: () => columns.count,
    load: () => ({ docs: {} }),
    save: () => undefined as never,
  }
}

/** What entries inherit: their properties are read from the columns on demand. */
function entryPrototype({ schema, columns, ids }: PackedRows): object {
  const prototype = { content: '', hints: [] }
  const define = (name: string, read: (row: number) => unknown) =>
    Object.defineProperty(prototype, name, {
      get(this: { row: number }) {
        return read(this.row)
      },
    })
  define('id', row => ids.of(row))
  for (const name of [...Object.keys(schema.columns), 'change']) {
    const column = columns.of(name)
    define(name, row => column.get(row))
  }
  return prototype
}
