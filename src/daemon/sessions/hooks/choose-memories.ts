import type { Caller } from '../../ground/visibility/caller.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import type { HookSession } from '../tracker/enter-hook.js'
import {
  type BestMemory,
  bestMemories,
  createAlikeFilter,
  type ScoreOptions,
  viewOf,
} from './session-memories.js'

type Deps = Pick<Daemon, 'store' | 'clock' | 'projects'>

/** Why a memory has its place: it guides every session, is an open issue, or has the best score. */
export type StartPlace = 'guide' | 'issue' | 'newest'

export interface ChosenMemory extends BestMemory {
  place: StartPlace
}

export interface MemoryChoice {
  /** In the order of the text. */
  chosen: readonly ChosenMemory[]
  /** Number of memories of this project and of none, up to `countedMemories`. */
  total: number
}

/** Types that apply in every session of a project. */
export const guideTypes: readonly string[] = ['rule', 'preference', 'decision']
const issueType = 'issue'
/** Share of the places that is kept for issues. */
const issueShare = 0.3
/** Candidates for each place, since some are alike. */
const candidatesPerPlace = 3
export const countedMemories = 5000
/** A memory gives way after as many sessions that did not use it. */
const unusedSessions = 3

/**
 * Chooses the memories of a session's start (rules.md 4.12): up to half of the places for pinned memories,
 * rules, preferences and decisions, then open issues, then the rest, each by score. Places that one kind
 * leaves free go to the others. Alike memories appear once. A memory that the last three sessions got and
 * never used gives way, unless it guides every session.
 */
export async function chooseMemories(
  deps: Deps,
  caller: Caller,
  session: HookSession,
  { limit, ...options }: ScoreOptions,
): Promise<MemoryChoice> {
  if (limit <= 0) return { chosen: [], total: 0 }
  const wanted = { ...options, limit: limit * candidatesPerPlace }
  const view = await viewOf(deps, caller, session)
  const scored = (types?: readonly string[]) => bestMemories(deps, view, { ...wanted, types })
  const [best, guides, issues, total] = await Promise.all([
    scored(),
    scored(guideTypes),
    scored([issueType]),
    deps.store.tables.memories.countTold(view.boundary, session.project, countedMemories),
  ])
  const unused = await toldInVain(deps, session, [...best, ...issues])
  return { chosen: pickPlaces({ best, guides, issues, unused }, limit), total }
}

interface Candidates {
  best: readonly BestMemory[]
  guides: readonly BestMemory[]
  issues: readonly BestMemory[]
  /** Ids that give way. */
  unused: ReadonlySet<string>
}

function pickPlaces({ best, guides, issues, unused }: Candidates, limit: number): ChosenMemory[] {
  const taken: ChosenMemory[] = []
  const isNew = createAlikeFilter()
  const take = (pool: readonly BestMemory[], place: StartPlace, places: number): void => {
    let left = Math.min(places, limit - taken.length)
    for (const memory of pool) {
      if (left <= 0) break
      const { id, content } = memory.preview
      if (taken.some(({ preview }) => preview.id === id) || !isNew(content)) continue
      taken.push({ ...memory, place })
      left--
    }
  }
  const isUnused = ({ preview }: BestMemory) => unused.has(preview.id)
  const fresh = (pool: readonly BestMemory[]) => pool.filter(one => !isUnused(one))
  const openIssues = issues.filter(({ preview }) => preview.type === issueType)
  const others = best.filter(one => !isGuide(one) && one.preview.type !== issueType)
  take(guides, 'guide', Math.ceil(limit / 2))
  take(fresh(openIssues), 'issue', Math.ceil(limit * issueShare))
  take(fresh(others), 'newest', limit)
  take(guides, 'guide', limit)
  take(fresh(openIssues), 'issue', limit)
  take([...openIssues, ...others].filter(isUnused), 'newest', limit)
  const places: readonly StartPlace[] = ['guide', 'issue', 'newest']
  return places.flatMap(place => taken.filter(one => one.place === place))
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
  const told = candidates.filter(
    ({ preview, isPinned }) => !isPinned && starts.every(ids => ids.includes(preview.id)),
  )
  const rows = told.map(({ preview: { id }, uses }) => ({ id, access_count: uses, last_accessed: null }))
  const counted = await accesses.counted(rows)
  return new Set(counted.filter(row => row.access_count === 0).map(({ id }) => id))
}
