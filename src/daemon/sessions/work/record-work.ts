import type { StoredWork } from '../../../contract/sessions/sessions.js'
import { jsonOf } from '../../../lib/text/json-of.js'
import type { SessionTurnRow } from '../../../store/tables/sessions/session-turns.js'
import type { CaptureRow } from '../../../store/tables/sessions/transcript-captures.js'
import type { Tables } from '../../../store/tables/tables.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { type TestRun, ToolLog, type TurnWork } from './tool-log.js'

type Deps = Pick<Daemon, 'store' | 'configuration' | 'log' | 'toolQueues'>

/** Older turns of a session are left out. */
const mostTurns = 2000

/** Takes the lines of a log while it is captured, and then stores the tools in them. */
export interface WorkRecorder {
  take(line: object): void
  store(signal: AbortSignal): Promise<void>
}

/**
 * Returns what stores the tools of a captured session, one row a turn, from the log of its program. They
 * replace those that hooks noted, since a log has all of them; a log without tools leaves them, and one that
 * does not say how a command ended leaves that. An error affects only these rows.
 */
export async function recorderOf(deps: Deps, capture: CaptureRow): Promise<WorkRecorder | undefined> {
  const { toolUse } = deps.configuration().settings.capture
  if (toolUse === 'off' || capture.source !== 'file') return undefined
  const name = { agentId: capture.agent_id, sessionKey: capture.session_key }
  const session = await deps.store.tables.sessions.find(name)
  const log = new ToolLog(session?.cwd ?? undefined)
  let fault: unknown
  return {
    take: line => {
      if (fault !== undefined) return
      try {
        log.take(line)
      } catch (error) {
        fault = error
      }
    },
    store: async signal => {
      try {
        if (fault !== undefined) throw fault
        if (log.turns.some(({ tools }) => tools.size > 0)) await replaceWork(deps, log, capture, toolUse)
      } catch (error) {
        signal.throwIfAborted()
        deps.log.warn({ err: error }, 'the tools of a session could not be recorded')
      }
    },
  }
}

async function replaceWork(
  { store, toolQueues }: Deps,
  log: ToolLog,
  capture: CaptureRow,
  toolUse: 'names' | 'full',
): Promise<void> {
  const { session_key: key, captured_at: capturedAt } = capture
  // Uses that a hook notes after the last line of the log follow these rows.
  await toolQueues.each(key, async () => {
    const permit = await toolQueues.permitOf(key)
    await store.write({ until: 'committed', rows: log.turns.length }, tables =>
      putWork(tables, log.turns, capture, toolUse),
    )
    if (permit?.agentId !== capture.agent_id) return
    const end = log.end()
    const captured = Date.parse(capturedAt)
    const turns = Math.min(log.turns.length, mostTurns)
    await toolQueues.add(key, { t: captured, log: { ...end, until: end.until || captured, turns } })
  })
}

type Session = Pick<CaptureRow, 'agent_id' | 'session_key' | 'project' | 'captured_at'>

/**
 * Replaces the tools of a session.
 * @param from number of the first of these turns, earlier ones stay; absent for a log, which has all turns
 */
export async function putWork(
  { sessionTurns }: Pick<Tables, 'sessionTurns'>,
  turns: readonly TurnWork[],
  session: Session,
  toolUse: 'names' | 'full',
  from?: number,
): Promise<void> {
  const name = { agentId: session.agent_id, sessionKey: session.session_key }
  if (from === undefined && turns.some(hasUnknownEnd))
    keepEnds(turns.slice(-mostTurns), (await sessionTurns.of(name, mostTurns)).map(storedWork))
  const rows = turns
    .slice(-mostTurns)
    .flatMap((turn, index) => rowsOf(turn, (from ?? 0) + index, { session, toolUse }))
  await sessionTurns.put(
    name,
    rows.map(({ row }) => row),
    rows.flatMap(({ row, files }) =>
      files.map(([path, changed]) => ({
        path,
        at: row.at,
        agent_id: row.agent_id,
        session_key: row.session_key,
        turn: row.turn,
        changed: changed ? 1 : 0,
      })),
    ),
    from,
  )
}

function hasUnknownEnd({ commands }: TurnWork): boolean {
  return commands.some(({ ok }) => ok === undefined)
}

/** Keeps how commands ended, as hooks noted it, where the log does not say it. */
function keepEnds(turns: readonly TurnWork[], noted: readonly StoredWork[]): void {
  const left = new Set(noted)
  for (const [index, turn] of turns.entries()) {
    const alike = [...left].filter(({ asked }) => asked === turn.asked)
    const same = alike.find(row => row.turn === index) ?? alike[0]
    if (!same) continue
    left.delete(same)
    if (hasUnknownEnd(turn)) keepEndsOf(turn, same)
  }
}

function keepEndsOf(turn: TurnWork, noted: StoredWork): void {
  const ended = noted.commands.filter(({ ok }) => ok !== undefined)
  const kept = new Set<string>()
  for (const ran of turn.commands) {
    if (ran.ok !== undefined) continue
    const at = ended.findIndex(({ command }) => command === ran.command)
    if (at < 0) continue
    Object.assign(ran, ...ended.splice(at, 1))
    kept.add(ran.command)
  }
  const known = new Set(turn.tests.map(({ command }) => command))
  turn.tests.push(...noted.tests.filter(({ command }) => kept.has(command) && !known.has(command)))
  if (turn.commits.length === 0) turn.commits.push(...noted.commits)
  turn.failed = Math.max(turn.failed, noted.failed)
}

/** A turn without tools has no row. */
function rowsOf(
  { at, asked, tools, files, commands, tests, commits, failed }: TurnWork,
  index: number,
  { session, toolUse }: { session: Session; toolUse: 'names' | 'full' },
): { row: SessionTurnRow; files: [string, boolean][] }[] {
  if (tools.size === 0) return []
  const work: Omit<StoredWork, 'turn' | 'at' | 'asked' | 'tests'> = {
    tools: [...tools].map(([name, uses]) => ({ name, uses })),
    files: [...files].map(([path, changed]) => ({ path, changed })),
    commands: toolUse === 'full' ? commands : commands.map(({ output: _, ...ran }) => ran),
    commits,
    failed,
  }
  const row: SessionTurnRow = {
    agent_id: session.agent_id,
    session_key: session.session_key,
    turn: index,
    project: session.project,
    at: at ?? session.captured_at,
    asked,
    work: JSON.stringify(work),
    tests: tests.length > 0 ? JSON.stringify(tests) : null,
  }
  return [{ row, files: [...files] }]
}

/** Returns the work that a row has. */
export function storedWork({ turn, at, asked, work, tests }: SessionTurnRow): StoredWork {
  const stored = jsonOf(work) as Omit<StoredWork, 'turn' | 'at' | 'asked' | 'tests'>
  return { turn, at, asked, ...stored, tests: testsOf(tests) }
}

/** Returns the runs of tests that a row has. */
export function testsOf(tests: string | null): TestRun[] {
  return tests === null ? [] : (jsonOf(tests) as TestRun[])
}
