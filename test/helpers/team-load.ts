import { availableParallelism, loadavg } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import { askOnce, askUntil, type Failures, type Member, type Reply } from './team-of-daemons.js'
import { fileOf, memoryLine } from './transfer.js'

/** Works of several clients beside each other, and all that daemons acknowledged to them. */
export interface TeamLoad {
  /** Ids by text. */
  saved: Map<string, string>
  imported: Map<string, string>
  forgotten: Set<string>
  /** Ids of receipts and the number of turns, by session. */
  sessions: Map<string, { job: string; turns: number; word: string }>
  prompts: number
  /** Milliseconds from the answer of a write until another daemon has it, without a fault meanwhile. */
  seenMs: number[]
  /** The same with a fault meanwhile, of which that daemon had to recover. */
  seenAfterFaultMs: number[]
  /** Answers without a change that they had to have. */
  late: string[]
  /** Answers that said that they lack the change that was asked for. */
  behind: number
  failures: Failures
  /** When the last fault was over; Infinity during one. */
  calmSince: number
  end(): Promise<void>
}

const recallPath = '/api/memory/recall'
/** Words of the same place and number have a further one in common. */
const textOf = (word: string): string => `crane ${word} lifts containers to ${groupOf(word)}`

/** Returns the word that all texts have that were written by one daemon's clients at the same turn. */
export const groupOf = (word: string): string => word.replace(/^[a-z](?<turn>\d+n\d+).*$/u, 'quay$<turn>')

/** Two seconds in a run by itself, longer on a busy machine; two minutes beside other tests. */
export const soonMs = (): number =>
  process.env.SERVICE_FOLLOW_SECONDS === undefined
    ? 120_000
    : 2000 * Math.max(1, (loadavg()[0] ?? 0) / availableParallelism())

type State = Omit<TeamLoad, 'end'> & {
  members: readonly Member[]
  isOver: boolean
  forgettable: SavedMemory[]
}

interface SavedMemory {
  word: string
  id: string
}

/** Loads each daemon with saves, recalls, sessions, forgets and imports until `end`. */
export function loadTeam(members: readonly Member[], failures: Failures): TeamLoad {
  const state: State = {
    ...{ members, failures, isOver: false, prompts: 0, behind: 0, calmSince: 0 },
    ...{ saved: new Map(), imported: new Map(), sessions: new Map(), forgotten: new Set() },
    ...{ seenMs: [], seenAfterFaultMs: [], late: [], forgettable: [] },
  }
  const works = members.flatMap((_, place) =>
    [saves, savesBeside, forgets, sessions, imports].map(async work => {
      for (let number = 0; !state.isOver; number++) await work(state, place, number)
    }),
  )
  return Object.assign(state, {
    end: async () => {
      state.isOver = true
      await Promise.all(works)
    },
  })
}

const memberAt = ({ members }: State, place: number): Member => members[place % members.length] as Member

/** Saves a memory, and looks for it at each daemon. */
async function saves(state: State, place: number, number: number): Promise<void> {
  const [own, next, third] = [0, 1, 2].map(further => memberAt(state, place + further)) as [
    Member,
    Member,
    Member,
  ]
  const word = `w${place}n${number}`
  const { id, change, writtenAt } = await save(state, own, word)
  const mine = await recalled(state, own, word)
  if (!mine.ids.includes(id)) state.late.push(`${word} ${id} is missing at its writer ${own.name}`)
  const [asked, others] = number % 2 === 0 ? [next, third] : [third, next]
  const reading = await recalled(state, asked, word, change)
  if (reading.isBehind) state.behind++
  else if (change > 0 && !reading.ids.includes(id))
    state.late.push(`${word} ${id} is missing at ${asked.name}, which was asked for change ${change}`)
  await seen(state, others, { word, id }, { writtenAt, isThere: true })
  if (number % 3 === 0) state.forgettable.push({ word, id })
}

/** Saves without looks, for saves that share transactions. */
async function savesBeside(state: State, place: number, number: number): Promise<void> {
  await save(state, memberAt(state, place), `v${place}n${number}`)
  await delay(50)
}

