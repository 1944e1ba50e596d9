import { dayMs } from '../../../lib/time/time.js'
import type { Caller } from '../../ground/visibility/caller.js'
import { judgementFactor } from '../../memory/recall/ranking/steps.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import type { HookSession } from '../tracker/enter-hook.js'
import {
  type BestMemory,
  bestMemories,
  createAlikeFinder,
  isWrong,
  type ScoreOptions,
  viewOf,
} from './session-memories.js'

type Deps = Pick<Daemon, 'store' | 'clock' | 'projects'>

/** Why a memory has its place: it guides every session, is an open issue, or has the best score. */
export type StartPlace = 'guide' | 'issue' | 'newest'

/** In the order of the text. */
export const startPlaces: readonly StartPlace[] = ['guide', 'issue', 'newest']

export interface ChosenMemory extends BestMemory {
  place: StartPlace
}

/**
 * Why a candidate is not chosen: a person marked it as wrong, it says the same as a chosen one, the last
 * sessions got it in vain, or better ones have the places.
 */
export type NotChosen = { reason: 'alike'; alikeTo: string } | { reason: 'wrong' | 'unused' | 'full' }

export type DisplacedMemory = ChosenMemory & NotChosen

export interface MemoryChoice {
  /** In the order of the text. */
  chosen: readonly ChosenMemory[]
  /** Candidates that others displaced, best first in each kind of place. */
  displaced: readonly DisplacedMemory[]
  /** Number of memories of this project and of none, up to `countedMemories`. */
  total: number
}

const ruleTypes: readonly string[] = ['rule', 'preference']
const decisionType = 'decision'
/** Types that apply in every session of a project. */
export const guideTypes: readonly string[] = [...ruleTypes, decisionType]
const issueType = 'issue'
/** Share of the places that is kept for issues. */
const issueShare = 0.3
/** An issue that nobody spoke of for longer is rarely open, and then waits behind the guides. */
const openForMs = 30 * dayMs
/** Share of the places for others that are worth more than the guides that wait for a place. */
const newestShare = 0.1
/** A repeated statement comes as many turns earlier. */
const turnsOfRepeat = 2
/** Candidates for each place, since some are alike. */
const candidatesPerPlace = 3
/** More candidates among what holds until it is changed, since much of it is said again. */
const lastingPerPlace = 8
export const countedMemories = 5000
/** A memory gives way after as many sessions that did not use it. */
const unusedSessions = 3

/**
 * Chooses the memories of a session's start (rules.md 4.12): up to half of the places for pinned memories,
 * rules, preferences and decisions, then open issues, then others that proved their worth. Places that one
 * kind leaves free go to the others. Alike memories appear once. A memory that the last three sessions got
 * and never used gives way, unless it guides every session. One that a person marked as wrong is never
 * chosen.
 */
export async function chooseMemories(
  deps: Deps,
  caller: Caller,
  session: HookSession,
  { limit, ...options }: ScoreOptions,
): Promise<MemoryChoice> {
  if (limit <= 0) return { chosen: [], displaced: [], total: 0 }
  const view = await viewOf(deps, caller, session)
  const lasting = (types: readonly string[]) =>
    bestMemories(deps, view, { ...options, limit: limit * lastingPerPlace, types, isAgeless: true })
  const [best, rules, decisions, issues, total] = await Promise.all([
    bestMemories(deps, view, { ...options, limit: limit * candidatesPerPlace }),
    lasting(ruleTypes),
    lasting([decisionType]),
    lasting([issueType]),
    deps.store.tables.memories.countTold(view.boundary, session.project, countedMemories),
  ])
  const unused = await toldInVain(deps, session, [...best, ...issues])
  const guides = inOrder([rules, decisions.filter(({ preview }) => preview.type === decisionType)])
  const candidates = { best, guides, issues: inOrder([issues]), unused }
  return { ...pickPlaces(candidates, { limit, now: deps.clock() }), total }
}

/**
 * Orders what holds until it is changed: pinned, then by importance, which judgements of people weigh. Among
 * equals the newest come first, with the kinds in turns. Repeated statements come some turns earlier, because
 * people repeat what matters to them; decisions about one file come last. Age itself does not count: an old
 * rule applies as much as one of today.
 * @param kinds each with the most important and newest first
 */
function inOrder(kinds: readonly (readonly BestMemory[])[]): BestMemory[] {
  return kinds
    .flatMap((kind, position) => {
      const said = timesSaid(kind)
      return kind.map((memory, n) => {
        const { turn = n, times = 1 } = said[n] ?? {}
        const after = isOfOneFile(memory) ? kind.length : 0
        const order = after + turn - (times > 1 ? turnsOfRepeat : 0)
        // Rules come twice as often as decisions, of which there are more.
        const at = order * (1 + position) + 1.5 * position
        return { memory, at }
      })
    })
    .sort(
      (one, other) =>
        Number(other.memory.isPinned) - Number(one.memory.isPinned) ||
        weightOf(other.memory) - weightOf(one.memory) ||
        one.at - other.at,
    )
    .map(({ memory }) => memory)
}

