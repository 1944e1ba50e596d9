import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { isDamage } from '../../../../store/faults.js'
import type {
  AgentAges,
  HarnessSessions,
  JobStatusCount,
  MemoryStateCounts,
} from '../../../../store/tables/operations/survey-counts.js'
import type { Tables } from '../../../../store/tables/tables.js'
import { embedJob } from '../../../ground/embedding/embed-now.js'
import {
  type Damage,
  DamageList,
  type Duplicate,
  findGraphDamage,
  findMemoryDamage,
  findOrphanedBodies,
  findOrphans,
  findVectorDamage,
  OutOfTime,
  type Pause,
  pauseUntil,
} from '../facts/damage.js'

/** Thresholds and limits of a survey. */
export interface SurveyOrder {
  /** Folder of the workspace. */
  root: string
  /** ISO times. */
  now: string
  overdueBefore: string
  leasedBefore: string
  recentSince: string
  uploadsBefore: string
  policy: string
  /** The survey ends after this time, complete or not. */
  budgetMs: number
}

/** Results of one walk over all rows. */
export interface Survey {
  startedAt: string
  tookMs: number
  /** Looks that ran out of time. */
  leftOut: string[]
  /** Looks that met a damaged page. */
  unreadable: { look: string; why: string }[]
  damage: Damage[]
  duplicates: Duplicate[]
  rows: Record<string, number>
  jobs: JobStatusCount[]
  /** Memories that get no vector. */
  givenUp: number
  staleLeases: number
  memories: MemoryStateCounts
  events: { event: string; count: number }[]
  vectorModels: { provider: string; model: string; dimensions: number; count: number }[]
  judgedOtherwise: number
  sessions: HarnessSessions[]
  captures: CaptureFacts
  graph: { currentVersions: number; pendingProposals: number; waitingAttentions: number }
  documents: { status: string; count: number }[]
  troubledImports: { id: string; state: string; error: string | null; updated_at: string }[]
}

type Counts = Omit<Survey, 'startedAt' | 'tookMs' | 'leftOut' | 'unreadable' | 'damage'>

const nothing: Counts = {
  duplicates: [],
  rows: {},
  jobs: [],
  givenUp: 0,
  staleLeases: 0,
  memories: { alive: 0, deleted: 0, archived: 0, overdue: 0, repeated: 0 },
  events: [],
  vectorModels: [],
  judgedOtherwise: 0,
  sessions: [],
  captures: { captures: [], transcripts: [], compactions: [], files: [], nodes: [] },
  graph: { currentVersions: 0, pendingProposals: 0, waitingAttentions: 0 },
  documents: [],
  troubledImports: [],
}

const maxImports = 20

/** Compaction files that are looked for on disk. */
const maxFiles = 2000

/** Counts of captured conversations, by agent. */
interface CaptureFacts {
  captures: (AgentAges & { status: string })[]
  transcripts: (AgentAges & { harness: string })[]
  compactions: { agent_id: string; count: number; open: number }[]
  /** Expected files of the newest compactions, and how many are missing. */
  files: { agent_id: string; expected: number; missing: number }[]
  nodes: { agent_id: string; count: number }[]
}

/**
 * Examines all rows, table by table in batches. A look that meets a damaged page or runs out of time doesn't
 * affect the others. Its statements scan whole tables, so it belongs on a thread.
 */
export async function takeSurvey(
  tables: Tables,
  order: SurveyOrder,
  signal?: AbortSignal,
  now: () => number = () => performance.now(),
): Promise<Survey> {
  const began = now()
  const pause = pauseUntil(began + order.budgetMs, now, signal)
  const found = new DamageList()
  const leftOut: string[] = []
  const unreadable: Survey['unreadable'] = []
  const seen: Counts = structuredClone(nothing)
  for (const [look, work] of examinationsOf(tables, order, { found, seen, pause }))
    try {
      await pause()
      await work()
    } catch (error) {
      if (error instanceof OutOfTime) leftOut.push(look)
      else if (isDamage(error)) unreadable.push({ look, why: (error as Error).message })
      else throw error
    }
  return { ...seen, startedAt: order.now, tookMs: now() - began, leftOut, unreadable, damage: found.all() }
}

interface Notes {
  found: DamageList
  seen: Counts
  pause: Pause
}

type Examination = readonly [name: string, work: () => Promise<void>]

/** Counts come first: row-by-row checks take longer. */
function examinationsOf(tables: Tables, order: SurveyOrder, notes: Notes): Examination[] {
  const { found, pause } = notes
  return [
    ...countsOf(tables, order, notes),
    ['vectors', () => findVectorDamage(tables, found, pause)],
    [
      'memories',
      async () => {
        notes.seen.duplicates = await findMemoryDamage(tables, found, pause)
      },
    ],
    ['orphans', () => findOrphans(tables, found, pause)],
    ['conversations', () => findOrphanedBodies(tables, found, pause)],
    ['entities', () => findGraphDamage(tables, found, pause)],
  ]
}

function countsOf(tables: Tables, order: SurveyOrder, { seen, pause }: Notes): Examination[] {
  const { catalogue, surveyCounts, rowDamage } = tables
  const count = <Name extends keyof Counts>(name: Name, ask: () => Promise<Counts[Name]>): Examination => [
    `count of ${name}`,
    async () => {
      seen[name] = await ask()
    },
  ]
  return [
    count('memories', () => surveyCounts.memories(order.overdueBefore)),
    count('jobs', surveyCounts.jobs),
    count('givenUp', () => surveyCounts.givenUp(embedJob.kind)),
    count('staleLeases', () => surveyCounts.staleLeases(order.leasedBefore)),
    count('events', () => surveyCounts.events(order.recentSince)),
    count('vectorModels', rowDamage.vectorModels),
    count('judgedOtherwise', () => surveyCounts.judgedOtherwise(order.policy)),
    count('sessions', surveyCounts.sessions),
    count('captures', () => captureFacts(tables, order.root)),
    count('graph', surveyCounts.graph),
    count('documents', surveyCounts.documents),
    count('troubledImports', () => surveyCounts.troubledImports(order.uploadsBefore, maxImports)),
    count('rows', async () => {
      const rows: Record<string, number> = {}
      for (const { name, kind } of await catalogue.tables()) {
        if (kind === 'table' && !name.startsWith('sqlite_')) rows[name] = await catalogue.count(name)
        await pause()
      }
      return rows
    }),
  ]
}

/** @param root folder of the workspace */
async function captureFacts({ surveyCounts }: Tables, root: string): Promise<CaptureFacts> {
  const files = new Map<string, { agent_id: string; expected: number; missing: number }>()
  for (const { agent_id, path } of await surveyCounts.compactionFiles(maxFiles)) {
    const known = files.get(agent_id) ?? { agent_id, expected: 0, missing: 0 }
    known.expected++
    if (!existsSync(join(root, path))) known.missing++
    files.set(agent_id, known)
  }
  return {
    captures: await surveyCounts.captures(),
    transcripts: await surveyCounts.transcripts(),
    compactions: await surveyCounts.compactions(),
    files: [...files.values()],
    nodes: await surveyCounts.nodes(),
  }
}
