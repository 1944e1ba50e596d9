import {
  type Confidence,
  keepRelevant,
  type Signs,
  signsOf,
} from '../../src/daemon/memory/recall/ranking/confidence.js'
import type {
  GraphEvidence,
  ModelKind,
  ScoredCandidate,
} from '../../src/daemon/memory/recall/ranking/evidence.js'
import { answersIn } from '../../src/daemon/memory/recall/ranking/fuse.js'
import { rankCandidates, refineWithContent } from '../../src/daemon/memory/recall/ranking/rank-candidates.js'
import type { ContentStep, IdStep } from '../../src/daemon/memory/recall/ranking/step.js'
import { steps } from '../../src/daemon/memory/recall/ranking/steps.js'
import { weights } from '../../src/daemon/memory/recall/ranking/weights.js'
import { inferType } from '../../src/daemon/memory/records/normalise-content.js'
import { memories } from '../../src/store/index/collections.js'
import { createIndex } from '../../src/store/index/orama/packed-index.js'
import type { FoundHits as IndexedHits } from '../../src/store/index/packed/packed-hits.js'
import type { ScopedQuery, StoredMemory } from './quality-set.js'

type TypedMemory = StoredMemory & Required<Pick<StoredMemory, 'type'>>

/** A finished ranking without the cut-off, best first. */
export interface RankedAnswer {
  ranked: readonly ScoredCandidate[]
  confidence: Confidence
  /** Undefined when nothing was found. */
  signs: Signs | undefined
}

/** The sets have no validity times. */
const lasting = { superseded_by: null, valid_from: null, valid_until: null }

/** The hits of all channels, and the model of the vectors. */
export interface ChannelHits extends Pick<IndexedHits, 'packed' | 'keyword' | 'hints' | 'vector'> {
  model: ModelKind
}

/** Makes the vectors of rows and queries. */
export interface RowVectors {
  model: ModelKind
  /** Undefined where the model makes none. */
  vectorOf(text: string): Float32Array | undefined
}

const noVectors: RowVectors = { model: 'words', vectorOf: () => undefined }

/**
 * The index and the ranking combined as in a recall, in this process; with vectors when `vectors` are given.
 */
export class RankedIndex {
  #index = createIndex(memories, { dimensions: null })
  #vectors: RowVectors
  #memories = new Map<string, TypedMemory>()
  #now: () => number

  constructor(now: () => number = Date.now, vectors = noVectors) {
    this.#now = now
    this.#vectors = vectors
  }

  add(memory: StoredMemory): void {
    const typed = { ...memory, type: memory.type ?? inferType(memory.content) }
    const rest = { tags: [], scope: null, agentId: 'default', visibility: 'global' }
    this.#memories.set(memory.id, typed)
    this.#index.upsert({ ...rest, ...typed, change: this.#memories.size, pinned: false, importance: 0.8 })
    const vector = this.#vectors.vectorOf(memory.content)
    if (vector) this.#index.setVector(memory.id, vector)
  }

  /** @returns the ids that pass the default cut-off, best first */
  async recall(query: string, project: string | null, limit: number): Promise<string[]> {
    const { ranked, confidence } = this.rank(query, await this.search({ query, project }))
    return keepRelevant(ranked, confidence)
      .slice(0, limit)
      .map(({ id }) => id)
  }

  async search({ query, project }: ScopedQuery): Promise<ChannelHits> {
    const filter = project === null ? {} : { projects: [project] }
    const vector = this.#vectors.vectorOf(query)
    const hits = await this.#index.search({
      text: query,
      vector,
      filter,
      evidence: true,
      depth: weights.candidates.depth,
    })
    const { packed, keyword, hints, vector: near } = hits
    return { packed, keyword, hints, vector: near, model: this.#vectors.model }
  }

  /**
   * Ranks the hits of the channels.
   * @param without names of omitted steps
   * @param graph facts about entities that the query names
   */
  rank(
    query: string,
    hits: ChannelHits,
    without: ReadonlySet<string> = new Set(),
    graph?: GraphEvidence,
  ): RankedAnswer {
    const table = steps.filter(({ name }) => !without.has(name))
    const idSteps = table.filter((step): step is IdStep => step.sees === 'ids')
    const contentSteps = table.filter((step): step is ContentStep => step.sees === 'content')
    const context = { query, now: this.#now() }
    const found = { ...hits.packed, model: hits.model }
    const { ranked, rows } = rankCandidates({ ...context, hits: found, graph }, idSteps)
    const loaded = ranked.slice(0, weights.candidates.loaded)
    const stored = loaded.map(({ id }) => this.#memories.get(id)!)
    const known = {
      ...context,
      facts: (id: string) => rows.factsOf(id),
      contents: new Map(stored.map(({ id, content }) => [id, content])),
      ...answersIn(found, rows),
      rows: new Map(stored.map(({ id, type }) => [id, { type, ...lasting }])),
      ratings: new Map(),
    }
    const refined = refineWithContent(loaded, known, contentSteps)
    return { ...refined, signs: signsOf(refined.ranked, known) }
  }
}
