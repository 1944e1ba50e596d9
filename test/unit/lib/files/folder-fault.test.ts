import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { folderFault } from '../../../../src/lib/files/folder-fault.js'
import { temporaryWorkspace } from '../../../helpers/daemon.js'

const foreign = () => false

test('a folder of ours, and one that can be made, have no fault', t => {
  const root = temporaryWorkspace(t)
  t.is(folderFault(root), undefined)
  t.is(folderFault(join(root, 'a', 'b')), undefined)
})

test('a file in the place of the folder, or above it, is named', t => {
  const file = join(temporaryWorkspace(t), 'file')
  writeFileSync(file, '')
  t.is(folderFault(file)?.why, `${file} is not a folder`)
  const below = join(file, 'a', 'b')
  t.is(folderFault(below)?.why, `${below} can't be made: ${file} is not a folder`)
})

test('a path that is too long is said to be that, with its length', t => {
  const root = temporaryWorkspace(t)
  for (const folder of [join(root, 'x'.repeat(300)), join(root, ...Array(50).fill('y'.repeat(100)))]) {
    const fault = folderFault(folder)
    t.true(fault?.why.startsWith(`its path is longer than this system takes (${folder.length} bytes`))
    t.true((fault?.why.length ?? 0) < 300)
    t.is(fault?.fix, 'set SERVICE_WORKSPACE to a folder with a shorter path')
  }
})

test('a folder that may not be written is named, also where another one was to be made in it', t => {
  const root = join(temporaryWorkspace(t), 'theirs')
  mkdirSync(root)
  t.deepEqual(folderFault(root, foreign), {
    why: `${root} is not writable for you`,
    fix: `chmod -R u+rwX "${root}"`,
  })
  const below = join(root, 'a')
  t.is(folderFault(below, foreign)?.why, `${below} can't be made: ${root} is not writable for you`)
})

test('what is to be done depends on whose the folder is', t => {
  t.is(
    folderFault('/', foreign)?.fix,
    process.getuid?.() === 0 ? 'chmod -R u+rwX "/"' : 'chown -R "$USER" "/"',
  )
})
