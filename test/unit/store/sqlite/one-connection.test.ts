import test from 'ava'
import { type SqliteDatabase, sql } from 'kysely'
import { deferred } from '../../../../src/lib/concurrency/deferred.js'
import { runEach } from '../../../../src/store/sql/direct-executor.js'
import { createWriteGate } from '../../../../src/store/sqlite/commits/write-gate.js'
import BetterSqlite from '../../../../src/store/sqlite/connection/driver.js'
import { oneConnection } from '../../../../src/store/sqlite/one-connection.js'

function numbers() {
  const connection = new BetterSqlite(':memory:')
  connection.exec('CREATE TABLE numbers (number INTEGER PRIMARY KEY)')
  const gate = createWriteGate()
  const one = oneConnection(connection as unknown as SqliteDatabase, gate)
  const add = (db: typeof one.db, number: number) =>
    sql`INSERT INTO numbers (number) VALUES (${number})`.execute(db)
  const stored = async () => {
    const { rows } = await sql<{ number: number }>`SELECT number FROM numbers`.execute(one.db)
    return rows.map(({ number }) => number)
  }
  return {
    one,
    gate,
    add,
    stored,
    transaction: <T>(work: () => Promise<T>) => one.writing(() => one.atomically(work)),
  }
}

test('no row of a multi-row statement enters or follows a foreign transaction', async t => {
  const { one, add, stored, transaction } = numbers()
  const pause = deferred<void>()
  const beginning = 'INSERT INTO numbers (number) VALUES '
  const insert = { text: `${beginning}(?)`, beginning, ending: '' }
  const failed = transaction(async () => {
    await runEach(one.inside, insert, [[1], [2]])
    await pause.promise
    throw new Error('the work failed')
  })
  const outside = runEach(one.db, insert, [[3], [4]])
  pause.resolve()
  await t.throwsAsync(failed, { message: 'the work failed' })
  await outside
  await t.throwsAsync(runEach(one.inside, insert, [[5]]), { message: /after its transaction was over/ })
  await add(one.db, 6)
  t.deepEqual(await stored(), [3, 4, 6])
})

test('a single statement waits for the running transaction and sees all of it', async t => {
  const { one, add, stored, transaction } = numbers()
  const pause = deferred<void>()
  const written = transaction(async () => {
    await add(one.inside, 1)
    await pause.promise
    await add(one.inside, 2)
  })
  const seen = stored()
  const added = add(one.db, 3)
  pause.resolve()
  await Promise.all([written, added])
  t.deepEqual(await seen, [1, 2])
  t.deepEqual(await stored(), [1, 2, 3])
})

test('a failed transaction leaves nothing, and the next one runs', async t => {
  const { one, add, stored, transaction } = numbers()
  const failed = transaction(async () => {
    await add(one.inside, 1)
    await add(one.inside, 1)
  })
  const next = transaction(() => add(one.inside, 2))
  await t.throwsAsync(failed, { any: true, message: /UNIQUE/ })
  await next
  t.deepEqual(await stored(), [2])
})

test('after long work the event loop gets a turn before the commit', async t => {
  const { one, add } = numbers()
  const order: string[] = []
  setImmediate(() => order.push('turn'))
  const long = async () => {
    await add(one.inside, 1)
    const end = performance.now() + 20
    while (performance.now() < end);
  }
  await one.writing(() => one.atomically(long, () => order.push('committed')))
  t.deepEqual(order, ['turn', 'committed'])
})

test('a statement left behind by its transaction is refused', async t => {
  const { one, add, stored, transaction } = numbers()
  const late = deferred<void>()
  let left: Promise<unknown> | undefined
  await transaction(async () => {
    left = late.promise.then(() => add(one.inside, 1))
  })
  late.resolve()
  await t.throwsAsync(left!, { message: /came after its transaction was over/ })
  t.deepEqual(await stored(), [])
})

test('behind a closed gate writes wait in order, earlier reads do not', async t => {
  const { one, gate, add, stored, transaction } = numbers()
  const order: string[] = []
  const wanted = deferred<void>()
  // The gate closes while a write waits for its turn; that write must wait too.
  const closing = one.alone(async () => gate.close(wanted.resolve))
  const read = stored().then(() => order.push('read'))
  const first = add(one.db, 1).then(() => order.push('first'))
  const second = transaction(() => add(one.inside, 2)).then(() => order.push('second'))
  await closing
  await wanted.promise
  await read
  t.deepEqual(order, ['read'])
  gate.open()
  await Promise.all([first, second])
  t.deepEqual(order, ['read', 'first', 'second'])
})
