// runs: alone

import test from 'ava'
import { endpoints } from '../../../src/contract/api.js'
import { runBackgroundSteps } from '../../helpers/background-steps.js'
import { callEveryRoute, settingsWithVectors } from '../../helpers/call-every-route.js'
import { startDaemon, type TestDaemon } from '../../helpers/daemon.js'
import { noteStatements, plannedByValue, wideSteps } from '../../helpers/query-plans.js'
import { openRaw } from '../../helpers/store.js'

/** Statements that may scan many rows, each with its reason. */
const exceptions: readonly { statement: RegExp; reason: string }[] = [
  {
    statement: /^select \* from "project(?:s|_keys|_places)"$/u,
    reason: 'projects are few; read at a start and after a change of them',
  },
  {
    statement: /^SELECT project, max\(at\) AS at FROM \(/u,
    reason: 'only while no project exists: the first start after an update',
  },
  {
    statement: /^\s*SELECT project, sum\(memories\) AS memories/u,
    reason: 'counts all memories and sessions for the list of projects, by indexes alone',
  },
  {
    statement:
      /(?:"temporal_nodes"|"session_logs"|"continuity_scores") where "agent_id" = \? and .*project_keys/su,
    reason: 'newest first until the limit is met',
  },
  {
    statement: /from \(select \* from "session_events" order by "at" desc limit \?\) as "e"/u,
    reason: 'the newest events of all sessions, by the index of their times, at most a thousand',
  },
  {
    statement: /^select .* from "sync_(?:segments|agents)"$/u,
    reason: 'an exchange compares them all with the store; a segment has up to 2,000 changes',
  },
  {
    statement: /^select \* from "sync_(?:texts|purged)" (?:where "clock" <> \? )?order by/u,
    reason: 'only when a store lost segments and all is written again',
  },
  { statement: / in \(\)/u, reason: 'an empty list selects nothing, without a look' },
  {
    statement: /^select \(\(SELECT count\(\*\) FROM memories\)/u,
    reason: 'SQLite counts a whole table page by page',
  },
  {
    statement: /^select count\(\*\) as "count" from "memories" where/u,
    reason: 'an export says once how much follows, by an index alone',
  },
  {
    statement: /^update "jobs" set "status" = CASE .* where "status" = \? and "leased_at" <= \?/u,
    reason: 'few jobs are leased at a time',
  },
  {
    statement: /^select .* from "jobs" where "status" = \? and "leased_at" <= \? limit \?$/u,
    reason: 'few jobs are leased at a time',
  },
  {
    statement:
      /^update "jobs" set .* and "run_after" <= \? order by "created_at", "id" limit \? ?\) returning/u,
    reason: 'a worker passes by jobs whose time has not come; 14 ms where 47,000 wait',
  },
  {
    statement: /from "jobs" as "dead" where "status" = \? and .*NOT EXISTS .* limit \?\)?$/su,
    reason: 'asked by people and where a provider is back; 77 ms where all of 47,000 dead jobs wait again',
  },
  {
    statement:
      /^select count\(\*\) as "count" from \(select "attempts" from "jobs" .* limit \?\) as "oldest"/u,
    reason: 'looks at as many as its limit says, and compares these',
  },
  {
    statement: /^select \* from "session_logs" where "agent_id" = \? and "project" = \?/u,
    reason: 'one row a session, kept for 30 days, newest first until the limit is met',
  },
  {
    statement:
      /^select "newest"\.\* from \(select \* from "transcripts" where "agent_id" = \? .* limit \?\)/u,
    reason: 'in the background, once a capture: the newest 500 of an agent by their index',
  },
  {
    statement: /^select \* from "temporal_nodes" where "agent_id" = \? and "safety_status" = \?/u,
    reason: 'newest first until the limit is met; nearly all are clean, and few were withdrawn',
  },
  {
    statement: /^SELECT DISTINCT memory_id FROM memory_holders WHERE agent_id = \? AND visibility IN/u,
    reason:
      'the removal of an agent passes by the holders that it archived; memories with several holders are few',
  },
  {
    statement: /^DELETE FROM document_chunks WHERE .* d\.agent_id <> '' LIMIT/su,
    reason: 'the second condition holds for every agent that is removed',
  },
  {
    statement: /^select \* from "attentions" where state = 'waiting' and "run_after" <= \?/u,
    reason: 'by the index of those that wait alone, which every pass of Dreaming empties',
  },
  {
    statement: /^update "jobs" set .* where "id" in \(.*\) and "status" = \?$/u,
    reason: 'of a long list of ids SQLite prefers the few jobs that are leased',
  },
  {
    statement: /^select count\(distinct "jobs"\."subject"\) as "blocked" from "jobs"/u,
    reason: 'asked in the background while vectors are missing; 200 ms where 47,000 jobs are dead',
  },
  {
    statement: /^update "documents" set "status" = \?, "updated_at" = \? where "agent_id" = \?/u,
    reason: 'the removal of an agent gives up its documents that are being read: few at a time',
  },
  {
    statement: /^select "run_after" from "jobs"/u,
    reason: 'asked when a worker has nothing to do; 11 ms where 47,000 jobs wait',
  },
  {
    statement: /^select count\(distinct "jobs"\."subject"\) as "blocked"/u,
    reason: 'asked by the back-fill alone, where vectors are missing: it spares a look at every memory',
  },
  {
    statement: /^select count\(\*\) as "count" from "source_chunks" as "c"/u,
    reason: 'asked once a start, by an index alone: whether a snapshot holds what the database holds',
  },
  {
    statement: /^select count\(\*\) as "count" from "transcript_chunks" as "c"/u,
    reason: 'asked once a start, where the index is: in a thread of its own when there are many',
  },
  {
    statement: /FROM attentions WHERE state = 'waiting' GROUP BY kind/u,
    reason: 'by the index of those that wait alone, which every pass of Dreaming empties',
  },
  {
    statement: /^update "repair_runs" set .* where ended_at IS NULL/u,
    reason: 'once a start, by the index of those that a process left open: one of each repair at most',
  },
  {
    statement: /^select \* from "code_projects" where "indexed_at" is not null/u,
    reason: 'in the background: the folders of one machine that somebody has indexed',
  },
  {
    statement: /from "code_ties" inner join "memories"/u,
    reason: 'by the index of ties that moved alone, the last first, as many as are asked for',
  },
  {
    statement: /^update "dream_passes" set .* where ended_at IS NULL/u,
    reason: 'once a start, by the index of those that a process left open: one at most',
  },
]

