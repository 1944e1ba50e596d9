import { setTimeout as delay } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import { StoreRefused } from '../../../../src/store/faults.js'
import { type Migration, migrations } from '../../../../src/store/migrations/migrate.js'
import { openPostgres } from '../../../../src/store/postgres/database.js'
import type { Store } from '../../../../src/store/store.js'
import { startDaemon, type TestDaemon } from '../../../helpers/daemon.js'
import { askServer, ownDatabase } from '../../../helpers/postgres.js'

// Daemons of two releases on one schema: the later one knows migrations that the earlier one does not.

const at = '2026-01-01T00:00:00.000Z'
const expansion: Migration = {
  name: 'later',
  sql: 'ALTER TABLE agents ADD COLUMN later TEXT;',
  expands: true,
}
const contraction: Migration = { name: 'narrow', sql: 'ALTER TABLE agents DROP COLUMN later;' }

async function opened(t: ExecutionContext, url: string, later: Migration[] = []): Promise<Store> {
  const known = [...migrations, ...later]
  const store = await openPostgres(
    { url, schema: 'memory', shared: true },
    new Date(at),
    undefined,
    undefined,
    known,
  )
  t.teardown(() => store.close())
  return store
}

test('a running daemon of an earlier release reads and writes on while a later one expands the schema', async t => {
  const url = await ownDatabase(t)
  const early = await opened(t, url)
  const all = () => early.tables.agents.roster()
  // More often than there are connections, so that each has planned them.
  for (let n = 0; n < 12; n++) {
    await Promise.all([all(), all(), all(), all(), all()])
    await early.write({ until: 'synced' }, async ({ agents }) => {
      await agents.roster()
      await agents.register(`a${n}`, at)
    })
  }
  const late = await opened(t, url, [expansion])
  t.is(late.migrations.applied, migrations.length + 1)
  for (let n = 0; n < 12; n++) {
    await Promise.all([all(), all(), all(), all(), all()])
    await early.write({ until: 'synced' }, async ({ agents }) => {
      await agents.roster()
      await agents.register(`b${n}`, at)
    })
  }
  t.is((await late.tables.agents.roster()).length, (await all()).length)
})

test('a daemon of an earlier release starts on a schema that a later one expanded', async t => {
  const url = await ownDatabase(t)
  await opened(t, url, [expansion])
  const early = await opened(t, url)
  t.deepEqual(early.migrations, { applied: migrations.length + 1, known: migrations.length })
  await early.write({ until: 'synced' }, ({ agents }) => agents.register('early', at))
  t.truthy(await early.tables.agents.find('early'))
})

test('a release older than the schema allows is refused, with the number that it would need', async t => {
  const url = await ownDatabase(t)
  const late = await opened(t, url, [expansion, contraction])
  await late.close()
  await t.throwsAsync(opened(t, url), {
    instanceOf: StoreRefused,
    message: `the schema memory is at version ${migrations.length + 2}, for releases that know ${migrations.length + 2} or more; this one knows ${migrations.length}: a newer memory-service wrote it; update this one`,
  })
  await t.throwsAsync(opened(t, url, [expansion]), { instanceOf: StoreRefused })
})

test('a change that earlier releases do not bear waits until their daemons have ended', async t => {
  const url = await ownDatabase(t)
  const early = await opened(t, url, [expansion])
  const other = await opened(t, url)
  await t.throwsAsync(opened(t, url, [expansion, contraction]), {
    instanceOf: StoreRefused,
    message:
      '2 daemons of an earlier release serve the schema memory and would not bear its change narrow: stop them, then start this one',
  })
  await early.write({ until: 'synced' }, ({ agents }) => agents.register('still', at))
  await early.close()
  await other.close()
  const [late, same] = await Promise.all([
    opened(t, url, [expansion, contraction]),
    opened(t, url, [expansion, contraction]),
  ])
  t.is(late.migrations.applied, migrations.length + 2)
  t.is(same.migrations.applied, migrations.length + 2)
})

/** Starts one of several daemons; a later release knows one migration more. */
async function node(t: ExecutionContext, postgres: string, version: string): Promise<TestDaemon> {
  return startDaemon(t, {
    version,
    settings: { storage: { postgres, shared: true } },
    environment: { SERVICE_NODE_NAME: `${version}-${++nodes.started}`, SERVICE_DRAIN_MS: '500' },
  })
}
const nodes = { started: 0 }

