import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import {
  aboutCode,
  openCodeFile,
  openOrCreateCodeFile,
  removeCodeFile,
  writeAbout,
} from '../../../../../src/store/tables/knowledge/code-file.js'
import { temporaryFolder } from '../../../../helpers/temporary-folder.js'

test('a code index is kept on reopening, and rebuilt for another version or a broken file', async t => {
  const path = join(temporaryFolder(t), 'code.db')
  t.is(openCodeFile(path), undefined)
  const made = openOrCreateCodeFile(path)
  writeAbout(made, { state: 'ready' })
  const reader = openCodeFile(path)
  t.is(reader && aboutCode(reader)?.state, 'ready')
  reader?.close()
  made.close()

  const again = openOrCreateCodeFile(path)
  t.is(aboutCode(again)?.state, 'ready')
  writeAbout(again, { version: 'another' })
  again.close()
  t.is(openCodeFile(path), undefined)

  const anew = openOrCreateCodeFile(path)
  t.is(aboutCode(anew)?.state, 'building')
  anew.close()
  removeCodeFile(path)
  writeFileSync(path, 'no database '.repeat(1000))
  t.throws(() => openCodeFile(path), { any: true })
  openOrCreateCodeFile(path).close()
  removeCodeFile(path)
  t.is(openCodeFile(path), undefined)
})

test('a code index runs nothing of its schema, and its pages are checked (security.md#foreign-folders)', t => {
  const path = join(temporaryFolder(t), 'code.db')
  for (const open of [openOrCreateCodeFile, openCodeFile]) {
    const connection = open(path)
    t.is(connection?.pragma('trusted_schema', { simple: true }), 0)
    t.is(connection?.pragma('cell_size_check', { simple: true }), 1)
    connection?.close()
  }
})
