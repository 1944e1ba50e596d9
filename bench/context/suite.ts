import { workspacePaths } from '../../src/lib/workspace/paths.js'
import BetterSqlite from '../../src/store/sqlite/connection/driver.js'
import { openStore } from '../../src/store/sqlite/database.js'
import { type MeasuredDaemon, startMeasuredDaemon } from '../daemon/daemon-process.js'
import { temporaryWorkspace } from '../daemon/workspace.js'
import { percentile } from '../index/measure.js'
import { type EntityPromptFigures, formatEntityPrompts, measureEntityPrompts } from './entity-prompts.js'
import {
  type History,
  type HistoryMemory,
  type HistorySession,
  readHistories,
  type Worth,
} from './history.js'
import { formatPrompts, measurePrompts, type PromptFigures } from './prompts.js'

/** A start in one history. */
export interface StartFigure {
  history: string
  team: string
  memories: number
  /** True for the half that was kept aside while the choice was changed. */
  isKeptAside: boolean
  wanted: number
  wantedTold: number
  told: number
  unwantedTold: number
  tokens: number
  /** Wanted lines that were not told, and unwanted ones that were. */
  missed: readonly string[]
  unwanted: readonly string[]
}

const contextGoals = { wantedTold: 0.9, unwantedTold: 0.2, tokens: 1200 }

export interface ContextFigures {
  starts: readonly StartFigure[]
  entities: EntityPromptFigures
  /** Absent without commits. */
  prompts?: PromptFigures
}

/**
 * Measures what a session gets at its start in sixteen histories and, with files of commit messages, with its
 * prompts.
 */
export async function runContextSuite({ commits }: { commits: readonly string[] }): Promise<ContextFigures> {
  const starts = await measureStarts()
  const entities = await measureEntityPrompts()
  return { starts, entities, ...(commits.length > 0 && { prompts: await measurePrompts(commits) }) }
}

export function formatContextSuite({ starts, entities, prompts }: ContextFigures): string {
  return [
    formatStarts(starts),
    '',
    formatEntityPrompts(entities),
    ...(prompts ? ['', formatPrompts(prompts)] : []),
  ].join('\n')
}

/** Starts a session in each history over a real daemon, and judges each line that it tells. */
async function measureStarts(): Promise<StartFigure[]> {
  const figures: StartFigure[] = []
  for (const [position, history] of readHistories(new Date()).entries())
    figures.push({ ...(await measureStart(history)), isKeptAside: position % 2 === 1 })
  return figures
}

export async function measureStart(history: History): Promise<Omit<StartFigure, 'isKeptAside'>> {
  const workspace = temporaryWorkspace()
  await addSessions(workspace.folder, history)
  const daemon = await startMeasuredDaemon(workspace.folder)
  try {
    await importMemories(daemon, history.memories)
    const { status, body } = await daemon.ask('POST', '/api/hooks/session-start', {
      harness: 'claude-code',
      sessionKey: 'new',
      project: history.project,
    })
    if (status !== 200) throw new Error(`session-start answered ${status}`)
    return judge(history, body)
  } finally {
    await daemon.stop()
    workspace.remove()
  }
}

async function importMemories(
  daemon: Pick<MeasuredDaemon, 'ask' | 'url'>,
  memories: readonly HistoryMemory[],
): Promise<void> {
  const header = { kind: 'header', format: 'memory-service-export', version: 1 }
  const rows = memories.map(({ id, content, type, importance, pinned, project, createdAt }) => ({
    kind: 'memory',
    id,
    content,
    type,
    importance,
    pinned,
    project,
    created_at: createdAt.toISOString(),
  }))
  const body = [header, ...rows].map(row => JSON.stringify(row)).join('\n')
  const reply = await fetch(`${daemon.url}/api/import`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-ndjson' },
    body,
  })
  if (!reply.ok) throw new Error(`the import answered ${reply.status}: ${await reply.text()}`)
}

