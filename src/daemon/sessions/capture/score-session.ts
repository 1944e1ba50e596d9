import { queryStopWords, weakQueryWords } from '../../../store/index/words/analysis/stop-words.js'
import type { SessionEventRow } from '../../../store/tables/sessions/session-events.js'
import type { SessionName } from '../../../store/tables/sessions/sessions.js'
import { blackBoxOf } from '../../ground/sessions/black-box.js'
import type { Daemon } from '../../platform/daemon/daemon.js'

export type ContinuityDeps = Pick<Daemon, 'store' | 'blackBoxes' | 'clock' | 'newId' | 'log' | 'budget'>

/** Maximum number of shown memories that are judged, in the order of their showing. */
const maxMemories = 200

/**
 * Scores an ended session: the share of shown memories that it used (telemetry.md 7). Stores nothing when the
 * session was shown nothing, or has neither ratings nor a conversation. An error affects only the score.
 */
export async function scoreSession(deps: ContinuityDeps, name: SessionName): Promise<void> {
  try {
    await score(deps, name)
  } catch (error) {
    deps.log.warn({ err: error }, 'session continuity score failed')
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

/** Memories shown to a session that still exist, in the order of their first showing. */
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

interface ScoreInput {
  shown: readonly ShownMemory[]
  used: ReadonlyMap<string, MemoryUse>
  saved: number
  heard: boolean
}

/** A summary in counts, without content. */
function reasonOf({ shown, used, saved, heard }: ScoreInput): string {
  const count = (use: MemoryUse): number => [...used.values()].filter(one => one === use).length
  const harmful = shown.filter(({ rating }) => rating !== null && rating < 0).length
  return [
    `${used.size} of ${shown.length} shown memories were used`,
    `${count('rated')} rated as helpful, ${count('named')} named by id, ${count('repeated')} repeated in replies`,
    ...(harmful > 0 ? [`${harmful} rated as harmful`] : []),
    ...(heard ? [] : ['no conversation was captured, so only ratings count']),
    `new memories saved: ${saved}`,
  ].join('; ')
}

/** A memory that a session was shown. */
export interface ShownMemory {
  id: string
  content: string
  /** ISO time of the first showing. */
  shownAt: string
  /** -1 to 1; null without a rating. */
  rating: number | null
}

export interface ConversationMessage {
  role: string
  /** Null when the harness does not report it. */
  at: string | null
  text: string
}

/** Evidence of use: a rating, the memory's id, or its words in a reply. */
type MemoryUse = 'rated' | 'named' | 'repeated'

/** Words of any conversation. */
const plainWords: ReadonlySet<string> = new Set([...queryStopWords, ...weakQueryWords])
/** Shorter words mean little, unless they contain a digit. */
const minLetters = 4
/** Maximum words of a memory to look for. */
const maxWords = 200
/** Minimum share and number of these words in a reply. */
const minShare = 0.5
const minWords = 2

/**
 * Finds the memories that a session used (telemetry.md 7): rated helpful, named by id in a reply, or repeated
 * with half of their distinctive words, at least one of which the user had not said before. Memories rated
 * harmful count as unused.
 */
export class UsedMemories {
  readonly #used = new Map<string, MemoryUse>()
  readonly #open = new Map<string, { memory: ShownMemory; words: ReadonlySet<string> }>()
  readonly #saidByUser = new Set<string>()

  constructor(shown: readonly ShownMemory[]) {
    for (const memory of shown) {
      if (memory.rating !== null && memory.rating !== 0) {
        if (memory.rating > 0) this.#used.set(memory.id, 'rated')
        continue
      }
      this.#open.set(memory.id, { memory, words: distinctiveWords(memory.content) })
    }
  }

  get used(): ReadonlyMap<string, MemoryUse> {
    return this.#used
  }

  /** Takes the messages in order. */
  hear({ role, at, text }: ConversationMessage): void {
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

function distinctiveWords(text: string): ReadonlySet<string> {
  return new Set(
    [...wordsOf(text)]
      .filter(word => (word.length >= minLetters || /\d/u.test(word)) && !plainWords.has(word))
      .slice(0, maxWords),
  )
}

function wordsOf(text: string): Set<string> {
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [])
}
