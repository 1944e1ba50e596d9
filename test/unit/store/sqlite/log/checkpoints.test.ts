import { statSync } from 'node:fs'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import BetterSqlite from '../../../../../src/store/sqlite/connection/driver.js'
import { type CheckpointOptions, createCheckpoints } from '../../../../../src/store/sqlite/log/checkpoints.js'
import { temporaryWorkspace } from '../../../../helpers/daemon.js'
import { until } from '../../../../helpers/daemon-process.js'

const page = Buffer.alloc(20_000, 'x')

function openLog(t: ExecutionContext, options?: CheckpointOptions) {
  const file = join(temporaryWorkspace(t), 'memories.db')
  const connection = new BetterSqlite(file)
  connection.pragma('journal_mode = WAL')
  connection.pragma('synchronous = NORMAL')
  connection.exec('CREATE TABLE pages (page BLOB)')
  const checkpoints = createCheckpoints(connection, options)
  t.teardown(async () => {
    await checkpoints.close()
    connection.close()
  })
  const insert = connection.prepare('INSERT INTO pages VALUES (?)')
  const commit = (times: number) => {
    for (let i = 0; i < times; i++) {
      insert.run(page)
      checkpoints.noteCommit()
    }
  }
  const pagesAtCommit = () => connection.pragma('wal_autocheckpoint', { simple: true })
  return { file, checkpoints, commit, pagesAtCommit }
}

test('few commits leave checkpoints to SQLite, many start a thread', async t => {
  const { file, checkpoints, commit, pagesAtCommit } = openLog(t)
  commit(199)
  t.false(checkpoints.inThread())
  t.is(pagesAtCommit(), 1000)
  commit(1)
  t.true(checkpoints.inThread())
  t.is(pagesAtCommit(), 32_768)
  const before = statSync(file).size
  await until(() => {
    commit(1)
    return statSync(file).size > before || undefined
  })
  // The thread copies the log, which soon starts over, so it does not grow with each write.
  for (let round = 0; round < 40; round++) {
    const { size } = statSync(file)
    commit(40)
    await until(() => {
      commit(1)
      return statSync(file).size > size || undefined
    })
  }
  t.true(statSync(`${file}-wal`).size < statSync(file).size)
  await checkpoints.close()
  t.false(checkpoints.inThread())
  t.is(pagesAtCommit(), 1000)
})

test('the checkpoint thread ends after an idle time', async t => {
  const { checkpoints, commit, pagesAtCommit } = openLog(t, { idleMs: 1 })
  commit(200)
  t.true(checkpoints.inThread())
  await until(() => !checkpoints.inThread() || undefined)
  t.is(pagesAtCommit(), 1000)
})

test('commits work even if no thread can start', async t => {
  const { checkpoints, commit, pagesAtCommit } = openLog(t, {
    url: new URL('https://example.invalid/thread.js'),
  })
  t.notThrows(() => commit(450))
  t.false(checkpoints.inThread())
  t.is(pagesAtCommit(), 1000)
})

test('a large transaction leaves its log to the thread, even to a busy one', async t => {
  const { file, checkpoints, commit, pagesAtCommit } = openLog(t)
  const before = statSync(file).size
  for (let round = 1; round <= 3; round++) {
    checkpoints.expectLarge()
    t.true(checkpoints.inThread())
    t.is(pagesAtCommit(), 131_072)
    commit(1)
  }
  await until(() => statSync(file).size > before || undefined)
  await until(() => pagesAtCommit() === 32_768 || undefined)
  t.is(pagesAtCommit(), 32_768)
})

/**
 * Writes during a read transaction, which prevents a restart of the log, until the thread reports a long log.
 */
async function longLog(t: ExecutionContext) {
  const log = openLog(t)
  log.commit(1)
  const reader = new BetterSqlite(log.file)
  reader.exec('BEGIN')
  reader.prepare('SELECT count(*) FROM pages').get()
  t.is(log.checkpoints.pause('unwaited'), undefined)
  log.checkpoints.noteCommit(200)
  t.true(log.checkpoints.inThread(), 'many rows count as many commits do')
  const { pause } = await until(() => {
    log.commit(200)
    const wanted = log.checkpoints.pause('unwaited')
    return wanted && { pause: wanted }
  })
  reader.close()
  return { ...log, pause }
}

test('background writes pause on a long log, which then starts over', async t => {
  const { file, checkpoints, commit, pause } = await longLog(t)
  await pause
  // The reader may still have been active at the last check of the thread.
  await checkpoints.pause('unwaited')
  t.is(checkpoints.pause('unwaited'), undefined)
  const { size } = statSync(`${file}-wal`)
  commit(100)
  t.is(statSync(`${file}-wal`).size, size, 'new writes start at the beginning of the log')
})

test('saves pause too, and continue while the log is being read', async t => {
  const { file, checkpoints, commit } = openLog(t)
  commit(200)
  const reader = new BetterSqlite(file)
  reader.exec('BEGIN')
  reader.prepare('SELECT count(*) FROM pages').get()
  const toPause = () =>
    until(() => {
      commit(200)
      const pause = checkpoints.pause('saves')
      return pause && { pause }
    })
  const { pause } = await toPause()
  t.is(checkpoints.pause('saves'), undefined, 'one is enough for the saves of a while')
  await pause
  t.is(checkpoints.pause('saves'), undefined)
  reader.close()
  await (await toPause()).pause
  const { size } = statSync(`${file}-wal`)
  commit(10)
  t.is(statSync(`${file}-wal`).size, size)
})

test('a pause ends with the thread', async t => {
  const { checkpoints, pause } = await longLog(t)
  await checkpoints.close()
  await t.notThrowsAsync(pause)
})

test('an emptied log has no data, and a reader prevents emptying', async t => {
  const { file, checkpoints, commit } = openLog(t)
  commit(5)
  const reader = new BetterSqlite(file)
  reader.exec('BEGIN')
  reader.prepare('SELECT count(*) FROM pages').get()
  t.false(await checkpoints.empty())
  t.true(statSync(`${file}-wal`).size > 0)
  reader.close()
  t.true(await checkpoints.empty())
  t.is(statSync(`${file}-wal`).size, 0)
  commit(1)
  await checkpoints.close()
  t.false(await checkpoints.empty(), 'nobody empties it any more')
})
