import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import {
  applyChanges,
  removeEmptyFolders,
  textOf,
} from '../../../../../src/cli/sessions/connect/settings-files.js'
import { temporaryWorkspace } from '../../../../helpers/daemon.js'

const bytes = (text: string) => Buffer.from(text)

test('either all files are written, or none and no folder is left behind', t => {
  const root = temporaryWorkspace(t)
  const first = join(root, 'a', 'b', 'first.json')
  const kept = join(root, 'kept.json')
  // A folder at the path of the last file makes its write fail.
  mkdirSync(join(root, 'c', 'last.json', 'x'), { recursive: true })
  writeFileSync(kept, 'old')
  const changes = [
    { path: first, before: undefined, after: bytes('new') },
    { path: kept, before: bytes('old'), after: bytes('new') },
  ]
  const impossible = { path: join(root, 'c', 'last.json'), before: undefined, after: bytes('new') }
  t.throws(() => applyChanges([...changes, impossible]))
  t.deepEqual(readdirSync(root).sort(), ['c', 'kept.json'])
  t.is(readFileSync(kept, 'utf8'), 'old')

  applyChanges(changes)
  t.is(readFileSync(first, 'utf8'), 'new')
  t.is(readFileSync(kept, 'utf8'), 'new')
})

test('a new file is readable for its owner alone, and an old one keeps its permissions', t => {
  const root = temporaryWorkspace(t)
  const [added, kept] = [join(root, 'hooks.json'), join(root, 'kept.json')]
  writeFileSync(kept, 'old')
  chmodSync(kept, 0o640)
  const umask = process.umask(0)
  t.teardown(() => process.umask(umask))
  applyChanges([
    { path: added, before: undefined, after: bytes('x') },
    { path: kept, before: bytes('old'), after: bytes('x') },
  ])
  if (process.platform === 'win32') return
  t.is(statSync(added).mode & 0o777, 0o600)
  t.is(statSync(kept).mode & 0o777, 0o640)
})

test('a file changed by another program is not overwritten', t => {
  const file = join(temporaryWorkspace(t), 'settings.json')
  writeFileSync(file, 'theirs')
  const change = { path: file, before: bytes('as it was'), after: bytes('ours') }
  t.like(
    t.throws(() => applyChanges([change])),
    { code: 'changed_meanwhile' },
  )
  t.is(readFileSync(file, 'utf8'), 'theirs')
})

test('a link to a missing file creates the file at its target', t => {
  const root = temporaryWorkspace(t)
  const link = join(root, 'settings.json')
  symlinkSync(join('dotfiles', 'settings.json'), link)
  applyChanges([{ path: link, before: undefined, after: bytes('x') }])
  t.is(readFileSync(join(root, 'dotfiles', 'settings.json'), 'utf8'), 'x')
})

test('empty folders are removed from the inside out', t => {
  const root = temporaryWorkspace(t)
  const folders = [join(root, 'a'), join(root, 'a', 'b'), join(root, 'a', 'b', 'c')]
  mkdirSync(folders[2]!, { recursive: true })
  writeFileSync(join(root, 'a', 'note'), '')
  removeEmptyFolders(folders)
  t.true(existsSync(folders[0]!))
  t.false(existsSync(folders[1]!))
})

test('bytes that are not UTF-8 are refused, and a byte order mark is kept', t => {
  t.throws(() => textOf(Buffer.from([0xff, 0xfe, 0x7b, 0])), { message: /not UTF-8/ })
  t.is(textOf(bytes('\uFEFF{}')), '\uFEFF{}')
})
