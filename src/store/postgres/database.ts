import type { ClientBase } from 'pg'
import { isUnavailable } from '../faults.js'
import { groupCommit } from '../group-commit.js'
import { type Migration, migrations } from '../migrations/migrate.js'
import { createQueryBuilder, type Query, type Run } from '../sql/direct-executor.js'
import type { DatabaseServer, Store } from '../store.js'
import { createTables } from '../tables/tables.js'
import { manyAtOnce, postgresDialect } from './compiler.js'
import { faultOf, openingFault, wasDropped } from './errors.js'
import { createLastCommit, createOwnLastCommit, type LastCommit, prepareLastCommit } from './last-commit.js'
import { checkServer, lookAt } from './look.js'
import { openNotices } from './notices.js'
import { mostReaders } from './readers.js'
import { migrate } from './schema.js'
import { openSessions, type Sessions, serving, settledTls } from './sessions.js'
import { type PostgresSettings, placeOf, writerKeyOf } from './settings.js'
import { keepAnswers, reads } from './statements.js'
import { createWriter, reported, resultOf, type WriterOptions } from './writer.js'

const committedTogether = { atMost: 64, lingerMs: 5 }
/** Each transaction waits for a trip and the server's disk, and others for it: it takes along all it can. */
const savedTogether = { lingerMs: 4, asLast: true }
const waitForDisk = { sql: `SELECT pg_logical_emit_message(true, 'memory-service', '')`, parameters: [] }
/** All connections may be found to be gone one after the other. */
const readAgainMs = 5000
const anyMemory = { sql: 'SELECT 1 FROM memories LIMIT 1', parameters: [] }

/**
 * Opens a store in a schema of a PostgreSQL server, and creates or migrates its tables.
 * @param onFault is called with every error of a statement; the error is thrown as well.
 * @param onForeign is called when rows may have changed that this process does not know: it writes nothing
 * more, and has to be started again.
 * @throws AppError `storage_unavailable`, StoreRefused, StoreInUse
 */
export async function openPostgres(
  to: PostgresSettings,
  now: Date,
  onFault: (error: unknown) => void = () => undefined,
  onForeign: (why: string) => void = () => undefined,
  known: readonly Migration[] = migrations,
): Promise<Store> {
  const opened: { lastCommit?: LastCommit } = {}
  let sessions: Sessions | undefined
  try {
    const onLocked = async (client: ClientBase) => opened.lastCommit?.look(client)
    const settled = await settledTls(to)
    sessions = openSessions(settled, onLocked)
    const client = await sessions.firm()
    await checkServer(client, to)
    const lastCommit = to.shared
      ? createOwnLastCommit(sessions.instance, onForeign)
      : createLastCommit(onForeign)
    const lock = to.shared ? writerKeyOf(to.schema) : undefined
    const others = () => serving(client, to.schema)
    const state = await whileLocked(client, lock, async () => {
      const migrated = await migrate(client, { schema: to.schema, now, migrations: known, others })
      await prepareLastCommit(client, to.shared)
      await lastCommit.look(client)
      return migrated
    })
    // Its lock says that this daemon serves (`serving`).
    await sessions.loose()
    opened.lastCommit = lastCommit
    const node = (to.shared && to.node) || null
    const changes = to.shared ? openNotices(settled, sessions.watch) : undefined
    const store = storeOn({ sessions, lastCommit, lock, node, onFault, onCommit: changes?.commit })
    const close = async (): Promise<void> => {
      await changes?.close()
      await store.close()
    }
    return { migrations: state, ...store, close, server: serverOf(sessions, to), ...(changes && { changes }) }
  } catch (error) {
    await sessions?.close()
    throw openingFault(error, to)
  }
}

/** Works while no other daemon writes. */
async function whileLocked<T>(
  client: ClientBase,
  lock: string | undefined,
  work: () => Promise<T>,
): Promise<T> {
  if (lock === undefined) return work()
  await client.query(`SELECT pg_advisory_lock(${lock})`)
  const result = await work()
  await client.query(`SELECT pg_advisory_unlock(${lock})`)
  return result
}

function storeOn(given: Omit<WriterOptions, 'kept'>): Omit<Store, 'migrations'> {
  const { sessions, lock, node, onFault } = given
  const kept = keepAnswers()
  const options = { ...given, kept }
  // A server that crashes may lose commits that did not wait, and with them numbers that others have seen.
  const unwaited = lock === undefined ? 'loose' : 'firm'
  const writer = createWriter(options)
  const endsAll = isUnavailable
  const saves = groupCommit(work => writer.transaction('firm', work), {
    ...savedTogether,
    endsAll,
    ahead: writer.ahead,
  })
  const repeatable = groupCommit(work => writer.transaction(unwaited, work), {
    ...committedTogether,
    endsAll,
  })
  const ask = async (query: Query) => {
    const end = performance.now() + readAgainMs
    for (let tries = 1; ; tries++)
      try {
        return await sessions.readers.ask(query)
      } catch (error) {
        if (!wasDropped(error) || tries > mostReaders || performance.now() > end) throw error
      }
  }
  // Other daemons change rows without this one.
  const read = async <R>(query: Query) =>
    resultOf<R>(await (lock === undefined ? kept.read(query, () => ask(query)) : ask(query)))
  const run: Run = <R>(query: Query) =>
    reads(query.sql) ? reported(() => read<R>(query), onFault) : writer.run<R>(query)
  return {
    tables: createTables(createQueryBuilder(run, manyAtOnce(run), postgresDialect), node),
    write: ({ until, shared = false, rows = 1 }, work) => {
      if (until === 'executed') return writer.executed(work)
      if (until === 'committed') return repeatable.write(work, { rows, alone: !shared })
      return shared ? saves.write(work, { rows }) : writer.transaction('firm', work)
    },
    together: saves.together,
    transaction: work => writer.transaction('firm', work),
    // A commit that waits for the disk takes every earlier one along.
    sync: async () => void (await writer.run(waitForDisk)),
    check: async () => void (await run(anyMemory)),
    close: async () => {
      await writer.end()
      await sessions.close()
    },
  }
}

function serverOf({ readers }: Sessions, to: PostgresSettings): DatabaseServer {
  return {
    place: placeOf(to),
    look: async () => {
      try {
        const client = await readers.connect()
        try {
          return await lookAt(client, to, readers)
        } finally {
          client.release()
        }
      } catch (error) {
        throw faultOf(error)
      }
    },
  }
}
