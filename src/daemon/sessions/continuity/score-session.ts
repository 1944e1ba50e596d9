import { queryStopWords, weakQueryWords } from '../../../store/index/words/analysis/stop-words.js'
import type { SessionEventRow } from '../../../store/tables/sessions/session-events.js'
import type { SessionName } from '../../../store/tables/sessions/sessions.js'
import { blackBoxOf } from '../../ground/sessions/black-box.js'
import type { Daemon } from '../../platform/daemon/daemon.js'

export type ContinuityDeps = Pick<Daemon, 'store' | 'blackBoxes' | 'clock' | 'newId' | 'log' | 'budget'>

/** Of a session that was shown more the first so many are judged. */
const maxMemories = 200

/**
 * Scores a session that has ended: how much of what it was shown it used (telemetry.md 7). Nothing is stored where nothing
 * can be said: it was shown nothing, or neither rated anything nor left a conversation. A fault costs the score alone.
 */
export async function scoreSession(deps: ContinuityDeps, name: SessionName): Promise<void> {
  try {
    await score(deps, name)
  } catch (error) {
    deps.log.warn({ err: error }, 'continuity of a session not scored')
  }
}

async function score(deps: ContinuityDeps, name: SessionName): Promise<void> {
  const { store, clock, newId, budget } = deps
  const { sessions, transcripts, continuityScores } = store.tables
  const session = await sessions.find(name)
  if (!session?.ended_at) return
  const events = await blackBoxOf(deps, name)
  const shown = await shownIn(store, name, events)
  if (shown.length === 0) return
  const used = new UsedMemories(shown)
  const transcript = await transcripts.find(name)
  if (!transcript && shown.every(({ rating }) => rating === null)) return
  for (let from = 0; transcript && from < transcript.messages; ) {
    const page = await transcripts.messages(transcript, from)
    if (page.length === 0) break
    for (const message of page) {
      used.hear(message)
      await budget.breathe()
    }
    from += page.length
  }
  const saved = savedIn(events)
  await continuityScores.put({
    id: newId(),
    agent_id: name.agentId,
    session_key: name.sessionKey,
    project: session.project,
    harness: session.harness,
    score: Math.round((used.used.size / shown.length) * 1000) / 1000,
    memories_recalled: shown.length,
    memories_used: used.used.size,
    novel_context_count: saved,
    reasoning: reasonOf({ shown, used: used.used, saved, heard: transcript !== undefined }),
    created_at: clock().toISOString(),
  })
}

/** Memories that a session was shown and that are still there, in the order in which it saw them. */
async function shownIn(
  { tables }: Pick<Daemon['store'], 'tables'>,
  name: SessionName,
  events: readonly SessionEventRow[],
): Promise<ShownMemory[]> {
  const first = new Map<string, string>()
  for (const { kind, refs, at } of events)
    if (kind === 'context.recalled' || kind === 'recall.result')
      for (const id of JSON.parse(refs) as string[]) if (!first.has(id)) first.set(id, at)
  const ids = [...first.keys()].slice(0, maxMemories)
  const ratings = new Map((await tables.recallLedger.recalledIn(name)).map(({ id, rating }) => [id, rating]))
  const rows = new Map((await tables.memories.load(ids)).map(row => [row.id, row]))
  return ids.flatMap(id => {
    const row = rows.get(id)
    if (!row || row.is_deleted === 1) return []
    return [{ id, content: row.content, shownAt: first.get(id) as string, rating: ratings.get(id) ?? null }]
  })
}

function savedIn(events: readonly SessionEventRow[]): number {
  const made = events.filter(({ kind }) => kind === 'assertion.created')
  return new Set(made.flatMap(({ refs }) => JSON.parse(refs) as string[])).size
}

interface Judged {
  shown: readonly ShownMemory[]
  used: ReadonlyMap<string, Use>
  saved: number
  heard: boolean
}

/** In counts, without a word of what was said. */
function reasonOf({ shown, used, saved, heard }: Judged): string {
  const count = (use: Use): number => [...used.values()].filter(one => one === use).length
  const harmful = shown.filter(({ rating }) => rating !== null && rating < 0).length
  return [
    `${used.size} of ${shown.length} memories that it was shown were used`,
    `${count('rated')} rated as helpful, ${count('named')} named by id, ${count('repeated')} repeated in replies`,
    ...(harmful > 0 ? [`${harmful} rated as harmful`] : []),
    ...(heard ? [] : ['no conversation was handed over: ratings alone count']),
    `${saved} saved anew`,
  ].join('; ')
}

/** A memory that a session was shown. */
export interface ShownMemory {
  id: string
  content: string
  /** ISO time of the first showing. */
  shownAt: string
  /** -1 to 1; null where it was not rated. */
  rating: number | null
}

export interface SaidMessage {
  role: string
  /** Null where the harness does not tell. */
  at: string | null
  text: string
}

/** How a memory was told to be used: by a rating, by its id, or by its words. */
type Use = 'rated' | 'named' | 'repeated'

/** Words of which any talk is made. */
const plainWords: ReadonlySet<string> = new Set([...queryStopWords, ...weakQueryWords])
/** Shorter words say little, unless they have a digit. */
const minLetters = 4
/** Words of a memory that are looked for: those of a long one are many. */
const maxWords = 200
/** Of these a reply has to have so large a share, and at least so many. */
const minShare = 0.5
const minWords = 2

/**
 * Finds out which memories a session used (telemetry.md 7): those it rated as helpful, those whose id a reply names, and
 * those of which a reply repeats half of the telling words, at least one of which nobody had said before. What was rated
 * as harmful was not used.
 */
export class UsedMemories {
  readonly #used = new Map<string, Use>()
  readonly #open = new Map<string, { memory: ShownMemory; words: ReadonlySet<string> }>()
  readonly #saidByUser = new Set<string>()

  constructor(shown: readonly ShownMemory[]) {
    for (const memory of shown) {
      if (memory.rating !== null && memory.rating !== 0) {
        if (memory.rating > 0) this.#used.set(memory.id, 'rated')
        continue
      }
      this.#open.set(memory.id, { memory, words: tellingWords(memory.content) })
    }
  }

  get used(): ReadonlyMap<string, Use> {
    return this.#used
  }

  /** Takes what was said, in its order. */
  hear({ role, at, text }: SaidMessage): void {
    if (this.#open.size === 0) return
    const words = wordsOf(text)
    if (role === 'user') {
      for (const word of words) this.#saidByUser.add(word)
      return
    }
    if (role !== 'assistant') return
    for (const [id, { memory, words: telling }] of this.#open) {
      if (at !== null && at < memory.shownAt) continue
      const use = text.includes(id) ? 'named' : this.#repeats(words, telling) ? 'repeated' : undefined
      if (!use) continue
      this.#used.set(id, use)
      this.#open.delete(id)
    }
  }

  #repeats(said: ReadonlySet<string>, telling: ReadonlySet<string>): boolean {
    const repeated = [...telling].filter(word => said.has(word))
    const isEnough = repeated.length >= Math.max(minWords, telling.size * minShare)
    return isEnough && repeated.some(word => !this.#saidByUser.has(word))
  }
}

function tellingWords(text: string): ReadonlySet<string> {
  return new Set(
    [...wordsOf(text)]
      .filter(word => (word.length >= minLetters || /\d/u.test(word)) && !plainWords.has(word))
      .slice(0, maxWords),
  )
}

function wordsOf(text: string): Set<string> {
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [])
}
