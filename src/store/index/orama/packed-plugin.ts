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
import { type RowSelection, searchText, searchVectors, type TermPlan } from '../packed/channel-search.js'
import type { PackedRows } from '../packed/packed-rows.js'
import type { TextField } from '../words/text-field.js'

/** A search of one channel: words in a text, or rows near a vector. */
export interface RowRequest extends RowSelection {
  query: { text: TextField; plan: TermPlan } | { vector: Float32Array }
}

/** The parameters of Orama's `search` for the plugin; Orama passes unknown parameters to its hooks. */
interface RowParams {
  /** No documents: a channel needs only rows and scores. */
  preflight: true
  request: RowRequest
}

/** Orama's results with those of the plugin. */
interface RowResults extends Results<AnyDocument> {
  rows: RowScores
}

/** Searches one channel through Orama. */
export async function searchRows(orama: AnyOrama, request: RowRequest): Promise<RowScores> {
  const params: RowParams = { preflight: true, request }
  const results = await search(orama, params as SearchParams<AnyOrama>)
  return (results as RowResults).rows
}

/**
 * Connects the packed index to Orama. Orama calls an index component's `search` synchronously, but scans must
 * yield between slices, so they run in a hook that Orama awaits.
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

/** The entry properties with Orama's type names. */
export function oramaSchema({ hints, columns }: Schema): Record<string, SearchableType> {
  const typed = Object.entries(columns).map(([name, kind]) => [name, oramaTypes[kind]] as const)
  return {
    content: 'string',
    ...(hints && { hints: 'string[]' as const }),
    ...Object.fromEntries(typed),
    change: 'number',
  }
}

/** The index component functions that Orama needs to create and search an instance. */
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
