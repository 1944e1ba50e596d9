// runs: alone

import test from 'ava'
import pg from 'pg'
import { planning } from '../../../../src/store/postgres/sessions.js'
import { runBackgroundSteps } from '../../../helpers/background-steps.js'
import { callEveryRoute, settingsWithVectors } from '../../../helpers/call-every-route.js'
import { startDaemon } from '../../../helpers/daemon.js'
import { ownDatabase } from '../../../helpers/postgres.js'
import { fillTables, noteQueries, scannedBy } from '../../../helpers/server-plans.js'

/** Statements that may read a large table from its beginning, each with its reason. */
const exceptions: readonly { statement: RegExp; reason: string }[] = [
  {
    statement: /^SELECT count\(\*\) AS count FROM "\w+"$/u,
    reason: 'the list of tables says how many rows each has',
  },
  {
    statement: /\bAS "?(?:orphaned|gap|embedded|unlinked|groundless|miscounted|has_vector)\b/iu,
    reason: 'surveys of diagnostics and repairs look at every row, in pages',
  },
  {
    statement: /^select (?:r\.)?"?(?:agent_id|status|harness|kind)"?, .* group by/iu,
    reason: 'diagnostics and metrics count the rows of each kind',
  },
  {
    statement: /^SELECT event, count\(\*\) AS count FROM memory_history/u,
    reason: 'diagnostics count the changes of a day; each save would write an index of their times',
  },
  {
    statement: /^select (?:count\(\*\)|"?m"?\.\*).* from "agent_messages" as "m"/iu,
    reason: 'messages expire after a day, and most of the copies are for everybody',
  },
  {
    statement: /^select \(\(SELECT count\(\*\) FROM memories\)/iu,
    reason: 'counts all rows: 20 ms for 100,000',
  },
  {
    statement: /AS count FROM \(SELECT \* FROM \(SELECT "memories"\."rowid" AS number FROM "memories"/u,
    reason: 'counts until the limit is met',
  },
  {
    statement: /^WITH RECURSIVE projects \(project\)/u,
    reason: 'the best of each importance come by index, and join their rows at once: 16 ms for 100,000',
  },
  {
    statement: /^SELECT project, max\(at\) AS at FROM \(/u,
    reason: 'only while no project exists: the first start after an update',
  },
  {
    statement: /^select \* from "project(?:s|_keys|_places)"$/u,
    reason: 'projects are few; read at a start and after a change of them',
  },
  {
    statement: /^SELECT v\.provider, v\.model, v\.dimensions, count/u,
    reason: 'diagnostics count the vectors of each model',
  },
  {
    statement: /^select count\(\*\) as "count" from "(?:memories" where|transcript_chunks")/u,
    reason: 'asked once for an export or a start: how much there is',
  },
  {
    statement: /^select \* from "code_projects" where "indexed_at" is not null/u,
    reason: 'the folders of one machine that somebody has indexed',
  },
  {
    statement: /FROM compactions WHERE document IS NULL/u,
    reason: 'few compactions wait for their document; the copies all do',
  },
  {
    statement: /from "temporal_nodes" where .* FROM compactions made JOIN memories m/u,
    reason: 'reads all summaries of compactions once, which are some hundred in a year',
  },
  {
    statement: /"currentVersions"/u,
    reason: 'metrics count what waits',
  },
  {
    statement: /FROM transcript_imports WHERE removed_at IS NULL/u,
    reason: 'imports are few',
  },
  {
    statement: /^delete from "(?:recall_records|telemetry_events)" where "id" in \(select "id" .* limit/u,
    reason: 'in the background, once a day: what is beyond the number that is kept',
  },
]

test('no statement on a server reads a large table from its beginning', async t => {
  const statements = noteQueries(t)
  const url = await ownDatabase(t)
  const daemon = await startDaemon(t, {
    settings: {
      ...(await settingsWithVectors(t)),
      storage: { postgres: url },
      telemetry: { memorySearchQaEnabled: true },
    },
  })
  await callEveryRoute(t, daemon)
  await runBackgroundSteps(daemon)
  await daemon.stop()
  t.true(statements.size > 500, `${statements.size} statements`)
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  t.teardown(() => client.end())
  await client.query(`SET search_path TO memory; ${planning}`)
  const noted = [...statements]
  await fillTables(client)
  const wide: string[] = []
  for (const [text, statement] of noted) {
    if (exceptions.some(exception => exception.statement.test(text))) continue
    for (const table of await scannedBy(client, statement)) wide.push(`${table} <- ${text}`)
  }
  t.deepEqual(wide, [])
})