test('no statement of a request or a batch scans a large table, or is compiled on every run', async t => {
  const statements = noteStatements(t)
  const daemon = await startDaemon(t, {
    settings: { ...(await settingsWithVectors(t)), telemetry: { memorySearchQaEnabled: true } },
  })
  const asked = await callEveryRoute(t, daemon)
  t.deepEqual(
    endpoints.map(({ method, path }) => `${method} ${path}`).filter(address => !asked.has(address)),
    ['GET /health', 'POST /api/daemon/shutdown', 'GET /api/logs/stream'],
    'every route that uses the store is requested',
  )
  await runBackgroundSteps(daemon)
  t.deepEqual(await damageIn(daemon), [], 'requests leave the data intact')
  await daemon.stop()
  const database = openRaw(t, daemon.paths.database)
  const wide = [...statements].flatMap(([text, statement]) =>
    exceptions.some(exception => exception.statement.test(text))
      ? []
      : wideSteps(database, statement).map(step => `${step} <- ${text.trim().slice(0, 400)}`),
  )
  t.true(statements.size > 150, `${statements.size} statements`)
  t.deepEqual(wide, [])
  t.deepEqual(
    [...statements.values()].flatMap(({ text }) => (plannedByValue(text) ? [text] : [])),
    [],
  )
})

test('a limit does not excuse a scan past unrequested rows', async t => {
  const daemon = await startDaemon(t)
  const database = openRaw(t, daemon.paths.database)
  const isWide = (text: string) => wideSteps(database, { text, parameters: ['x', 'x'] }).length > 0
  t.true(isWide('SELECT id FROM memories WHERE content = ? AND who = ? LIMIT 1'))
  t.true(isWide('SELECT body_id FROM transcripts WHERE agent_id = ? AND harness = ? LIMIT 1'))
  t.false(isWide('SELECT body_id FROM transcripts WHERE agent_id = ? AND session_key > ? LIMIT 1'))
})

/** The problems that diagnostics find in the stored data. */
async function damageIn({ call }: TestDaemon): Promise<string[]> {
  const { body } = await call('GET /api/diagnostics', { query: { refresh: true } })
  const { storage, index, duplicate, graph } = body
  return [storage, index, duplicate, graph].flatMap(({ findings }) =>
    findings.filter(({ severity }) => severity === 'warning' || severity === 'error').map(({ id }) => id),
  )
}
