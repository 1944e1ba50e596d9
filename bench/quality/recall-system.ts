import {
  type Confidence,
  relevant,
  type Signs,
  signsOf,
} from '../../src/daemon/memory/recall/ranking/confidence.js'
import type { GraphEvidence, ScoredCandidate } from '../../src/daemon/memory/recall/ranking/evidence.js'
import { answersIn } from '../../src/daemon/memory/recall/ranking/fuse.js'
import { rankCandidates } from '../../src/daemon/memory/recall/ranking/rank-candidates.js'
import { refineWithContent } from '../../src/daemon/memory/recall/ranking/refine-with-content.js'
import type { ContentStep, IdStep } from '../../src/daemon/memory/recall/ranking/step.js'
import { steps } from '../../src/daemon/memory/recall/ranking/steps.js'
import { weights } from '../../src/daemon/memory/recall/ranking/weights.js'
import { inferType } from '../../src/daemon/memory/records/normalise-content.js'
import { memories } from '../../src/store/index/collections/memories.js'
import { createIndex } from '../../src/store/index/orama/packed-index.js'
import type { FoundHits as IndexedHits } from '../../src/store/index/packed/packed-hits.js'
import type { Asked, StoredMemory } from './quality-set.js'

type TypedMemory = StoredMemory & Required<Pick<StoredMemory, 'type'>>

/** A finished ranking without the cut-off, best first. */
export interface RankedAnswer {
  ranked: readonly ScoredCandidate[]
  confidence: Confidence
  /** Undefined when nothing was found. */
  signs: Signs | undefined
}

/** What the sets tell of the time of their rows: nothing. */
const lasting = { superseded_by: null, valid_from: null, valid_until: null }

/** What the channels find, and of which kind the vectors are. */
export interface FoundHits extends Pick<IndexedHits, 'packed' | 'keyword' | 'hints' | 'vector'> {
  wordVectors: boolean
}

/** Makes the vectors of rows and questions; undefined where a model makes none. */
export type VectorOf = (text: string) => Float32Array | undefined

/** The index and the ranking as a recall composes them, in this process; with vectors where it is given a model. */
export class RankedIndex {
  #index = createIndex(memories, { dimensions: null })
  #vectorOf: VectorOf
  #memories = new Map<string, TypedMemory>()
  #now: () => number

  constructor(now: () => number = Date.now, vectorOf: VectorOf = () => undefined) {
    this.#now = now
    this.#vectorOf = vectorOf
  }

  add(memory: StoredMemory): void {
    const typed = { ...memory, type: memory.type ?? inferType(memory.content) }
    const rest = { tags: [], scope: null, agentId: 'default', visibility: 'global' }
    this.#memories.set(memory.id, typed)
    this.#index.upsert({ ...rest, ...typed, change: this.#memories.size, pinned: false, importance: 0.8 })
    const vector = this.#vectorOf(memory.content)
    if (vector) this.#index.setVector(memory.id, vector)
  }

  /** @returns the ids that the default cut-off lets through, best first */
  async recall(query: string, project: string | null, limit: number): Promise<string[]> {
    const { ranked, confidence } = this.rank(query, await this.search({ query, project }))
    return relevant(ranked, confidence)
      .slice(0, limit)
      .map(({ id }) => id)
  }

  /** What the channels find. */
  async search({ query, project }: Asked): Promise<FoundHits> {
    const filter = project === null ? {} : { project }
    const vector = this.#vectorOf(query)
    const hits = await this.#index.search({
      text: query,
      vector,
      filter,
      evidence: true,
      depth: weights.candidates.depth,
    })
    const { packed, keyword, hints, vector: near } = hits
    return { packed, keyword, hints, vector: near, wordVectors: vector !== undefined }
  }

  /**
   * Ranks what the channels found.
   *
   * @param without names of steps that are left out
   * @param graph what is known of what the query names
   */
  rank(
    query: string,
    hits: FoundHits,
    without: ReadonlySet<string> = new Set(),
    graph?: GraphEvidence,
  ): RankedAnswer {
    const table = steps.filter(({ name }) => !without.has(name))
    const idSteps = table.filter((step): step is IdStep => step.sees === 'ids')
    const contentSteps = table.filter((step): step is ContentStep => step.sees === 'content')
    const context = { query, now: this.#now() }
    const found = { ...hits.packed, wordVectors: hits.wordVectors }
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
