import {
  type AnyDocument,
  type AnyIndexStore,
  type AnyOrama,
  type IIndex,
  type OramaPluginSync,
  type Results,
  type SearchableType,
  type SearchParams,
  search,
} from '@orama/orama'
import { noRows, type RowScores } from '../arrays/top-rows.js'
import type { ColumnKind, Schema } from '../collection.js'
import { searchText, searchVectors, type TermPlan, type Wanted } from '../packed/channel-search.js'
import type { PackedRows } from '../packed/packed-rows.js'
import type { TextField } from '../words/text-field.js'

/** A search of one channel: words in a text, or the rows near a vector. */
export interface RowRequest extends Wanted {
  query: { text: TextField; plan: TermPlan } | { vector: Float32Array }
}

/** The parameters of Orama's `search` that the plugin reads; Orama hands what it does not know to its hooks. */
interface RowParams {
  /** No documents: a channel wants rows and scores. */
  preflight: true
  request: RowRequest
}

/** Orama's results with those of the plugin. */
interface RowResults extends Results<AnyDocument> {
  rows: RowScores
}

/** The best rows of one channel, by way of Orama. */
export async function searchRows(orama: AnyOrama, request: RowRequest): Promise<RowScores> {
  const params: RowParams = { preflight: true, request }
  const results = await search(orama, params as SearchParams<AnyOrama>)
  return (results as RowResults).rows
}

/**
 * Puts the packed index under Orama. Orama calls the `search` of an index component synchronously, and scans of the
 * packed index give way to other work between slices: they run in a hook that Orama waits for.
 */
export function packedPlugin(rows: PackedRows): OramaPluginSync {
  return {
    name: 'packed-index',
    // biome-ignore lint/suspicious/noExplicitAny: Orama types the components of a plugin by its caller's wish
    getComponents: (): any => ({ index: packedIndex(rows.schema) }),
    async afterSearch(_orama, params, _language, results) {
      const { request } = params as unknown as RowParams
      ;(results as RowResults).rows = await find(rows, request)
    },
  }
}

async function find(rows: PackedRows, { query, ...wanted }: RowRequest): Promise<RowScores> {
  if ('plan' in query) return searchText(rows, query.text, query.plan, wanted)
  return rows.vectors ? searchVectors(rows, rows.vectors, query.vector, wanted) : noRows
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

/** The functions of an index component that Orama calls to create an instance and to search it. */
function packedIndex(
  schema: Schema,
): Pick<IIndex<AnyIndexStore>, 'create' | 'getSearchableProperties' | 'getSearchablePropertiesWithTypes'> {
  const types = oramaSchema(schema)
  const properties = Object.keys(types)
  return {
    create: () => ({ vectorIndexes: {} }),
    getSearchableProperties: () => properties,
    getSearchablePropertiesWithTypes: () => types,
  }
}
