import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { watchPlace } from '../../../../src/store/sqlite/file-place.js'
import { temporaryFolder } from '../../../helpers/temporary-folder.js'

test('a disk that answers wrongly once is asked once more', t => {
  const places = [
    { ino: 1, dev: 1 },
    { ino: 2, dev: 1 },
    { ino: 1, dev: 1 },
    { ino: 3, dev: 1 },
  ]
  const statsOf = () => (places.length > 1 ? places.shift() : places[0])
  const assertInPlace = watchPlace('/a/memories.db', { statsOf, renumbers: () => false })
  t.notThrows(assertInPlace)
  t.throws(assertInPlace, { code: 'SQLITE_READONLY_DBMOVED' })
})

test('on a disk that renumbers its files only a missing file is gone', t => {
  const place: { now: { ino: number; dev: number } | undefined } = { now: { ino: 1, dev: 1 } }
  const assertInPlace = watchPlace('/a/memories.db', { statsOf: () => place.now, renumbers: () => true })
  place.now = { ino: 2, dev: 1 }
  t.notThrows(assertInPlace)
  place.now = undefined
  t.throws(assertInPlace, { code: 'SQLITE_READONLY_DBMOVED' })
})

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
