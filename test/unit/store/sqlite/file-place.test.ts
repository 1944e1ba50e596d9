import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { watchPlace } from '../../../../src/store/sqlite/file-place.js'
import { temporaryFolder } from '../../../helpers/temporary-folder.js'

test('a file is in place until it is moved or replaced', t => {
  const file = join(temporaryFolder(t), 'memories.db')
  writeFileSync(file, '')
  const assertInPlace = watchPlace(file)
  t.notThrows(assertInPlace)
  renameSync(file, `${file}.away`)
  t.throws(assertInPlace, { code: 'SQLITE_READONLY_DBMOVED' })
  writeFileSync(file, '')
  t.throws(assertInPlace, { code: 'SQLITE_READONLY_DBMOVED' })
  renameSync(`${file}.away`, file)
  t.notThrows(assertInPlace)
})
