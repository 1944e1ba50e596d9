import type { Reply } from '../../../contract/api.js'
import { formatAge } from '../../../lib/time/age.js'
import { dayMs } from '../../../lib/time/time.js'
import type { SessionTurnRow } from '../../../store/tables/sessions/session-turns.js'
import { sessionKeyOf } from '../../ground/sessions/session-key.js'
import { agentOf, type NamedAgent } from '../../ground/visibility/boundary.js'
import { type Caller, defaultAgent } from '../../ground/visibility/caller.js'
import type { HookSession } from '../tracker/enter-hook.js'
import { mayRead } from '../transcripts/session-transcript.js'
import { type MergeDeps, mergeUses } from './merge-uses.js'
import { storedWork, testsOf } from './record-work.js'
import { type TestRun, testName } from './tool-log.js'

/** Returns the work of a session; nothing for one that the caller may not read, or without tools. */
export async function readSessionWork(
  deps: MergeDeps,
  caller: Caller,
  { key, limit, ...named }: NamedAgent & { key: string; limit: number },
): Promise<Reply<'GET /api/sessions/:key/work'>> {
  const { store } = deps
  const agentId = agentOf(caller, named) ?? defaultAgent
  await mergeUses(deps, { keys: [sessionKeyOf(key)] })
  const rows = await store.tables.sessionTurns.of({ agentId, sessionKey: sessionKeyOf(key) }, limit)
  const readable = rows.filter(row => mayRead(caller, row))
  return { turns: readable.map(storedWork), failing: failing(readable.toReversed()).map(({ run }) => run) }
}

/** Returns the turns that touched a file, which say why it was changed last. */
export async function readFileWork(
  deps: MergeDeps,
  caller: Caller,
  { file, limit, ...named }: NamedAgent & { file: string; limit: number },
): Promise<Reply<'GET /api/sessions/work'>> {
  const { store } = deps
  await mergeUses(deps)
  const agentId = agentOf(caller, named) ?? defaultAgent
  const rows = await store.tables.sessionTurns.touching(file, agentId, limit)
  const turns = rows
    .filter(row => mayRead(caller, row))
    .map(row => ({
      sessionKey: row.session_key,
      agentId: row.agent_id,
      project: row.project,
      turn: row.turn,
      at: row.at,
      changed: row.changed === 1,
      asked: row.asked ?? '',
    }))
  return { file, turns }
}

/** Returns the tests whose last run failed. @param rows the last ones first */
function failing(rows: readonly SessionTurnRow[]): { run: TestRun; at: string }[] {
  const last = new Map<string, { run: TestRun; at: string }>()
  for (const { tests, at } of rows)
    for (const run of testsOf(tests).toReversed()) {
      const name = testName(run.command)
      if (!last.has(name)) last.set(name, { run, at })
    }
  return [...last.values()].filter(({ run }) => !run.ok)
}

/** Turns that are looked through, and the age after which a failed test says nothing. */
const mostTested = 50
const oldestDays = 14
const mostShown = 2

/**
 * Says which tests of the project failed when they ran last, as a fact and not as an instruction. Tools of a
 * running turn are not merged for it, since a start waits for the answer.
 */
export async function failedTests(
  { store, clock }: Pick<MergeDeps, 'store' | 'clock'>,
  { access: { scope } }: Caller,
  { agentId, project }: HookSession,
): Promise<string> {
  if (project === null || scope.user !== undefined) return ''
  if (scope.project !== undefined && scope.project !== project) return ''
  const now = clock().getTime()
  const since = new Date(now - oldestDays * dayMs).toISOString()
  const rows = await store.tables.sessionTurns.tested(project, agentId, mostTested)
  const failed = failing(rows.filter(({ at }) => at >= since)).slice(0, mostShown)
  if (failed.length === 0) return ''
  const shown = failed.map(({ run: { command, counts }, at }) => {
    const age = formatAge(at, now)
    return `\`${testName(command).replaceAll('`', "'")}\` (${counts === undefined ? age : `${age}: ${counts}`})`
  })
  return `Tests that failed when they last ran here: ${shown.join(', ')}.`
}
