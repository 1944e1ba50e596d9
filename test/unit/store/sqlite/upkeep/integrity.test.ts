// runs: alone

import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import test from 'ava'
import BetterSqlite from '../../../../../src/store/sqlite/connection/driver.js'
import { checkIntegrity } from '../../../../../src/store/sqlite/upkeep/integrity.js'
import { temporaryWorkspace } from '../../../../helpers/daemon.js'

const moments = 40

/** Since Node 24 a thread that ended while loading the SQLite driver aborted the process. */
test('a check aborted at any moment of its thread start ends nothing else', async t => {
  const file = join(temporaryWorkspace(t), 'memory.db')
  new BetterSqlite(file).exec('CREATE TABLE notes (text TEXT)').close()
  const begun = performance.now()
  t.deepEqual(await checkIntegrity(file, new AbortController().signal), [])
  const wholeMs = performance.now() - begun
  for (let moment = 1; moment <= moments; moment++) {
    const stop = new AbortController()
    const look = checkIntegrity(file, stop.signal)
    await delay((wholeMs * moment) / moments)
    stop.abort()
    t.deepEqual(await look.catch(error => error.name === 'AbortError' && []), [])
  }
})
