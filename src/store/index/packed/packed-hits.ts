import type { ValueColumn } from '../rows/columns.js'
import type { WantedSessions } from '../rows/sessions.js'
import type { ChannelHit, IndexFacts, IndexHits } from '../search.js'
import type { RowScores } from './channel-search.js'
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
export interface PackedHits
  extends Omit<
    IndexHits,
    'keyword' | 'expansion' | 'coverage' | 'occurrences' | 'hints' | 'vector' | 'sessions' | 'facts'
  > {
  /** All texts one after another, and where each ends: first the ids of the rows with facts. */
  text: string
  ends: Uint32Array
  keyword: PackedScores
  expansion: PackedScores
  coverage: PackedScores
  occurrences: PackedScores
  hints: PackedScores
  vector: PackedScores
  sessions: PackedScores
  /**
   * Of each row with facts its author, its session, and the rows before and after it in that (places, -1 for none);
   * then its length and the mean length in its session, in terms.
   */
  facts: Int32Array
  /** Of each row with facts; none where entries have no sessions. */
  createdAt: Float64Array
}

const factWidth = 6
const none = -1
/** Rows begin at 1, and so do the numbers of authors and sessions. */
const nothing = 0

/** Turns rows that were found into `PackedHits`. */
export class HitsPacker {
  readonly #rows: PackedRows
  /** Places by row, and what stands beside the row of each place. */
  readonly #places = new Map<number, number>()
  readonly #before: number[] = []
  readonly #after: number[] = []
  readonly #texts: string[] = []
  readonly #ofAuthor = new Map<number, number>()
  readonly #ofSession = new Map<number, number>()

  /** @param channels every row that was found; those beside them in their sessions get facts too. */
  constructor(rows: PackedRows, channels: readonly RowScores[]) {
    this.#rows = rows
    for (const found of channels)
      for (let i = 0; i < found.length; i++) {
        const { mates, at } = rows.sessions?.placeOf(found[i]![0]) ?? { mates: [found[i]![0]], at: 0 }
        this.#admit(mates, at)
        this.#admit(mates, at - 1)
        this.#admit(mates, at + 1)
      }
  }

  /** Without the entries that were removed while the search went on. */
  hits(found: RowScores): PackedScores {
    const places: number[] = []
    const scores: number[] = []
    for (let i = 0; i < found.length; i++) {
      const place = this.#places.get(found[i]![0])
      if (place === undefined) continue
      places.push(place)
      scores.push(found[i]![1])
    }
    return { places: new Int32Array(places), scores: new Float64Array(scores) }
  }

  /** Sessions without a score are left out. @param wanted undefined where entries have no sessions. */
  sessions(wanted: WantedSessions | undefined): PackedScores {
    const places: number[] = []
    const positive: number[] = []
    const { numbers, scores } = wanted ?? { numbers: [], scores: [] }
    for (let i = 0; i < numbers.length; i++) {
      if (!(scores[i]! > 0)) continue
      places.push(this.#sessionPlace(numbers[i]!))
      positive.push(scores[i]!)
    }
    return { places: new Int32Array(places), scores: new Float64Array(positive) }
  }

  facts(): Pick<PackedHits, 'facts' | 'createdAt'> {
    const { sessions, author, content } = this.#rows
    if (!sessions) return { facts: new Int32Array(0), createdAt: new Float64Array(0) }
    const { key, time } = sessions.by
    const facts = new Int32Array(this.#places.size * factWidth)
    const createdAt = new Float64Array(this.#places.size)
    for (const [row, place] of this.#places) {
      const at = place * factWidth
      facts[at] = author ? this.#namePlace(this.#ofAuthor, author, author.numbers[row]!) : none
      facts[at + 1] = this.#sessionPlace(key.numbers[row]!)
      facts[at + 2] = this.#places.get(this.#before[place]!) ?? none
      facts[at + 3] = this.#places.get(this.#after[place]!) ?? none
      facts[at + 4] = content.forward.size(row)
      facts[at + 5] = sessions.meanLength(row)
      createdAt[place] = time.numbers[row]!
    }
    return { facts, createdAt }
  }

  /** Every text that was named; call it last. */
  texts(): Pick<PackedHits, 'text' | 'ends'> {
    const texts = this.#texts
    const ends = new Uint32Array(texts.length)
    let end = 0
    for (let i = 0; i < texts.length; i++) {
      end += texts[i]!.length
      ends[i] = end
    }
    return { text: texts.join(''), ends }
  }

  #admit(mates: readonly number[], at: number): void {
    const row = mates[at]
    if (row === undefined || this.#places.has(row) || this.#rows.columns.live[row] !== 1) return
    this.#add(this.#places, row, this.#rows.ids.of(row))
    this.#before.push(mates[at - 1] ?? nothing)
    this.#after.push(mates[at + 1] ?? nothing)
  }

  #sessionPlace(number: number): number {
    return this.#namePlace(this.#ofSession, this.#rows.sessions!.by.key, number)
  }

  /** @param places of the names of this column. */
  #namePlace(places: Map<number, number>, { values }: ValueColumn, number: number): number {
    if (number === nothing) return none
    return places.get(number) ?? this.#add(places, number, values.text(number))
  }

  #add(places: Map<number, number>, number: number, text: string): number {
    const place = this.#texts.push(text) - 1
    places.set(number, place)
    return place
  }
}

export function unpackHits(packed: PackedHits): IndexHits {
  const {
    text,
    ends,
    keyword,
    expansion,
    coverage,
    occurrences,
    hints,
    vector,
    sessions,
    facts,
    createdAt,
    ...rest
  } = packed
  const texts: string[] = []
  let start = 0
  for (const end of ends) {
    texts.push(text.slice(start, end))
    start = end
  }
  return {
    ...rest,
    keyword: hitsOf(texts, keyword),
    expansion: hitsOf(texts, expansion),
    coverage: hitsOf(texts, coverage),
    occurrences: hitsOf(texts, occurrences),
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
  for (let place = 0, at = 0; place < createdAt.length; place++, at += factWidth)
    byId.set(texts[place]!, {
      who: textAt(at),
      createdAt: createdAt[place]!,
      session: textAt(at + 1),
      previous: textAt(at + 2),
      next: textAt(at + 3),
      terms: facts[at + 4]!,
      sessionTerms: facts[at + 5]!,
    })
  return byId
}
