// runs: alone, since it changes the environment of its process

import { chownSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { folderFault } from '../../../../src/lib/files/folder-fault.js'
import { temporaryWorkspace } from '../../../helpers/daemon.js'

const foreign = () => false

test('an own folder and one that can be created have no fault', t => {
  const root = temporaryWorkspace(t)
  t.is(folderFault(root), undefined)
  t.is(folderFault(join(root, 'a', 'b')), undefined)
})

test('a file in place of the folder or a parent is named', t => {
  const file = join(temporaryWorkspace(t), 'file')
  writeFileSync(file, '')
  t.is(folderFault(file)?.why, `${file} is not a folder`)
  const below = join(file, 'a', 'b')
  t.is(folderFault(below)?.why, `${below} can't be made: ${file} is not a folder`)
})

test('a too long path is reported with its length', t => {
  const root = temporaryWorkspace(t)
  for (const folder of [join(root, 'x'.repeat(300)), join(root, ...Array(50).fill('y'.repeat(100)))]) {
    const fault = folderFault(folder)
    t.true(fault?.why.startsWith(`its path is longer than this system takes (${folder.length} bytes`))
    t.true((fault?.why.length ?? 0) < 300)
    t.is(fault?.fix, 'set SERVICE_WORKSPACE to a folder with a shorter path')
  }
})

test('an unwritable folder is named, even as parent of a new one', t => {
  const root = join(temporaryWorkspace(t), 'theirs')
  mkdirSync(root)
  t.deepEqual(folderFault(root, foreign), {
    why: `${root} is not writable for you`,
    fix: `chmod -R u+rwX "${root}"`,
  })
  const below = join(root, 'a')
  t.is(folderFault(below, foreign)?.why, `${below} can't be made: ${root} is not writable for you`)
})

test('the fix depends on the owner of the folder', t => {
  t.is(
    folderFault('/', foreign)?.fix,
    process.getuid?.() === 0 ? 'chmod -R u+rwX "/"' : 'chown -R "$USER" "/"',
  )
})

/** Only root may give a folder away; CI runs as root. */
const asRoot = process.getuid?.() === 0 ? test.serial : test.serial.skip

asRoot('root by sudo gets no workspace in the folder of a user', t => {
  const root = join(temporaryWorkspace(t), 'theirs')
  mkdirSync(root)
  chownSync(root, 65534, 65534)
  t.is(folderFault(root), undefined, 'root itself, as in a container')
  process.env.SUDO_UID = '65534'
  t.teardown(() => delete process.env.SUDO_UID)
  for (const folder of [root, join(root, '.memory-service')])
    t.deepEqual(folderFault(folder), {
      why: `${root} belongs to you, and files of root in it would shut you out`,
      fix: 'run it without sudo',
    })
})
