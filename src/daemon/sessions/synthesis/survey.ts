import { setImmediate as nextTurn } from 'node:timers/promises'
import { memoryTypes } from '../../../contract/ground/wire-names.js'
import { dayMs } from '../../../lib/time/time.js'
import type { ReadBoundary } from '../../../store/tables/memory/memory-filter.js'
import type { OverviewMemory } from '../../../store/tables/memory/memory-overview.js'
import type { SummaryNodeRow } from '../../../store/tables/sessions/summary-nodes.js'
import type { Daemon } from '../../platform/daemon/daemon.js'

type Deps = Pick<Daemon, 'store' | 'clock' | 'projects'>

/** The agent whose sessions, and the boundary of memories, that a survey covers. */
export interface SurveyScope {
  agentId: string
  boundary: ReadBoundary
}

/** A credential limited to a user sees no conversations and no summaries of them. */
export function mayReadNodes({ only }: ReadBoundary): boolean {
  return only?.who === undefined
}

/** A project with its memories and sessions. */
export interface ProjectSurvey {
  /** Null for memories and sessions without a project. */
  project: string | null
  /** Time of the last memory or session. */
  lastAt: string
  /** Memories by type; types without any are left out. */
  counts: ReadonlyMap<string, number>
  /** Newest first. */
  decisions: readonly OverviewMemory[]
  rules: readonly OverviewMemory[]
  issues: readonly OverviewMemory[]
  /** Newest first: heads of its sessions and summaries of their compactions. */
  nodes: readonly SummaryNodeRow[]
}

export interface Survey {
  /** Most recently active first. */
  projects: readonly ProjectSurvey[]
  /** Pinned memories, then rules, decisions and preferences by decayed importance (rules.md 1.4). */
  durable: readonly OverviewMemory[]
  /** Newest first. */
  nodes: readonly SummaryNodeRow[]
}

/** Limits of a survey, whatever the size of the store. */
const maxProjects = 10
const maxKnownProjects = 2000
const maxNodes = 200
const maxCandidates = 100
const maxDurable = 60
const newestPerType = 8

/** Collects everything that may be shared, in steps that each block the event loop for a few milliseconds. */
export async function survey(deps: Deps, scope: SurveyScope): Promise<Survey> {
  const nodes = await shareableNodes(deps, scope)
  const ranked = await rankProjects(deps, scope, nodes)
  const projects: ProjectSurvey[] = []
  for (const place of ranked.slice(0, maxProjects))
    projects.push(await surveyProject(deps, scope, place, nodes))
  return { projects, durable: await durableNotes(deps, scope, projects), nodes }
}

/** Nodes of the agent that contexts may include. */
async function shareableNodes(
  { store }: Deps,
  { agentId, boundary }: SurveyScope,
): Promise<SummaryNodeRow[]> {
  if (!mayReadNodes(boundary)) return []
  const project = boundary.only?.project
  return store.tables.summaryNodes.newest({ agentId, project, safety: 'clean' }, maxNodes)
}

interface RankedProject {
  project: string | null
  lastAt: string
}

async function rankProjects(
  deps: Deps,
  { boundary }: SurveyScope,
  nodes: readonly SummaryNodeRow[],
): Promise<RankedProject[]> {
  const last = new Map<string | null, string>()
  const note = (key: string | null, at: string | undefined): void => {
    const project = key === null ? null : deps.projects.canonical(key)
    if (at !== undefined && at > (last.get(project) ?? '')) last.set(project, at)
  }
  for (const { project, ends_at } of nodes) note(project, ends_at)
  for (const project of await projectNames(deps)) {
    await nextTurn()
    for (const type of memoryTypes)
      note(project, await deps.store.tables.memories.newestAt(boundary, project, type))
  }
  return [...last]
    .map(([project, lastAt]) => ({ project, lastAt }))
    .sort((a, b) => compare(b.lastAt, a.lastAt) || compare(a.project ?? '', b.project ?? ''))
}

async function projectNames({ store }: Deps): Promise<(string | null)[]> {
  const names: (string | null)[] = [null]
  for (let after = ''; names.length < maxKnownProjects; ) {
    const batch = await store.tables.memories.projectsAfter(after, 100)
    names.push(...batch)
    await nextTurn()
    if (batch.length < 100) break
    after = batch.at(-1) as string
  }
  return names
}

async function surveyProject(
  deps: Deps,
  { boundary }: SurveyScope,
  { project, lastAt }: RankedProject,
  nodes: readonly SummaryNodeRow[],
): Promise<ProjectSurvey> {
  const { memories } = deps.store.tables
  const counts = new Map<string, number>()
  for (const type of memoryTypes) {
    const count = await memories.countOf(boundary, project, type)
    if (count > 0) counts.set(type, count)
    await nextTurn()
  }
  const now = deps.clock().toISOString()
  const newest = async (type: string): Promise<OverviewMemory[]> => {
    await nextTurn()
    return memories.newestOf({ boundary, project, type, limit: newestPerType, now })
  }
  return {
    project,
    lastAt,
    counts,
    decisions: await newest('decision'),
    rules: await newest('rule'),
    issues: await newest('issue'),
    nodes: nodes.filter(
      node => (node.project === null ? null : deps.projects.canonical(node.project)) === project,
    ),
  }
}

/** Importance decays daily, so the best candidates are among the newest of their type. */
async function durableNotes(
  deps: Deps,
  { boundary }: SurveyScope,
  projects: readonly ProjectSurvey[],
): Promise<OverviewMemory[]> {
  const { memories } = deps.store.tables
  const now = deps.clock()
  const query = { boundary, limit: maxCandidates, now: now.toISOString() }
  const found = new Map<string, OverviewMemory>()
  // Memories without a project apply to all projects, however old they are.
  for (const project of new Set([null, ...projects.map(one => one.project)])) {
    for (const row of await memories.pinnedOf({ ...query, project })) found.set(row.id, row)
    for (const type of ['rule', 'decision', 'preference']) {
      await nextTurn()
      for (const row of await memories.newestOf({ ...query, project, type })) found.set(row.id, row)
    }
  }
  const score = ({ importance, pinned, created_at }: OverviewMemory): number => {
    const ageDays = (now.getTime() - Date.parse(created_at)) / dayMs
    return effectiveScore({ importance, pinned: pinned === 1, ageDays })
  }
  return [...found.values()]
    .map(row => ({ row, score: score(row) }))
    .sort(
      (a, b) =>
        b.row.pinned - a.row.pinned ||
        b.score - a.score ||
        compare(b.row.created_at, a.row.created_at) ||
        compare(b.row.id, a.row.id),
    )
    .slice(0, maxDurable)
    .map(({ row }) => row)
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

const dailyFactor = 0.95

interface DecayInput {
  /** 0 to 1. */
  importance: number
  pinned: boolean
  /** Days since creation; a creation date in the future counts as now. */
  ageDays: number
}

/** Decayed importance: 5 % less each day; always 1 for a pinned memory (rules.md 1.4). */
export function effectiveScore({ importance, pinned, ageDays }: DecayInput): number {
  return pinned ? 1 : importance * dailyFactor ** Math.max(0, ageDays)
}
