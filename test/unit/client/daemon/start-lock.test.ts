import { existsSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { takeStartLock } from '../../../../src/client/daemon/start-lock.js'
import { deadPid } from '../../../helpers/fake-daemon.js'
import { temporaryFolder } from '../../../helpers/temporary-folder.js'

function lockFile(t: ExecutionContext): string {
  const folder = temporaryFolder(t, 'memory-service-lock')
  return join(folder, 'deep', 'start.lock')
}

function age(file: string, seconds: number): void {
  const then = Date.now() / 1000 - seconds
  utimesSync(file, then, then)
}

test('only one process has the lock, the next one after its release', t => {
  const file = lockFile(t)
  const release = takeStartLock(file)
  t.truthy(release)
  t.is(takeStartLock(file), undefined)
  release!()
  t.false(existsSync(file))
  t.truthy(takeStartLock(file))
})

test('the lock of a dead process is taken over', async t => {
  const file = lockFile(t)
  takeStartLock(file)
  writeFileSync(file, `${await deadPid()} 1 1`)
  t.truthy(takeStartLock(file))
  t.true(readFileSync(file, 'utf8').startsWith(`${process.pid} `))
})

test('a torn lock is respected while fresh and taken over later', t => {
  const file = lockFile(t)
  takeStartLock(file)
  writeFileSync(file, '')
  t.is(takeStartLock(file), undefined)
  age(file, 10)
  t.truthy(takeStartLock(file))
})

test('a lock older than any start is taken over even if its process lives', t => {
  const file = lockFile(t)
  takeStartLock(file)
  age(file, 60)
  t.is(takeStartLock(file), undefined)
  age(file, 600)
  t.truthy(takeStartLock(file))
})

test('releasing a lock does not remove the lock of a later owner', t => {
  const file = lockFile(t)
  const release = takeStartLock(file)!
  age(file, 600)
  t.truthy(takeStartLock(file))
  release()
  t.true(existsSync(file))
})

for (const code of ['EPERM', 'EACCES']) {
  test(`on Windows ${code} means that another process has the lock, which is just being deleted`, t => {
    const write = () => {
      throw Object.assign(new Error(code), { code })
    }
    t.is(takeStartLock(lockFile(t), { platform: 'win32', write }), undefined)
    t.throws(() => takeStartLock(lockFile(t), { platform: 'linux', write }), { code })
  })
}