/** Sends requests to each ready daemon in turn, as a balancer does, which asks them every 50 ms. */
function balance() {
  const state = { daemons: [] as TestDaemon[], ready: [] as TestDaemon[], turn: 0, isOver: false }
  const isReady = async ({ url }: TestDaemon) =>
    (await fetch(`${url}/health/ready`).catch(() => undefined))?.ok === true
  const look = async (): Promise<void> => {
    const found = await Promise.all(state.daemons.map(isReady))
    state.ready = state.daemons.filter((_, place) => found[place])
  }
  const looking = (async () => {
    for (; !state.isOver; await delay(50)) await look()
  })()
  return {
    add: async (daemon: TestDaemon) => {
      state.daemons.push(daemon)
      await look()
    },
    next: () => state.ready[state.turn++ % state.ready.length] as TestDaemon,
    end: async () => {
      state.isOver = true
      await looking
    },
  }
}

test.serial(
  'a rolling update under load has no failure but 503 with Retry-After, and loses nothing',
  async t => {
    const url = await ownDatabase(t)
    const balancer = balance()
    const early = [await node(t, url, '1.0.0'), await node(t, url, '1.0.0')]
    for (const daemon of early) await balancer.add(daemon)
    const saved: string[] = []
    const others: string[] = []
    const load = { isOver: false }
    const client = async (name: number): Promise<void> => {
      for (let n = 0; !load.isOver; n++) {
        const content = `Client ${name} moored boat ${n}.`
        const { url: origin } = balancer.next()
        const answers = [
          await post(`${origin}/api/memory/remember`, { content }),
          await post(`${balancer.next().url}/api/memory/recall`, { query: 'boat' }),
        ]
        if (answers[0]?.status === 200 || answers[0]?.status === 201) saved.push(content)
        for (const { status, retryAfter } of answers)
          if (status >= 300 && !(status === 503 && retryAfter)) others.push(`${status}`)
      }
    }
    const clients = Promise.all([1, 2, 3].map(client))
    const known = migrations as Migration[]
    known.push(expansion)
    try {
      for (const daemon of early) {
        await balancer.add(await node(t, url, '2.0.0'))
        const { body } = await balancer.next().call('GET /api/status')
        t.true(body.nodes?.some(({ version }) => version === '2.0.0'))
        t.true(body.nodes?.some(({ version }) => version === '1.0.0'))
        await daemon.stop()
      }
      load.isOver = true
      await clients
    } finally {
      known.pop()
      await balancer.end()
    }
    t.deepEqual(others, [])
    t.true(saved.length > 20, `${saved.length} saves`)
    const rows = await askServer(url, 'SELECT content FROM memory.memories')
    const stored = new Set(rows.map(({ content }) => content))
    t.is(stored.size, rows.length)
    t.deepEqual(
      saved.filter(content => !stored.has(content)),
      [],
    )
  },
)

async function post(url: string, body: object): Promise<{ status: number; retryAfter: boolean }> {
  const reply = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  await reply.arrayBuffer()
  return { status: reply.status, retryAfter: reply.headers.has('retry-after') }
}

/** Statements after which a daemon that does not know them serves on. */
const bearable =
  /^(?:CREATE TABLE |CREATE INDEX |ALTER TABLE \w+ ADD COLUMN \w+ \w+(?: NOT NULL DEFAULT [^,]+| DEFAULT [^,]+)?$)/u
const isBearable = (sql: string): boolean =>
  sql.split(/;\s*(?:\n|$)/u).every(statement => statement.trim() === '' || bearable.test(statement.trim()))

test('a migration that expands adds tables, indexes and columns that may be left out', t => {
  for (const { name, sql, expands } of migrations) if (expands) t.true(isBearable(sql), name)
  t.true(isBearable(expansion.sql))
  for (const sql of [
    'CREATE UNIQUE INDEX a ON b (c);',
    'ALTER TABLE a ADD COLUMN b TEXT NOT NULL;',
    'ALTER TABLE a DROP COLUMN b;',
    'UPDATE a SET b = 1;',
  ])
    t.false(isBearable(sql), sql)
})
