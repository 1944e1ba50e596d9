import type { AnyIndexStore, BM25Params, IIndex, OramaPluginSync, TokenScore } from '@orama/orama'
import type { Breather } from '../../../lib/loop-budget.js'
import {
  planTerms,
  type RowScores,
  searchText,
  searchVectors,
  type TermPlan,
  type Wanted,
} from '../packed/channel-search.js'
import { packedDocuments } from '../packed/packed-documents.js'
import type { PackedRows, TextProperty } from '../packed/packed-rows.js'
import type { RowMask } from '../rows/row-masks.js'
import type { Where } from '../rows/where.js'

/** The name under which vectors are searched; they come in by `setVector`, not with a document. */
export const vectorProperty = 'embedding'

export const packedSchema = {
  content: 'string',
  hints: 'string[]',
  type: 'enum',
  tags: 'enum[]',
  who: 'enum',
  project: 'enum',
  scope: 'enum',
  agentId: 'enum',
  visibility: 'enum',
  pinned: 'boolean',
  importance: 'number',
  createdAt: 'number',
  change: 'number',
  session: 'enum',
  held: 'enum[]',
} as const

const properties = Object.keys(packedSchema)

/** A search of our own: it wants rows and scores only, not the documents that Orama puts together. */
export interface RowRequest {
  /** The term, analysed already. */
  plan?: TermPlan
  depth: number
  budget: Breather
  /** What was found, once Orama has returned. */
  found: RowScores
}

/** What `search` of Orama hands to plugins, as far as the packed index reads it. */
interface SearchRequest {
  mode?: string
  term?: string
  properties?: '*' | string[]
  where?: Where
  limit?: number
  offset?: number
  relevance?: BM25Params
  vector?: { value: Float32Array }
  /** Unknown to Orama, which hands it through. */
  rows?: RowRequest
}

/**
 * Puts the packed index under Orama. Orama's `search` is one synchronous call, our scans are not: they run before
 * it, in slices, and the index component hands their results over, found by the request's own `relevance` and
 * vector objects; a `RowRequest` gets them itself.
 */
export function packedPlugin(rows: PackedRows): OramaPluginSync {
  const prepared = new WeakMap<object, RowScores>()
  return {
    name: 'packed-index',
    // biome-ignore lint/suspicious/noExplicitAny: Orama types the components of a plugin by its caller's wish
    getComponents: (): any => ({
      index: packedIndex(rows, prepared),
      documentsStore: packedDocuments(rows),
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
      await prepare(rows, params as unknown as SearchRequest, prepared)
    },
  }
}

async function prepare(
  rows: PackedRows,
  request: SearchRequest,
  prepared: WeakMap<object, RowScores>,
): Promise<void> {
  const { mode = 'fulltext', limit = 10, offset = 0, where = {}, rows: own, vector } = request
  const wanted: Wanted = {
    mask: rows.masks.of(where),
    depth: own?.depth ?? limit + offset,
    budget: own?.budget ?? rows.budget.begin(),
  }
  if (mode !== 'vector') {
    const found = await searchTexts(rows, request, wanted)
    if (own) own.found = found
    else {
      request.relevance ??= {}
      prepared.set(request.relevance, found)
    }
  }
  if (mode !== 'fulltext' && vector && rows.vectors) {
    const found = await searchVectors(rows, rows.vectors, vector.value, wanted)
    if (own) own.found = found
    else prepared.set(vector.value, found)
  }
}

async function searchTexts(
  rows: PackedRows,
  { term = '', properties: names, rows: own }: SearchRequest,
  wanted: Wanted,
): Promise<RowScores> {
  const plan = own?.plan ?? (await planTerms(rows, rows.analyzer.query(term), wanted.budget))
  const lists: RowScores[] = []
  for (const name of Array.isArray(names) ? names : ['content', 'hints'])
    lists.push(await searchText(rows, name as TextProperty, plan, wanted))
  return lists.length === 1 ? lists[0]! : added(lists, wanted.depth)
}

function added(lists: readonly RowScores[], depth: number): RowScores {
  const sums = new Map<number, number>()
  for (const [row, score] of lists.flat()) sums.set(row, (sums.get(row) ?? 0) + score)
  return [...sums].sort((a, b) => b[1] - a[1] || a[0] - b[0]).slice(0, depth)
}

/** Looks to Orama like one of its own vector indexes; only `size` and `find` are ever called. */
function packedStore(node: object): AnyIndexStore {
  return { vectorIndexes: { [vectorProperty]: { type: 'Vector', isArray: false, node: node as never } } }
}

function packedIndex(rows: PackedRows, prepared: WeakMap<object, RowScores>): IIndex<AnyIndexStore> {
  const node = {
    get size() {
      return rows.vectors?.dimensions ?? 0
    },
    find: (value: Float32Array, similarity: number): TokenScore[] =>
      (prepared.get(value) ?? []).filter(([, score]) => score >= similarity),
  }
  const nothing = () => {}
  return {
    create: () => packedStore(node),
    insert: (_, __, property, ___, row, value) => rows.fill(row, property, value),
    remove(_, __, property, ___, row) {
      rows.empty(row, property)
      return true
    },
    search: (_, __, ___, ____, _____, ______, _______, ________, relevance) => prepared.get(relevance) ?? [],
    searchByWhereClause: (_, __, where) => rows.masks.of(where as Where) as RowMask as unknown as Set<number>,
    getSearchableProperties: () => properties,
    getSearchablePropertiesWithTypes: () => packedSchema,
    load: () => packedStore(node),
    save: () => undefined as never,
    insertDocumentScoreParameters: nothing,
    insertTokenScoreParameters: nothing,
    removeDocumentScoreParameters: nothing,
    removeTokenScoreParameters: nothing,
    calculateResultScores: nothing,
  }
}
