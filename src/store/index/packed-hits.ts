import type { RowScores } from './channel-search.js'
import type { ChannelHit, IndexFacts, IndexHits } from './memory-index.js'
import type { PackedRows } from './packed-rows.js'

/** Places of texts, and a score for each. */
interface PackedScores {
  places: Int32Array
  scores: Float64Array
}

/**
 * What a search found, as few arrays: every text once, all else numbers. It costs little to make and little to copy to
 * another thread, where a thousand small objects would cost as much as the search itself.
 */
export interface PackedHits extends Omit<IndexHits, 'keyword' | 'hints' | 'vector' | 'sessions' | 'facts'> {
  /** All texts one after another, and where each ends. */
  text: string
  ends: Uint32Array
  keyword: PackedScores
  hints: PackedScores
  vector: PackedScores
  sessions: PackedScores
  /** For each row its id, author, session and the ids before and after it in that: places, -1 for none. */
  facts: Int32Array
  /** Of each row with facts. */
  createdAt: Float64Array
}

const factWidth = 5
const none = -1

/** Texts on their way into `PackedHits`: rows by their ids, and what authors and sessions are called. */
export class HitsPacker {
  readonly #rows: PackedRows
  readonly #texts: string[] = []
  readonly #ofRow = new Map<number, number>()
  readonly #ofWho = new Map<number, number>()
  readonly #ofSession = new Map<number, number>()

  constructor(rows: PackedRows) {
    this.#rows = rows
  }

  /** Without the memories that were removed while the search went on. */
  hits(found: RowScores): PackedScores {
    const { live } = this.#rows.columns
    const places: number[] = []
    const scores: number[] = []
    for (const [row, score] of found) {
      if (live[row] !== 1) continue
      places.push(this.#rowPlace(row))
      scores.push(score)
    }
    return { places: new Int32Array(places), scores: new Float64Array(scores) }
  }

  /** @param numbers of sessions; those without a score are left out. */
  sessions(numbers: readonly number[], scores: Float64Array): PackedScores {
    const places: number[] = []
    const positive: number[] = []
    for (let i = 0; i < numbers.length; i++) {
      if (!(scores[i]! > 0)) continue
      places.push(this.#sessionPlace(numbers[i]!))
      positive.push(scores[i]!)
    }
    return { places: new Int32Array(places), scores: new Float64Array(positive) }
  }

  /** What ranking may know of rows that were found and of those beside them in their sessions. */
  factsAround(channels: readonly RowScores[]): Pick<PackedHits, 'facts' | 'createdAt'> {
    const { columns, sessions } = this.#rows
    const facts: number[] = []
    const createdAt: number[] = []
    const seen = new Set<number>()
    const note = (mates: readonly number[], at: number): void => {
      const row = mates[at]
      if (row === undefined || seen.has(row) || columns.live[row] !== 1) return
      seen.add(row)
      facts.push(
        this.#rowPlace(row),
        this.#whoPlace(columns.enums.who.numbers[row]!),
        this.#sessionPlace(columns.enums.session.numbers[row]!),
        this.#rowPlace(mates[at - 1]),
        this.#rowPlace(mates[at + 1]),
      )
      createdAt.push(columns.numbers.createdAt[row]!)
    }
    for (const channel of channels)
      for (const [row] of channel) {
        const { mates, at } = sessions.placeOf(row)
        note(mates, at)
        note(mates, at - 1)
        note(mates, at + 1)
      }
    return { facts: new Int32Array(facts), createdAt: new Float64Array(createdAt) }
  }

  /** Every text that was named; call it last. */
  texts(): Pick<PackedHits, 'text' | 'ends'> {
    const ends = new Uint32Array(this.#texts.length)
    let end = 0
    for (const [i, text] of this.#texts.entries()) {
      end += text.length
      ends[i] = end
    }
    return { text: this.#texts.join(''), ends }
  }

  #rowPlace(row: number | undefined): number {
    if (row === undefined) return none
    return this.#ofRow.get(row) ?? this.#add(this.#ofRow, row, this.#rows.ids.of(row))
  }

  #whoPlace(number: number): number {
    if (number === 0) return none
    const { values } = this.#rows.columns.enums.who
    return this.#ofWho.get(number) ?? this.#add(this.#ofWho, number, values.text(number))
  }

  #sessionPlace(number: number): number {
    if (number === 0) return none
    const { values } = this.#rows.columns.enums.session
    return this.#ofSession.get(number) ?? this.#add(this.#ofSession, number, values.text(number))
  }

  #add(places: Map<number, number>, number: number, text: string): number {
    const place = this.#texts.push(text) - 1
    places.set(number, place)
    return place
  }
}

export function unpackHits(packed: PackedHits): IndexHits {
  const { text, ends, keyword, hints, vector, sessions, facts, createdAt, ...rest } = packed
  const texts: string[] = []
  let start = 0
  for (const end of ends) {
    texts.push(text.slice(start, end))
    start = end
  }
  return {
    ...rest,
    keyword: hitsOf(texts, keyword),
    hints: hitsOf(texts, hints),
    vector: hitsOf(texts, vector),
    sessions: new Map(hitsOf(texts, sessions).map(({ id, score }) => [id, score])),
    facts: unpackFacts(texts, facts, createdAt),
  }
}

function hitsOf(texts: readonly string[], { places, scores }: PackedScores): ChannelHit[] {
  const hits: ChannelHit[] = []
  for (let i = 0; i < places.length; i++) hits.push({ id: texts[places[i]!]!, score: scores[i]! })
  return hits
}

function unpackFacts(
  texts: readonly string[],
  facts: Int32Array,
  createdAt: Float64Array,
): ReadonlyMap<string, IndexFacts> {
  const textAt = (at: number): string | null => (facts[at] === none ? null : texts[facts[at]!]!)
  const byId = new Map<string, IndexFacts>()
  for (let row = 0, at = 0; row < createdAt.length; row++, at += factWidth)
    byId.set(texts[facts[at]!]!, {
      who: textAt(at + 1),
      createdAt: createdAt[row]!,
      session: textAt(at + 2),
      previous: textAt(at + 3),
      next: textAt(at + 4),
    })
  return byId
}
