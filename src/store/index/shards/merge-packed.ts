import type { RowScores } from '../arrays/top-rows.js'
import { scoreSessions, type TermPlan } from '../packed/channel-search.js'
import {
  factWidth,
  HitRows,
  none,
  type PackedFacts,
  type PackedHits,
  type PackedScores,
} from '../packed/packed-hits.js'
import type { SessionCounts, SessionTotals } from '../rows/sessions.js'
import type { PackedShard, ShardRows } from './shard.js'

type Merged = PackedFacts &
  Pick<PackedHits, 'keyword' | 'expansion' | 'coverage' | 'occurrences' | 'hints' | 'vector' | 'sessions'> & {
    /** See `ChannelCeilings`. */
    sessionCeiling: number
  }

/** A row of a shard by its position there. */
interface RowPlace {
  shard: number
  place: number
}

/** One of the best rows that is still there; `kept` is its place among the kept rows of its shard. */
type Hit = BestRow & RowPlace & { kept: number }

const channels = ['keyword', 'hints', 'vector'] as const

/** One of the best rows of all shards. */
export interface BestRow {
  shard: number
  /** Its place among the rows that the shard found. */
  at: number
  row: number
  score: number
  change: number
}

/** The best rows of each channel, best first. */
export interface FoundRows {
  keyword: readonly BestRow[]
  hints: readonly BestRow[]
  vector: readonly BestRow[]
}

/** Joins the packed rows of shards in the order in which one index packs them. */
export function mergePacked(
  packed: readonly PackedShard[],
  found: FoundRows,
  plan: TermPlan,
  totals: SessionTotals,
): Merged {
  const hits = {
    keyword: hitsOf(packed, found.keyword, 'keyword'),
    hints: hitsOf(packed, found.hints, 'hints'),
    vector: hitsOf(packed, found.vector, 'vector'),
  }
  const places = new MergedPlaces(packed)
  for (const channel of channels) for (const hit of hits[channel]) places.admitWithNeighbours(hit)
  const facts = places.facts()
  const sessions = sessionsOf(packed, hits, plan, totals)
  const scored = (channel: (typeof channels)[number]): PackedScores => ({
    places: Int32Array.from(hits[channel], hit => places.of(hit)),
    scores: Float64Array.from(hits[channel], ({ score }) => score),
  })
  const beside = (values: 'expansion' | 'coverage' | 'occurrences'): Float64Array =>
    packed.some(part => part[values].length > 0)
      ? Float64Array.from(hits.keyword, ({ shard, kept }) => packed[shard]![values][kept]!)
      : new Float64Array(0)
  return {
    ...facts,
    keyword: scored('keyword'),
    expansion: beside('expansion'),
    coverage: beside('coverage'),
    occurrences: beside('occurrences'),
    hints: scored('hints'),
    vector: scored('vector'),
    sessions: {
      places: Int32Array.from(sessions.named, name => places.session(name)),
      scores: sessions.scores,
    },
    texts: places.texts,
    sessionCeiling: sessions.ceiling,
  }
}

/** Skips entries removed during the search. */
function hitsOf(
  packed: readonly PackedShard[],
  best: readonly BestRow[],
  channel: (typeof channels)[number],
): Hit[] {
  const next = packed.map(() => 0)
  return best.flatMap(row => {
    const kept = next[row.shard]!++
    const place = packed[row.shard]![channel][kept]!
    return place === none ? [] : [{ ...row, kept, place }]
  })
}

/** Positions of rows and names after the merge. */
class MergedPlaces {
  readonly texts: string[] = []
  readonly #packed: readonly PackedShard[]
  readonly #rows: readonly HitRows[]
  readonly #places: readonly Int32Array[]
  readonly #order: RowPlace[] = []
  readonly #authors = new Map<string, number>()
  readonly #sessions = new Map<string, number>()

  constructor(packed: readonly PackedShard[]) {
    this.#packed = packed
    this.#rows = packed.map(part => new HitRows(part))
    this.#places = packed.map(({ rows }) => new Int32Array(rows).fill(none))
  }

  of({ shard, place }: RowPlace): number {
    return place === none ? none : this.#places[shard]![place]!
  }

  admitWithNeighbours({ shard, place }: RowPlace): void {
    const rows = this.#rows[shard]!
    this.#admit({ shard, place })
    this.#admit({ shard, place: rows.previous(place) })
    this.#admit({ shard, place: rows.next(place) })
  }

