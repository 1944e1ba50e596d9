import type { AnyDocument, AnyDocumentStore, IDocumentsStore } from '@orama/orama'
import { enumProperties, labelProperties, numberProperties } from '../rows/row-columns.js'
import type { PackedRows } from './packed-rows.js'

/**
 * Orama's document store over the packed columns: a document is put together when somebody asks, so nothing is
 * kept twice. Texts are gone once analysed; the empty ones tell Orama's `remove` that the row has these properties.
 */
export function packedDocuments(rows: PackedRows): IDocumentsStore {
  const { columns, ids } = rows
  const prototype = documentPrototype(rows)
  const describeLive = (row: number | undefined): AnyDocument | undefined =>
    row !== undefined && columns.live[row] === 1
      ? Object.assign(Object.create(prototype), { row })
      : undefined
  const get = (_: AnyDocumentStore, id: string | number) =>
    describeLive(typeof id === 'number' ? id : ids.rowOf(id))
  // Orama's vector search reads `docs` itself instead of asking `get`.
  const docs = new Proxy<Record<number, AnyDocument>>({}, { get: (_, row) => describeLive(Number(row)) })
  return {
    create: () => ({ docs }),
    get,
    getMultiple: (store, wanted) => wanted.map(id => get(store, id)),
    getAll: store => {
      const all: Record<number, AnyDocument> = {}
      for (let row = 0; row < columns.end; row++) if (columns.live[row] === 1) all[row] = get(store, row)
      return all
    },
    store(_, _id, row) {
      if (columns.live[row] === 1) return false
      columns.admit(row)
      return true
    },
    remove(_, _id, row) {
      if (columns.live[row] !== 1) return false
      columns.dismiss(row)
      return true
    },
    count: () => columns.count,
    load: () => ({ docs }),
    save: () => undefined as never,
  }
}

/** What documents inherit: their properties are read from the columns on demand, for most searches only want ids. */
function documentPrototype({ columns, ids }: PackedRows): object {
  const prototype = { content: '', hints: [] }
  const define = (name: string, read: (row: number) => unknown) =>
    Object.defineProperty(prototype, name, {
      get(this: { row: number }) {
        return read(this.row)
      },
    })
  define('id', row => ids.of(row))
  for (const name of labelProperties) define(name, row => columns[name].get(row))
  define('pinned', row => columns.pinned[row] === 1)
  for (const name of enumProperties) define(name, row => columns.enums[name].get(row))
  for (const name of numberProperties) define(name, row => columns.numbers[name][row])
  return prototype
}
