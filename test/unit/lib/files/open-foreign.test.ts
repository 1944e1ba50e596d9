import { execFileSync } from 'node:child_process'
import { closeSync, mkdirSync, openSync, readSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'ava'
import {
  openForeign,
  openForeignSync,
  readForeignBytes,
  readForeignText,
} from '../../../../src/lib/files/open-foreign.js'
import { until } from '../../../helpers/daemon-process.js'
import { temporaryFolder } from '../../../helpers/temporary-folder.js'

/** Windows has no mkfifo. */
const unix = process.platform === 'win32' ? test.skip : test
const unixInTurn = process.platform === 'win32' ? test.skip : test.serial
const maxBytes = 1000

/** A folder with a file of each kind, and the code with which each of them is refused. */
function hostileFolder(t: Parameters<typeof temporaryFolder>[0]): {
  folder: string
  refused: Record<string, string>
} {
  const folder = temporaryFolder(t)
  writeFileSync(join(folder, 'file'), 'text')
  mkdirSync(join(folder, 'folder'))
  execFileSync('mkfifo', [join(folder, 'pipe')])
  symlinkSync('/dev/ptmx', join(folder, 'terminal'))
  symlinkSync('/dev/zero', join(folder, 'zero'))
  symlinkSync('pipe', join(folder, 'link to pipe'))
  symlinkSync('file', join(folder, 'link'))
  symlinkSync('loop', join(folder, 'loop'))
  symlinkSync('/dev', join(folder, 'devices'))
  writeFileSync(join(folder, 'large'), '')
  truncateSync(join(folder, 'large'), 2 ** 40)
  const refused = {
    folder: 'EISDIR',
    pipe: 'ENOTREG',
    terminal: 'ELOOP',
    zero: 'ELOOP',
    'link to pipe': 'ELOOP',
    link: 'ELOOP',
    loop: 'ELOOP',
    'devices/ptmx': 'ENOTREG',
    'devices/zero': 'ENOTREG',
    'file/below': 'ENOTDIR',
    missing: 'ENOENT',
  }
  return { folder, refused }
}

unix('a regular file is read; pipes, devices, links and folders are refused at once', async t => {
  const { folder, refused } = hostileFolder(t)
  t.is(await readForeignText(join(folder, 'file'), { maxBytes }), 'text')
  for (const [name, code] of Object.entries({ ...refused, large: 'EFBIG' })) {
    const path = join(folder, name)
    await t.throwsAsync(readForeignBytes(path, { maxBytes }), { code }, name)
    t.is(await readForeignText(path, { maxBytes }), undefined, name)
  }
})

unix('handles and descriptors are given for regular files only', async t => {
  const { folder, refused } = hostileFolder(t)
  const handle = await openForeign(join(folder, 'file'))
  t.is(await handle.readFile('utf8'), 'text')
  await handle.close()
  const descriptor = openForeignSync(join(folder, 'file'))
  t.is(readSync(descriptor, Buffer.alloc(9)), 4)
  closeSync(descriptor)
  for (const [name, code] of Object.entries(refused)) {
    await t.throwsAsync(openForeign(join(folder, name)), { code }, name)
    t.throws(() => openForeignSync(join(folder, name)), { code }, name)
  }
})

unix('a link is followed on demand, but only to a regular file', async t => {
  const { folder } = hostileFolder(t)
  const reading = { maxBytes, followLinks: true }
  t.is(await readForeignText(join(folder, 'link'), reading), 'text')
  for (const name of ['terminal', 'zero', 'link to pipe'])
    await t.throwsAsync(readForeignBytes(join(folder, name), reading), { code: 'ENOTREG' }, name)
  await t.throwsAsync(readForeignBytes(join(folder, 'loop'), reading), { code: 'ELOOP' })
})

unix('the limit counts bytes read, because some files have no size', async t => {
  if (process.platform !== 'linux') return t.pass()
  t.true(((await readForeignText('/proc/self/status', { maxBytes: 64 * 1024 }))?.length ?? 0) > 100)
  await t.throwsAsync(readForeignBytes('/proc/self/status', { maxBytes: 100 }), { code: 'EFBIG' })
})

test('a file of exactly the limit is read', async t => {
  const path = join(temporaryFolder(t), 'file')
  writeFileSync(path, 'x'.repeat(maxBytes))
  t.is((await readForeignText(path, { maxBytes }))?.length, maxBytes)
  t.is(await readForeignText(path, { maxBytes: maxBytes - 1 }), undefined)
})

unixInTurn('callers wait for the deadline only, and two overdue reads let no more begin', async t => {
  const { folder } = hostileFolder(t)
  const [path, pipe] = [join(folder, 'file'), join(folder, 'pipe')]
  // Occupies all threads that Node has for files, as a disk does that does not answer.
  const stuck = Array.from({ length: 4 }, () => open(pipe, 'r'))
  try {
    const late = () => readForeignBytes(path, { maxBytes, timeoutMs: 20 })
    await Promise.all([late(), late()].map(read => t.throwsAsync(read, { code: 'ETIMEDOUT' })))
    const startedAt = Date.now()
    await t.throwsAsync(readForeignBytes(path, { maxBytes, timeoutMs: 60_000 }), { code: 'ETIMEDOUT' })
    // At once, not at its own deadline.
    t.true(Date.now() - startedAt < 30_000)
  } finally {
    const writer = openSync(pipe, 'r+')
    for (const handle of await Promise.all(stuck)) await handle.close()
    closeSync(writer)
  }
  t.is(await until(() => readForeignText(path, { maxBytes })), 'text')
})