  /** Call after all rows are admitted. */
  facts(): Pick<PackedFacts, 'facts' | 'createdAt' | 'rows'> {
    const facts = new Int32Array(this.#order.length * factWidth)
    const createdAt = new Float64Array(this.#order.length)
    for (const [at, { shard, place }] of this.#order.entries()) {
      const rows = this.#rows[shard]!
      facts.set(
        [
          this.#name(this.#authors, shard, rows.author(place)),
          this.session({ shard, place: rows.session(place) }),
          this.of({ shard, place: rows.previous(place) }),
          this.of({ shard, place: rows.next(place) }),
          rows.terms(place),
          rows.sessionTerms(place),
        ],
        at * factWidth,
      )
      createdAt[at] = this.#packed[shard]!.createdAt[place]!
    }
    return { facts, createdAt, rows: this.#order.length }
  }

  /** Position of the name of a session. */
  session({ shard, place }: RowPlace): number {
    return this.#name(this.#sessions, shard, place)
  }

  #admit(row: RowPlace): void {
    if (row.place === none || this.of(row) !== none) return
    this.#places[row.shard]![row.place] = this.texts.push(this.#rows[row.shard]!.text(row.place)) - 1
    this.#order.push(row)
  }

  #name(known: Map<string, number>, shard: number, place: number): number {
    if (place === none) return none
    const name = this.#rows[shard]!.text(place)
    const there = known.get(name)
    if (there !== undefined) return there
    const added = this.texts.push(name) - 1
    known.set(name, added)
    return added
  }
}

/** The sessions of hits that have a score, in the order of the hits. */
function sessionsOf(
  packed: readonly PackedShard[],
  hits: Record<(typeof channels)[number], readonly Hit[]>,
  plan: TermPlan,
  totals: SessionTotals,
): { named: RowPlace[]; scores: Float64Array; ceiling: number } {
  const named: (RowPlace & { at: number })[] = []
  const seen = packed.map(() => new Set<number>())
  const numberOf = packed.map(
    ({ sessions }) => new Map(Array.from(sessions.places, (place, at) => [place, at] as const)),
  )
  for (const channel of channels)
    for (const { shard, place: row } of hits[channel]) {
      const place = packed[shard]!.facts[row * factWidth + 1]!
      const at = numberOf[shard]!.get(place)
      if (at === undefined || seen[shard]!.has(place)) continue
      seen[shard]!.add(place)
      named.push({ shard, place, at })
    }
  const counts = new Map<string, SessionCounts>()
  for (const term of plan.weights.keys())
    counts.set(term, {
      holding: packed.reduce((sum, part) => sum + (part.sessionCounts.get(term)?.holding ?? 0), 0),
      frequencies: Float64Array.from(
        named,
        ({ shard, at }) => packed[shard]!.sessionCounts.get(term)?.frequencies[at] ?? 0,
      ),
    })
  const lengths = named.map(({ shard, at }) => packed[shard]!.sessions.lengths[at]!)
  const scores = new Float64Array(named.length)
  const ceiling = scoreSessions(plan, counts, { ...totals, lengths }, scores)
  const isScored = (_: unknown, i: number): boolean => scores[i]! > 0
  return { named: named.filter(isScored), scores: scores.filter(isScored), ceiling }
}

/** Orders rows best first, equal ones by their changes. */
export function byScore(a: BestRow, b: BestRow): number {
  return b.score - a.score || a.change - b.change
}

/** The best rows of one channel. @param lists by shard, each best first. */
export function bestOf(lists: readonly ShardRows[], depth: number): BestRow[] {
  const all = lists.flatMap(({ rows, scores, changes }, shard) =>
    Array.from(rows, (row, at) => ({ shard, at, row, score: scores[at]!, change: changes[at]! })),
  )
  return all.sort(byScore).slice(0, depth)
}

/** The rows of one shard among the best, in their order. */
export function keptIn(found: FoundRows, shard: number): Record<keyof FoundRows, RowScores> {
  const of = (best: readonly BestRow[]): RowScores => {
    const own = best.filter(row => row.shard === shard)
    return {
      rows: Uint32Array.from(own, ({ row }) => row),
      scores: Float64Array.from(own, ({ score }) => score),
    }
  }
  return { keyword: of(found.keyword), hints: of(found.hints), vector: of(found.vector) }
}
