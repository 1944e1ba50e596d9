import { join } from 'node:path'
import test from 'ava'
import { storageFault } from '../../../../src/lib/files/storage-fault.js'
import BetterSqlite from '../../../../src/store/sqlite/connection/driver.js'
import { temporaryWorkspace } from '../../../helpers/daemon.js'

test('a full database file is a disk fault, even as a nested cause', t => {
  const connection = new BetterSqlite(join(temporaryWorkspace(t), 'full.db'))
  t.teardown(() => connection.close())
  connection.exec('CREATE TABLE texts (text TEXT)')
  connection.pragma('max_page_count = 4')
  const fill = () => connection.prepare('INSERT INTO texts VALUES (?)').run('x'.repeat(100_000))
  const error = t.throws(fill, { any: true, code: 'SQLITE_FULL' })
  t.is(storageFault(error), 'the disk is full')
  t.is(
    storageFault(new Error('not stored', { cause: new Error('above', { cause: error }) })),
    'the disk is full',
  )
})

test('each refused write of a disk has a text, and other errors have none', t => {
  const told = (code: string) => storageFault(Object.assign(new Error(code), { code }))
  t.is(told('ENOSPC'), 'the disk is full')
  t.is(told('EDQUOT'), 'the disk quota is used up')
  t.is(told('EROFS'), 'the file system is read-only')
  t.is(told('EFBIG'), 'a file may not grow any further')
  t.is(told('SQLITE_IOERR_WRITE'), 'the disk refuses writes')
  for (const code of ['ENOENT', 'SQLITE_BUSY', 'SQLITE_CORRUPT', 'toString']) t.is(told(code), undefined)
  t.is(storageFault('ENOSPC'), undefined)
})
