import { mkdirSync, writeFileSync } from 'node:fs'
import test from 'ava'
import { ClientError } from '../../../src/client/client-error.js'
import { findDaemon } from '../../../src/client/find-daemon.js'
import { workspacePaths } from '../../../src/lib/paths.js'
import { temporaryWorkspace } from '../../helpers/daemon.js'

test('settings that no daemon would start with are named by file and line', async t => {
  const paths = workspacePaths(temporaryWorkspace(t))
  writeFileSync(paths.settings, 'daemon:\n  host: *nope\n')
  const error = await t.throwsAsync(findDaemon(paths), { instanceOf: ClientError, code: 'launch_failed' })
  t.regex(error?.message ?? '', /agent\.yaml is not valid/)
  t.true(JSON.stringify(error?.details).includes(`${paths.settings}:2: `))
})

test('settings that cannot be read are named', async t => {
  const paths = workspacePaths(temporaryWorkspace(t))
  mkdirSync(paths.settings)
  const error = await t.throwsAsync(findDaemon(paths), { instanceOf: ClientError, code: 'launch_failed' })
  t.true(JSON.stringify(error?.details).includes('cannot be read'))
})