const filePath = /(?:^|[\s`'"(])[\w.-]+(?:\/[\w.-]+)+\.[a-z]\w{0,5}\b|\bline \d+\b/u

/** True for a decision about one file, which matters when somebody opens it. */
function isOfOneFile({ preview: { type, content } }: BestMemory): boolean {
  return type === decisionType && filePath.test(content)
}

function isOlder(createdAt: string, ageMs: number, now: Date): boolean {
  return now.getTime() - Date.parse(createdAt) > ageMs
}

function weightOf({ preview, judged }: BestMemory): number {
  return preview.importance * judgementFactor(judged)
}

/** Returns for each memory how many say the same, and how many others come before the first of them. */
function timesSaid(memories: readonly BestMemory[]): readonly { turn: number; times: number }[] {
  const findAlike = createAlikeFinder()
  const said = new Map<string, { turn: number; times: number }>()
  return memories.map(({ preview: { id, content } }) => {
    const first = findAlike(content, id) ?? id
    const known = said.get(first) ?? { turn: said.size, times: 0 }
    known.times++
    said.set(first, known)
    return known
  })
}

interface Candidates {
  best: readonly BestMemory[]
  guides: readonly BestMemory[]
  issues: readonly BestMemory[]
  /** Ids that give way. */
  unused: ReadonlySet<string>
}

function pickPlaces(
  { best, guides, issues, unused }: Candidates,
  { limit, now }: { limit: number; now: Date },
): Pick<MemoryChoice, 'chosen' | 'displaced'> {
  const taken: ChosenMemory[] = []
  const alike = new Map<string, string>()
  const findAlike = createAlikeFinder()
  const isTaken = ({ preview }: BestMemory) => taken.some(one => one.preview.id === preview.id)
  const take = (pool: readonly BestMemory[], place: StartPlace, places: number): void => {
    let left = Math.min(places, limit - taken.length)
    for (const memory of pool) {
      if (left <= 0) break
      if (isTaken(memory) || isWrong(memory)) continue
      const { id, content } = memory.preview
      const same = findAlike(content, id)
      if (same !== undefined) {
        alike.set(id, same)
        continue
      }
      taken.push({ ...memory, place })
      left--
    }
  }
  const isUnused = ({ preview }: BestMemory) => unused.has(preview.id)
  const fresh = (pool: readonly BestMemory[]) => pool.filter(one => !isUnused(one))
  const openIssues = issues.filter(one => placeOf(one) === 'issue')
  const others = best.filter(one => placeOf(one) === 'newest')
  take(guides, 'guide', Math.ceil(limit / 2))
  const waiting = guides.find(one => !isTaken(one) && !isWrong(one) && !alike.has(one.preview.id))
  const isWorthIt = (one: BestMemory) => !waiting || isWorthMore(one, waiting)
  const urgent = openIssues.filter(one => !isOlder(one.preview.created_at, openForMs, now) || isWorthIt(one))
  take(fresh(urgent), 'issue', Math.ceil(limit * issueShare))
  const proved = fresh(others).filter(isWorthIt)
  take(proved, 'newest', Math.ceil(limit * newestShare))
  take(guides, 'guide', limit)
  take(fresh(openIssues), 'issue', limit)
  take(fresh(others), 'newest', limit)
  take([...openIssues, ...others].filter(isUnused), 'newest', limit)
  const chosen = startPlaces.flatMap(place => taken.filter(one => one.place === place))
  const displaced = [...guides, ...openIssues, ...others]
    .filter(one => !isTaken(one))
    .map(one => ({ ...one, place: placeOf(one), ...reasonOf(one, { alike, unused }) }))
  return { chosen, displaced }
}

/**
 * True for a memory that somebody recalled or called helpful, or that is more important than a guide without
 * a place. The last note of a day's work is none of these, and a rule still holds tomorrow.
 */
function isWorthMore(other: BestMemory, waiting: BestMemory): boolean {
  return other.uses > 0 || other.judged > 0 || weightOf(other) > weightOf(waiting)
}

function reasonOf(
  memory: BestMemory,
  { alike, unused }: { alike: ReadonlyMap<string, string>; unused: ReadonlySet<string> },
): NotChosen {
  const { id } = memory.preview
  if (isWrong(memory)) return { reason: 'wrong' }
  const alikeTo = alike.get(id)
  if (alikeTo !== undefined) return { reason: 'alike', alikeTo }
  return { reason: unused.has(id) ? 'unused' : 'full' }
}

/** Returns the kind of place for which a memory is a candidate. */
export function placeOf(memory: BestMemory): StartPlace {
  if (isGuide(memory)) return 'guide'
  return memory.preview.type === issueType ? 'issue' : 'newest'
}

/** True for what applies in every session: pinned memories, rules, preferences and decisions. */
export function isGuide({ isPinned, preview }: BestMemory): boolean {
  return isPinned || guideTypes.includes(preview.type)
}

/** The ids that each of the last sessions of this project got and that nobody ever used. */
async function toldInVain(
  { store }: Pick<Daemon, 'store'>,
  { agentId, project, name }: HookSession,
  candidates: readonly BestMemory[],
): Promise<ReadonlySet<string>> {
  if (project === null || candidates.length === 0) return new Set()
  const { sessionEvents, accesses } = store.tables
  const starts = await sessionEvents.lastStarts(
    { agentId, project, except: name?.sessionKey },
    unusedSessions,
  )
  if (starts.length < unusedSessions) return new Set()
  const shown = starts.map(one => new Set(one.starts.flatMap(({ refs }) => JSON.parse(refs) as string[])))
  const told = candidates.filter(
    ({ preview, isPinned }) => !isPinned && shown.every(ids => ids.has(preview.id)),
  )
  const rows = told.map(({ preview: { id }, uses }) => ({ id, access_count: uses, last_accessed: null }))
  const counted = await accesses.counted(rows)
  return new Set(counted.filter(row => row.access_count === 0).map(({ id }) => id))
}
