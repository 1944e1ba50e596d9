import type { memoryTypes } from '../../src/contract/ground/fields.js'
import { rankCandidates } from '../../src/daemon/memory/recall/ranking/rank-candidates.js'
import { refineWithContent } from '../../src/daemon/memory/recall/ranking/refine-with-content.js'
import { relevant } from '../../src/daemon/memory/recall/ranking/relevance.js'
import { weights } from '../../src/daemon/memory/recall/ranking/weights.js'
import { memories } from '../../src/store/index/collections/memories.js'
import { createIndex } from '../../src/store/index/orama/create.js'

/** A memory as every measured system gets it. */
export interface StoredMemory {
  id: string
  content: string
  /** A fact when absent. */
  type?: (typeof memoryTypes)[number]
  hints: readonly string[]
  who: string | null
  project: string
  createdAt: number
  session: string | null
}

/** Something that stores memories and gives back ids, best first. */
export interface RecallSystem {
  name: string
  add(memory: StoredMemory): void
  recall(query: string, project: string, limit: number): Promise<string[]>
  close(): void
}

export interface Answer {
  id: string
  score: number
}

/** The index and the ranking as a recall composes them, in this process and without vectors. */
export class RankedIndex implements RecallSystem {
  readonly name = 'memory-service'
  #index = createIndex(memories, { dimensions: null })
  #contents = new Map<string, string>()
  #now: () => number

  constructor(now: () => number = Date.now) {
    this.#now = now
  }

  add(memory: StoredMemory): void {
    const rest = { type: 'fact', tags: [], scope: null, agentId: 'default', visibility: 'global' }
    this.#contents.set(memory.id, memory.content)
    this.#index.upsert({ ...rest, ...memory, change: this.#contents.size, pinned: false, importance: 0.8 })
  }

  async recall(query: string, project: string | null, limit: number): Promise<string[]> {
    return (await this.answers(query, project)).slice(0, limit).map(({ id }) => id)
  }

  /**
   * Every row that the default cut-off lets through, with its score.
   *
   * @param project null asks over all of them
   */
  async answers(query: string, project: string | null): Promise<Answer[]> {
    const hits = await this.#index.search({
      text: query,
      filter: project === null ? {} : { project },
      depth: weights.candidates.depth,
    })
    const context = { query, facts: (id: string) => hits.facts.get(id), now: this.#now() }
    const { ranked } = rankCandidates({ ...context, hits })
    const loaded = ranked.slice(0, weights.candidates.loaded)
    const contents = new Map(loaded.map(({ id }) => [id, this.#contents.get(id)!]))
    const nothingMore = { rows: new Map(), ratings: new Map() }
    return relevant(refineWithContent(loaded, { ...context, contents, ...nothingMore }).ranked)
  }

  close(): void {
    this.#contents.clear()
  }
}