async function save(state: State, at: Member, word: string) {
  const body = { content: textOf(word) }
  const reply = await askUntil(at, '/api/memory/remember', { body }, state.failures)
  const id = String(reply.body.id)
  state.saved.set(body.content, id)
  return { id, change: reply.change, writtenAt: performance.now() }
}

async function recalled(state: State, at: Member, word: string, after?: number) {
  const body = { query: word, limit: 5 }
  const reply = await askUntil(at, recallPath, { body, after }, state.failures)
  return { ...reply, ids: idsOf(reply) }
}

export function idsOf({ body }: Reply): string[] {
  return (body.results as { id: string }[]).map(({ id }) => id)
}

/** Asks a daemon until it has a change of another one. */
async function seen(
  state: State,
  at: Member,
  { word, id }: SavedMemory,
  { writtenAt, isThere }: { writtenAt: number; isThere: boolean },
): Promise<void> {
  const isCalm = (): boolean => state.calmSince <= writtenAt
  for (let isLate = false; ; await delay(20)) {
    const { ids, askedAt } = await recalled(state, at, word)
    if (ids.includes(id) === isThere) break
    if (!isCalm() || isLate || askedAt - writtenAt < soonMs()) continue
    isLate = true
    const what = isThere ? 'saved' : 'forgotten'
    state.late.push(`${word} ${id} was ${what} ${Math.round(askedAt - writtenAt)} ms before ${at.name} read`)
  }
  const found = isCalm() ? state.seenMs : state.seenAfterFaultMs
  found.push(performance.now() - writtenAt)
}

async function forgets(state: State, place: number): Promise<void> {
  const chosen = state.forgettable.shift()
  if (!chosen) return void (await delay(100))
  const path = `/api/memory/${chosen.id}?reason=old`
  // After a lost answer the memory may be gone already.
  const ask = { method: 'DELETE', accepts: [404, 409] } as const
  const { status, tries } = await askUntil(memberAt(state, place), path, ask, state.failures)
  if (status >= 400 && tries === 1) state.failures.unexpected.push(`${path} answered ${status} at first`)
  const writtenAt = performance.now()
  state.forgotten.add(chosen.id)
  await seen(state, memberAt(state, place + 1), chosen, { writtenAt, isThere: false })
}

/** A session with prompts, which ends with its conversation. */
async function sessions(state: State, place: number, number: number): Promise<void> {
  const at = memberAt(state, place)
  const key = `session-${place}-${number}`
  const fields = { harness: 'claude-code', sessionKey: key, project: '/work/harbour' }
  await askUntil(at, '/api/hooks/session-start', { body: fields }, state.failures)
  const prompts = [0, 1, 2].map(prompt => `which crane lifted s${place}n${number}p${prompt}`)
  for (const userMessage of prompts) {
    await delay(200)
    const body = { ...fields, userMessage }
    if (await askOnce(at, '/api/hooks/user-prompt-submit', { body }, state.failures)) state.prompts++
  }
  const transcript = prompts.flatMap(text => [
    { role: 'user', text },
    { role: 'assistant', text: `${text}: the one at the quay` },
  ])
  const { body } = await askUntil(
    at,
    '/api/hooks/session-end',
    { body: { ...fields, transcript } },
    state.failures,
  )
  const job = String(body.transcriptCaptureJobId)
  state.sessions.set(key, { job, turns: transcript.length, word: `s${place}n${number}p0` })
}

const importedTogether = 20

async function imports(state: State, place: number, number: number): Promise<void> {
  const own = memberAt(state, place)
  const words = Array.from({ length: importedTogether }, (_, row) => `i${place}n${number}r${row}`)
  const body = fileOf(...words.map(word => memoryLine(`id-${word}`, { content: textOf(word) })))
  await askUntil(own, '/api/import', { body }, state.failures)
  const writtenAt = performance.now()
  for (const word of words) state.imported.set(textOf(word), `id-${word}`)
  const word = words.at(-1) as string
  await seen(state, memberAt(state, place + 1), { word, id: `id-${word}` }, { writtenAt, isThere: true })
  await delay(2000)
}
