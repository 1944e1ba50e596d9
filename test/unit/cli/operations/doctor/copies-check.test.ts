import { mkdirSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import test from 'ava'
import { checkCopies } from '../../../../../src/cli/operations/doctor/copies-check.js'
import { temporaryWorkspace } from '../../../../helpers/daemon.js'

test('doctor tells of two copies on one PATH, and not of those of a machine elsewhere (operations.md 2.3)', async t => {
  const folders = ['one', 'two'].map(name => join(temporaryWorkspace(t), name))
  for (const folder of folders) {
    mkdirSync(folder)
    writeFileSync(join(folder, 'memory'), '', { mode: 0o755 })
  }
  const look = (path: readonly string[], remote?: string) =>
    checkCopies({ remote, platform: 'linux' }, undefined, { PATH: path.join(delimiter) })
  t.like(await look([folders[0]!, folders[0]!]), { severity: 'ok' })
  t.regex((await look(folders)).evidence, /2 copies/)
  t.is((await look(folders, 'http://elsewhere')).severity, 'ok')
})
