import test from 'ava'
import { renamePatiently, renamePatientlySync } from '../../../../src/lib/files/patient-rename.js'

/** A rename that fails some times. */
function refusing(code: string, times: number) {
  const calls: string[] = []
  return {
    calls,
    move: (from: string, to: string) => {
      calls.push(`${from} ${to}`)
      if (calls.length <= times) throw Object.assign(new Error(code), { code })
    },
  }
}

for (const code of ['EPERM', 'EACCES', 'EBUSY']) {
  test(`on Windows a rename that fails twice with ${code} is tried again`, async t => {
    const sync = refusing(code, 2)
    renamePatientlySync('a', 'b', { platform: 'win32', move: sync.move })
    t.deepEqual(sync.calls, ['a b', 'a b', 'a b'])
    const later = refusing(code, 2)
    await renamePatiently('a', 'b', { platform: 'win32', move: async (from, to) => later.move(from, to) })
    t.is(later.calls.length, 3)
  })
}

test('on Windows a rename that keeps failing ends with the error', async t => {
  const { move, calls } = refusing('EPERM', 100)
  t.throws(() => renamePatientlySync('a', 'b', { platform: 'win32', move }), { code: 'EPERM' })
  t.is(calls.length, 11)
})

test('other errors, and those of other systems, are thrown at once', async t => {
  const missing = refusing('ENOENT', 1)
  t.throws(() => renamePatientlySync('a', 'b', { platform: 'win32', move: missing.move }), { code: 'ENOENT' })
  t.is(missing.calls.length, 1)
  const denied = refusing('EPERM', 1)
  const move = async (from: string, to: string) => denied.move(from, to)
  await t.throwsAsync(renamePatiently('a', 'b', { platform: 'linux', move }), { code: 'EPERM' })
  t.is(denied.calls.length, 1)
})
