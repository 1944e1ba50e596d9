import { setTimeout as delay } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import pg from 'pg'
import { startDaemon } from '../../../helpers/daemon.js'
import { askServer, ownDatabase } from '../../../helpers/postgres.js'
import { fileOf, importInto, memoryLine } from '../../../helpers/transfer.js'

const memories = 3000
/** Rows of one transaction at most, since it holds up all others. */
const rowsTogether = 100

const ages = `SELECT (extract(epoch FROM clock_timestamp() - xact_start) * 1000)::float AS age, query
  FROM pg_stat_activity WHERE application_name LIKE 'memory-service%' AND datname = current_database()
  AND xact_start IS NOT NULL ORDER BY 1 DESC LIMIT 1`

/** Looks at the age of the oldest transaction of a daemon again and again, while a work runs. */
async function oldestDuring(t: ExecutionContext, url: string, work: () => Promise<unknown>) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  t.teardown(() => client.end())
  const state = { isOver: false, oldest: 0, query: '', looks: 0 }
  const working = work().finally(() => {
    state.isOver = true
  })
  while (!state.isOver) {
    const { rows } = await client.query<{ age: number; query: string }>(ages)
    const [row] = rows
    state.looks++
    if (row && row.age > state.oldest)
      Object.assign(state, { oldest: row.age, query: row.query.slice(0, 200) })
    await delay(5)
  }
  await working
  return state
}

test('long work on a server commits every hundred rows: imports, removal of an agent', async t => {
  const postgres = await ownDatabase(t)
  const daemon = await startDaemon(t, { settings: { storage: { postgres } } })
  const lines = Array.from({ length: memories }, (_, number) =>
    memoryLine(`m${number}`, { content: `crane ${number} lifts containers`, agent_id: 'worker' }),
  )
  const works = {
    import: async () => {
      const { body } = await importInto(daemon, fileOf(...lines))
      t.is(body.imported, memories, JSON.stringify(body))
    },
    removal: async () => {
      const { status } = await daemon.call('DELETE /api/agents/:name', {
        params: { name: 'worker' },
        query: { purge: true },
      })
      t.is(status, 200)
    },
  }
  for (const [name, work] of Object.entries(works)) {
    const [started, before] = [performance.now(), await commits(postgres)]
    const { looks, oldest, query } = await oldestDuring(t, postgres, work)
    const tookMs = performance.now() - started
    const transactions = (await commits(postgres)) - before
    t.log(
      `${name}: ${tookMs} ms, ${transactions} transactions, ${looks} looks, oldest ${oldest} ms: ${query}`,
    )
    t.true(looks > 10)
    t.true(transactions >= memories / rowsTogether)
  }
})

/** The number of transactions that a daemon has committed. */
async function commits(url: string): Promise<number> {
  const [row] = await askServer(url, 'SELECT mark FROM memory.last_commit')
  return Number(String(row?.mark).split(' ')[1])
}
