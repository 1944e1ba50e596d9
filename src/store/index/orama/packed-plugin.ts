import type {
  AnyDocument,
  AnyDocumentStore,
  AnyIndexStore,
  IDocumentsStore,
  IIndex,
  OramaPluginSync,
  SearchableType,
} from '@orama/orama'
import { noRows, type RowScores } from '../arrays/top-rows.js'
import type { ColumnKind, Schema } from '../collection.js'
import { searchText, searchVectors, type TermPlan, type Wanted } from '../packed/channel-search.js'
import type { PackedRows } from '../packed/packed-rows.js'
import type { TextField } from '../words/text-field.js'

/** The name under which vectors are searched; they come in by `setVector`, not with an entry. */
export const vectorProperty = 'embedding'

/** A search of one channel. It wants rows and scores only, not the entries that Orama would put together. */
export interface RowRequest extends Wanted {
  /** What is looked for: words in a text, or what is near a vector. */
  asked: { text: TextField; plan: TermPlan } | { vector: Float32Array }
  /** What was found, once Orama has returned. */
  found: RowScores
}

/** What `search` of Orama hands to plugins, as far as the packed index reads it. */
interface SearchRequest {
  /** Unknown to Orama, which hands it through. */
  rows: RowRequest
}

/**
 * Puts the packed index under Orama. Orama's `search` is one synchronous call, our scans are not: they run before
 * it, in slices, and leave what they found in the `RowRequest`, without which there is no search. Orama itself finds
 * nothing then.
 */
export function packedPlugin(rows: PackedRows): OramaPluginSync {
  return {
    name: 'packed-index',
    // biome-ignore lint/suspicious/noExplicitAny: Orama types the components of a plugin by its caller's wish
    getComponents: (): any => ({
      index: packedIndex(rows),
      documentsStore: packedEntries(rows),
    }),
    afterCreate(orama) {
      rows.ids.attach(orama.internalDocumentIDStore)
    },
    afterRemove(_, id) {
      const row = rows.ids.rowOf(id)!
      rows.vectors?.remove(row)
      rows.exact?.forget(row)
    },
    async beforeSearch(_, params) {
      const { rows: request } = params as unknown as SearchRequest
      request.found = await find(rows, request)
    },
  }
}

async function find(rows: PackedRows, { asked, ...wanted }: RowRequest): Promise<RowScores> {
  if ('plan' in asked) return searchText(rows, asked.text, asked.plan, wanted)
  return rows.vectors ? searchVectors(rows, rows.vectors, asked.vector, wanted) : noRows
}

const oramaTypes: Record<ColumnKind, SearchableType> = {
  value: 'enum',
  labels: 'enum[]',
  number: 'number',
  flag: 'boolean',
}

/** The properties of entries as Orama names their types. */
export function oramaSchema({ hints, columns }: Schema): Record<string, SearchableType> {
  const typed = Object.entries(columns).map(([name, kind]) => [name, oramaTypes[kind]] as const)
  return {
    content: 'string',
    ...(hints && { hints: 'string[]' as const }),
    ...Object.fromEntries(typed),
    change: 'number',
  }
}

function packedIndex(rows: PackedRows): IIndex<AnyIndexStore> {
  const schema = oramaSchema(rows.schema)
  const properties = Object.keys(schema)
  // Looks to Orama like one of its own vector indexes; only `size` and `find` are ever called.
  const node = {
    get size() {
      return rows.vectors?.dimensions ?? 0
    },
    find: () => [],
  }
  const store: AnyIndexStore = {
    vectorIndexes: { [vectorProperty]: { type: 'Vector', isArray: false, node: node as never } },
  }
  const nothing = () => {}
  return {
    create: () => store,
    // Rows are filled without Orama: `PackedRows.take`.
    insert: nothing,
    remove(_, __, property, ___, row) {
      rows.empty(row, property)
      return true
    },
    search: () => [],
    searchByWhereClause: () => new Set(),
    getSearchableProperties: () => properties,
    getSearchablePropertiesWithTypes: () => schema,
    load: () => store,
    save: () => undefined as never,
    insertDocumentScoreParameters: nothing,
    insertTokenScoreParameters: nothing,
    removeDocumentScoreParameters: nothing,
    removeTokenScoreParameters: nothing,
    calculateResultScores: nothing,
  }
}

/**
 * Orama's store of documents over the packed columns: an entry is put together when somebody asks, so nothing is
 * kept twice. Texts are gone once analysed; the empty ones tell Orama's `remove` that the row has these properties.
 */
function packedEntries(rows: PackedRows): IDocumentsStore {
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
