// runs: in turn

import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { openLog } from '../../../../src/daemon/process/log.js'
import { temporaryWorkspace } from '../../../helpers/daemon.js'
import { until } from '../../../helpers/daemon-process.js'

test('an unwritable log ends nothing, and continues once writable', async t => {
  const folder = join(temporaryWorkspace(t), 'logs')
  // A file in place of the folder makes every write fail.
  writeFileSync(folder, '')
  const file = join(folder, 'daemon.log')
  const { log, flush } = openLog({ file }, 'info', { retryMs: 0 })
  log.info('lost')
  await new Promise(setImmediate)
  rmSync(folder)
  mkdirSync(folder)
  const text = await until(() => {
    log.info('kept')
    try {
      const written = readFileSync(file, 'utf8')
      return written.includes('kept') ? written : undefined
    } catch {
      return undefined
    }
  })
  await flush()
  t.regex(text, /"msg":"kept"/)
})
