import { fstatSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { createLogSync } from '../../../../../src/store/sqlite/commits/log-sync.js'
import { temporaryWorkspace } from '../../../../helpers/daemon.js'

/** Creates a log and a disk that refuses a given number of syncs. */
function disk(t: ExecutionContext) {
  const log = join(temporaryWorkspace(t), 'log')
  writeFileSync(log, 'committed')
  const state = { synced: [] as number[], refuses: 0, copies: 0, canCopy: true, faults: 0, ms: 0, clock: 0 }
  const sync = createLogSync(log, {
    copy: async () => {
      state.copies++
      return state.canCopy
    },
    syncFile: async fd => {
      state.clock += state.ms
      if (state.refuses-- > 0) throw Object.assign(new Error('EIO'), { code: 'EIO' })
      state.synced.push(fstatSync(fd).ino)
    },
    onFault: () => {
      state.faults++
    },
    now: () => state.clock,
  })
  t.teardown(() => sync.close())
  return { log, state, sync }
}

test('the log is synced to disk, and so is a replaced log', async t => {
  const { log, state, sync } = disk(t)
  await sync.sync()
  const first = statSync(log).ino
  // The new log gets another inode number while the first file is open.
  rmSync(log)
  writeFileSync(log, 'begun anew')
  await sync.sync()
  await sync.sync()
  t.deepEqual(state.synced, [first, statSync(log).ino, statSync(log).ino])
  t.not(first, statSync(log).ino)
})

test('after a disk refusal nothing counts as stored until the log is copied', async t => {
  const { state, sync } = disk(t)
  state.refuses = 1
  await t.throwsAsync(sync.sync(), { code: 'EIO' })
  t.is(state.faults, 1)
  state.canCopy = false
  await t.throwsAsync(sync.sync(), { message: /could not be copied/ })
  t.deepEqual(state.synced, [])
  state.canCopy = true
  await sync.sync()
  await sync.sync()
  t.is(state.copies, 2)
  t.is(state.synced.length, 2)
})

test('a disk is slow when commits wait for it, and not once it is fast again', async t => {
  const { state, sync } = disk(t)
  for (let commit = 0; commit < 20; commit++) sync.noteWait(0.3)
  sync.noteWait(5)
  t.false(sync.isSlow())
  for (let commit = 0; commit < 10; commit++) sync.noteWait(5)
  t.true(sync.isSlow())
  state.ms = 1.5
  for (let commit = 0; commit < 20; commit++) await sync.sync()
  t.true(sync.isSlow())
  state.ms = 0.3
  for (let commit = 0; commit < 20; commit++) await sync.sync()
  t.false(sync.isSlow())
})

test('concurrent saves wait in a thread, a single save does not', t => {
  const { sync } = disk(t)
  t.false(sync.isElsewhere(1))
  const shared = [1, 3, 1, 3].map(saves => sync.isElsewhere(saves))
  t.true(shared.at(-1))
  t.false(sync.isSlow())
  const alone = Array.from({ length: 20 }, () => sync.isElsewhere(1))
  t.false(alone.at(-1))
})

test('after a refusal a single save uses the thread too, until the log is copied', async t => {
  const { state, sync } = disk(t)
  state.refuses = 1
  await t.throwsAsync(sync.sync())
  for (let save = 0; save < 20; save++) t.true(sync.isElsewhere(1))
  await sync.sync()
  t.is(state.copies, 1)
  t.false(sync.isElsewhere(1))
})

test('other work during a sync does not make a fast disk slow', async t => {
  const { state, sync } = disk(t)
  state.ms = 30
  for (let save = 0; save < 20; save++) await sync.sync()
  t.false(sync.isSlow())
})
