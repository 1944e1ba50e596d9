import { mkdirSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import test from 'ava'
import { checkUpdates } from '../../../../../src/cli/operations/doctor/update-check.js'
import { temporaryWorkspace } from '../../../../helpers/daemon.js'
import { fakeCall } from './doctor-fakes.js'

const config = {
  pendingRestartVersion: null,
  lastAutoUpdateError: null,
  autoInstall: true,
  channel: 'stable',
}

test('doctor tells of an update that waits, one that failed, and of two copies on one PATH (operations.md 2.3)', async t => {
  const folders = ['one', 'two'].map(name => join(temporaryWorkspace(t), name))
  for (const folder of folders) {
    mkdirSync(folder)
    writeFileSync(join(folder, 'memory'), '', { mode: 0o755 })
  }
  const look = (fields: object, path: readonly string[]) =>
    checkUpdates(
      {
        call: fakeCall({ 'GET /api/update/config': () => ({ ...config, ...fields }) }),
        platform: 'linux',
      } as never,
      undefined,
      { PATH: path.join(delimiter) },
    )
  t.like(await look({}, [folders[0]!, folders[0]!]), { severity: 'ok' })
  const waits = await look({ pendingRestartVersion: '2.0.0' }, [])
  t.like(waits, { severity: 'warning', fix: 'memory daemon restart' })
  t.regex((await look({ lastAutoUpdateError: 'no room' }, [])).evidence, /no room/)
  t.regex((await look({}, folders)).evidence, /2 copies/)
})
