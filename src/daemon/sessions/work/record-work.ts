import type { StoredWork } from '../../../contract/sessions/work.js'
import type { SessionTurnRow } from '../../../store/tables/sessions/session-turns.js'
import type { CaptureRow } from '../../../store/tables/sessions/transcript-captures.js'
import type { Tables } from '../../../store/tables/tables.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { ToolLog, type TurnWork } from './tool-log.js'

type Deps = Pick<Daemon, 'store' | 'configuration' | 'log'>

/** Older turns of a session are left out. */
const mostTurns = 2000

/** Takes the lines of a log while it is captured, and then stores the tools in them. */
export interface WorkRecorder {
  take(line: object): void
  store(signal: AbortSignal): Promise<void>
}

/**
 * Returns what stores the tools of a captured session, one row a turn, from the log of its program. No hook
 * runs for it, so it costs an agent nothing. An error affects only these rows.
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
        await deps.store.write({ until: 'committed', rows: log.turns.length }, tables =>
          putWork(tables, log.turns, capture, toolUse),
        )
      } catch (error) {
        signal.throwIfAborted()
        deps.log.warn({ err: error }, 'the tools of a session could not be recorded')
      }
    },
  }
}

type Session = Pick<CaptureRow, 'agent_id' | 'session_key' | 'project' | 'captured_at'>

/** Replaces the tools of a session. */
export async function putWork(
  { sessionTurns }: Pick<Tables, 'sessionTurns'>,
  turns: readonly TurnWork[],
  session: Session,
  toolUse: 'names' | 'full',
): Promise<void> {
  const rows = turns.slice(-mostTurns).flatMap((turn, index) => rowsOf(turn, index, { session, toolUse }))
  await sessionTurns.put(
    { agentId: session.agent_id, sessionKey: session.session_key },
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
  )
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
