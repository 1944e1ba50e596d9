import type { AnyIndexStore, IIndex, OramaPluginSync, SearchableType } from '@orama/orama'
import { noRows, type RowScores } from '../arrays/top-rows.js'
import type { ColumnKind, Schema } from '../collection.js'
import { searchText, searchVectors, type TermPlan, type Wanted } from '../packed/channel-search.js'
import { packedEntries } from '../packed/packed-entries.js'
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
