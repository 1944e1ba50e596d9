import { type AnyDocument, type AnyOrama, create, insert, remove, search } from '@orama/orama'
import { planTerms, searchSessions } from './channel-search.js'
import type {
  ChannelHit,
  IndexDocument,
  IndexFacts,
  IndexHits,
  IndexQuery,
  IndexStats,
  MemoryIndex,
} from './memory-index.js'
import { packedPlugin, packedSchema, vectorProperty } from './packed-plugin.js'
import { type PackedOptions, PackedRows } from './packed-rows.js'
import { type Where, whereOf } from './where.js'

/**
 * A new, empty index: Orama with the packed component.
 * @param options dimensions of the vectors (null: the first vector decides), BM25 parameters (k1 0.9 and b 0.4),
 *   a reader of exact vectors for rescoring.
 */
export function createMemoryIndex(options: PackedOptions): MemoryIndex {
  return new PackedMemoryIndex(options)
}

class PackedMemoryIndex implements MemoryIndex {
  readonly #rows: PackedRows
  readonly #orama: AnyOrama
  #change = 0

  constructor(options: PackedOptions) {
    this.#rows = new PackedRows(options)
    this.#orama = create({
      schema: packedSchema,
      plugins: [packedPlugin(this.#rows)],
      sort: { enabled: false },
      components: {
        validateSchema: () => undefined,
        getDocumentProperties: presentProperties,
      },
    })
  }

  upsert(document: IndexDocument): void {
    const { id } = document
    const known = this.#rowOf(id)
    if (known !== undefined) {
      if (this.#rows.columns.numbers.change[known]! > document.change) return
      this.#removeRow(id, { keepVector: true })
    }
    insert(this.#orama, { ...document, content: withAuthor(document) })
    const row = this.#rowOf(id)!
    this.#rows.sessions.add(row)
    this.#rows.masks.refresh(row)
    this.#change = Math.max(this.#change, document.change)
  }

  setVector(id: string, vector: Float32Array): void {
    const row = this.#rowOf(id)
    if (row !== undefined) this.#rows.openVectors(vector.length).set(row, vector)
  }

  remove(id: string): boolean {
    if (!this.has(id)) return false
    this.#removeRow(id, { keepVector: false })
    return true
  }

  has(id: string): boolean {
    return this.#rowOf(id) !== undefined
  }

  facts(id: string): IndexFacts | undefined {
    const row = this.#rowOf(id)
    if (row === undefined) return undefined
    const { columns, sessions } = this.#rows
    const { previous, next } = sessions.neighbours(row)
    return {
      who: columns.enums.who.get(row),
      createdAt: columns.numbers.createdAt[row]!,
      session: columns.enums.session.get(row),
      previous: previous === undefined ? null : this.#idOf(previous),
      next: next === undefined ? null : this.#idOf(next),
    }
  }

  async search({ text, vector, filter = {}, depth }: IndexQuery): Promise<IndexHits> {
    const rows = this.#rows
    const where = whereOf(filter)
    const words = rows.analyzer.query(text)
    const searchable = words.length > 0
    const timings: Record<string, number> = {}
    const timed = async <T>(channel: string, work: Promise<T>): Promise<T> => {
      const start = performance.now()
      const result = await work
      timings[channel] = performance.now() - start
      return result
    }
    const skip = Promise.resolve([] as ChannelHit[])
    const keyword = await timed(
      'keyword',
      searchable ? this.#searchText('content', text, where, depth) : skip,
    )
    const hints = await timed('hints', searchable ? this.#searchText('hints', text, where, depth) : skip)
    const sessions = await timed('sessions', this.#searchSessions(words, where))
    const vectors = vector && rows.vectors
    const nearest = await timed('vector', vectors ? this.#searchVectors(vector, where, depth) : skip)
    return {
      searchable,
      keyword,
      hints,
      vector: nearest,
      sessions,
      vectorCompleteness: vectors && vectors.count > 0 ? 'complete' : 'none',
      searchedWindow: vectors?.count ?? 0,
      timings,
    }
  }

  stats(): IndexStats {
    const { columns, vectors, terms, bytes } = this.#rows
    return {
      documents: columns.count,
      vectors: vectors?.count ?? 0,
      terms: terms.size,
      bytes: bytes + idBytes * this.#orama.internalDocumentIDStore.internalIdToId.length,
      change: this.#change,
    }
  }

  #rowOf(id: string): number | undefined {
    const row = this.#orama.internalDocumentIDStore.idToInternalId.get(id)
    return row !== undefined && this.#rows.columns.live[row] === 1 ? row : undefined
  }

  #idOf(row: number): string {
    return this.#orama.internalDocumentIDStore.internalIdToId[row - 1]!
  }

  #removeRow(id: string, { keepVector }: { keepVector: boolean }): void {
    const row = this.#rowOf(id)!
    this.#rows.sessions.remove(row)
    // The plugin's hook drops the vector.
    remove(this.#orama, id, undefined, keepVector)
    if (!keepVector) this.#rows.columns.ordinals[row] = 0
    this.#rows.masks.refresh(row)
  }

  async #searchText(property: string, term: string, where: Where, limit: number): Promise<ChannelHit[]> {
    const { hits } = await search(this.#orama, { term, properties: [property], where, limit, relevance: {} })
    return hits.map(({ id, score }) => ({ id, score }))
  }

  async #searchVectors(value: Float32Array, where: Where, limit: number): Promise<ChannelHit[]> {
    // A copy: results are found again by the identity of the vector, and two searches may share theirs.
    const vector = { value: value.slice(), property: vectorProperty }
    const { hits } = await search(this.#orama, { mode: 'vector', vector, where, limit, similarity: -2 })
    return hits.map(({ id, score }) => ({ id, score }))
  }

  async #searchSessions(words: readonly string[], where: Where): Promise<ReadonlyMap<string, number>> {
    const rows = this.#rows
    const scores = await searchSessions(rows, planTerms(rows, words), rows.masks.of(where))
    const { values } = rows.columns.enums.session
    return new Map(Array.from(scores, ([number, score]) => [values.text(number), score]))
  }
}

/** A memory without, say, a project has null there; to Orama such a property is absent. */
function presentProperties(
  document: AnyDocument,
  names: string[],
): Record<string, string | number | boolean> {
  return Object.fromEntries(names.flatMap(name => (document[name] == null ? [] : [[name, document[name]]])))
}

/** Estimate of one id: the string, its map entry and its place in the list. */
const idBytes = 150

/** The author counts as text, once, unless the text names it anyway. */
function withAuthor({ content, who }: IndexDocument): string {
  if (!who || content.toLowerCase().includes(who.toLowerCase())) return content
  return `${content}\n${who}`
}
