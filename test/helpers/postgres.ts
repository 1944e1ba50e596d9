import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { ExecutionContext } from 'ava'
import { execa } from 'execa'
import pg from 'pg'
import { migrations } from '../../src/store/migrations/migrate.js'
import { openPostgres } from '../../src/store/postgres/database.js'
import { beginning, tablesOf, triggers } from '../../src/store/postgres/schema.js'
import type { Store } from '../../src/store/store.js'

/** A server for tests, whose role may create databases; undefined without one. */
export const postgresUrl = process.env.MEMORY_TEST_POSTGRES || undefined

/** True in a run whose daemons store their memories on that server. */
export const onPostgres = postgresUrl !== undefined && process.env.MEMORY_TEST_STORE === 'postgres'

/** Schema of every workspace in these tests. */
const schema = 'memory'
const text = [beginning, ...Object.values(triggers), ...migrations.map(({ sql }) => tablesOf(sql))].join('')
const template = `memory_template_${createHash('sha256').update(text).digest('hex').slice(0, 16)}`
const made: { template?: Promise<void> } = {}

/**
 * Makes a database of its own, dropped with the test: with the tables of the newest schema, or empty.
 * @returns its URL
 */
export async function ownDatabase(
  t: Pick<ExecutionContext, 'teardown'>,
  { empty = false } = {},
): Promise<string> {
  const name = `test_${randomBytes(8).toString('hex')}`
  if (!empty) {
    made.template ??= makeTemplate()
    await made.template
  }
  await onServer(({ ask }) => ask(created(name, empty ? 'template0' : template)))
  t.teardown(() => onServer(({ ask }) => ask(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)))
  return urlOf(name)
}

/** A store of its own on the server; `url` is its database. It is closed with the test. */
export async function openOnPostgres(t: ExecutionContext): Promise<{ store: Store; url: string }> {
  const url = await ownDatabase(t)
  const store = await openPostgres({ url, schema }, new Date('2026-01-01T00:00:00Z'))
  t.teardown(() => store.close())
  return { store, url }
}

export interface OwnServer {
  url: string
  /** Ends every process of it at once, and starts it again. */
  crash(): Promise<void>
  /** A folder that its processes may write to. */
  folder: string
}

/** Starts a server of its own, which ends with the test; undefined where its programs are not installed. */
export async function ownServer(t: Pick<ExecutionContext, 'teardown'>): Promise<OwnServer | undefined> {
  const script = join(import.meta.dirname, '..', '..', '.ci', 'postgres')
  // The server runs as another user, who can't enter the folder of a test run.
  const folder = await mkdtemp('/tmp/memory-service-server-')
  const { stdout, exitCode } = await execa(script, ['start', folder, 'installed'], { reject: false })
  t.teardown(async () => {
    if (exitCode === 0) await execa(script, ['stop', folder], { reject: false })
    await rm(folder, { recursive: true, force: true })
  })
  if (exitCode !== 0) return undefined
  return { url: stdout.trim(), folder, crash: async () => void (await execa(script, ['crash', folder])) }
}

/** Runs statements on a database, beside its store. */
export async function askServer(url: string, statement: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(statement)).rows
  } finally {
    await client.end()
  }
}

/** Several processes of a run may ask for it at once. */
async function makeTemplate(): Promise<void> {
  await onServer(async ({ ask }) => {
    await ask('SELECT pg_advisory_lock(7)')
    const { rows } = await ask(`SELECT 1 FROM pg_database WHERE datname = '${template}'`)
    if (rows.length > 0) return
    const unfinished = `${template}_${process.pid}`
    await ask(created(unfinished, 'template0'))
    await (await openPostgres({ url: urlOf(unfinished), schema }, new Date('2026-01-01T00:00:00Z'))).close()
    await ask(`ALTER DATABASE ${unfinished} RENAME TO ${template}`)
  })
}

function created(name: string, from: string): string {
  return `CREATE DATABASE ${name} TEMPLATE ${from} ENCODING 'UTF8' LC_COLLATE 'C' LC_CTYPE 'C' STRATEGY file_copy`
}

function urlOf(name: string): string {
  const url = new URL(postgresUrl as string)
  url.pathname = `/${name}`
  return url.href
}

async function onServer(
  work: (server: { ask(statement: string): Promise<pg.QueryResult> }) => Promise<unknown>,
): Promise<void> {
  const client = new pg.Client({ connectionString: postgresUrl })
  await client.connect()
  try {
    await work({ ask: statement => client.query(statement) })
  } finally {
    await client.end()
  }
}

const at = '2026-01-01T00:00:00.000Z'

/** A memory without an id and a hash. */
export const memoryRow = {
  ...{ content: 'c', hash_space: '', type: 'fact', importance: 1, tags: '', pinned: 0, created_at: at },
  ...{ updated_at: at, updated_by: 'x', memory_kind: 'episodic', agent_id: 'a', visibility: 'global' },
  ...{ safety_status: 'clean', safety_reasons: '', safety_policy: '1', safety_scanned_at: at, change: 1 },
  ...{ extraction_status: 'none', safety_rules: '' },
}