/** Writes past the API, since ended sessions cannot be given a time. */
async function addSessions(folder: string, { sessions, project }: History): Promise<void> {
  const { database } = workspacePaths(folder)
  await openStore(database, new Date()).close()
  const raw = new BetterSqlite(database)
  const node =
    raw.prepare(`INSERT INTO temporal_nodes (id, agent_id, kind, depth, source_type, source_ref, session_key,
    harness, project, content, meta, safety_status, safety_policy, starts_at, ends_at, created_at)
    VALUES (?, 'default', 'session', 0, 'transcript', ?, ?, 'claude-code', ?, ?, '{}', 'clean', '1', ?, ?, ?)`)
  for (const { key, asked, answered, endedAt } of sessions) {
    const at = endedAt.toISOString()
    node.run(key, key, key, project, `Asked: ${asked}\nAnswered: ${answered}`, at, at, at)
  }
  raw.close()
}

interface JudgedLine {
  key: string
  worth: Worth
}

function judge(
  { name, team, memories, sessions }: History,
  reply: { inject: string; memories: { id: string }[]; diagnostics: { injectTokens: number } },
): Omit<StartFigure, 'isKeptAside'> {
  const ofId = new Map(memories.map(memory => [memory.id, memory]))
  const toldMemories = reply.memories.map(({ id }) => ofId.get(id)!)
  const told = withoutRepeats([...toldMemories, ...sessions.flatMap(one => toldSession(one, reply.inject))])
  const wanted = new Set(
    [...memories.map(judged), ...sessions.map(judged)]
      .filter(({ worth }) => worth === 'wanted')
      .map(one => one.key),
  )
  const wantedTold = told.filter(({ worth }) => worth === 'wanted').map(({ key }) => key)
  const unwanted = told.filter(({ worth }) => worth === 'unwanted').map(({ key }) => key)
  return {
    history: name,
    team,
    memories: memories.length,
    wanted: wanted.size,
    wantedTold: wantedTold.length,
    told: told.length,
    unwantedTold: unwanted.length,
    tokens: reply.diagnostics.injectTokens,
    missed: [...wanted].filter(key => !wantedTold.includes(key)),
    unwanted,
  }
}

function judged(one: HistoryMemory | HistorySession): JudgedLine {
  return 'asked' in one ? { key: one.asked, worth: one.worth } : { key: one.key, worth: one.worth }
}

/** Returns the session if the text contains its request. */
function toldSession(session: HistorySession, inject: string): JudgedLine[] {
  const isRepeat = session.key.endsWith('again')
  const times = inject.split(new RegExp(`Asked: ${session.asked.replace(/[?]/gu, '.')}\\s`, 'u')).length - 1
  return (isRepeat ? times > 1 : times > 0) ? [judged(session)] : []
}

/** A line that says what another one has said is unwanted. */
function withoutRepeats(lines: readonly (HistoryMemory | JudgedLine)[]): JudgedLine[] {
  const said = new Set<string>()
  return lines.map(({ key, worth }) => {
    const isRepeated = said.has(key)
    said.add(key)
    return { key, worth: isRepeated ? 'unwanted' : worth }
  })
}

function formatStarts(figures: readonly StartFigure[]): string {
  const rows = figures.map(
    one =>
      `| ${one.team}${one.isKeptAside ? ' (kept aside)' : ''} | ${one.memories} | ${one.wantedTold}/${one.wanted} | ${one.unwantedTold}/${one.told} | ${one.tokens} |`,
  )
  const head = ['| history | memories | wanted, told | told, unwanted | tokens |', '|---|--:|--:|--:|--:|']
  return [
    ...head,
    ...rows,
    '',
    sumOf('all', figures),
    sumOf(
      'changed with',
      figures.filter(one => !one.isKeptAside),
    ),
    sumOf(
      'kept aside',
      figures.filter(one => one.isKeptAside),
    ),
  ].join('\n')
}

function sumOf(name: string, figures: readonly StartFigure[]): string {
  const sum = (of: (one: StartFigure) => number) => figures.reduce((total, one) => total + of(one), 0)
  const wanted = sum(one => one.wantedTold) / sum(one => one.wanted)
  const unwanted = sum(one => one.unwantedTold) / sum(one => one.told)
  const tokens = figures.map(one => one.tokens)
  return `${name}: ${wanted.toFixed(3)} of wanted lines told (goal ${contextGoals.wantedTold}), ${unwanted.toFixed(3)} of told lines unwanted (goal at most ${contextGoals.unwantedTold}), tokens p50 ${percentile(tokens, 0.5)}, at most ${Math.max(...tokens)} (goal ${contextGoals.tokens})`
}
