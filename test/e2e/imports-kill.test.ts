import test from 'ava'
import { runImportKills } from '../canary/import-kills.js'
import { temporaryWorkspace } from '../helpers/daemon.js'

test('kills -9 over upload and import cost nothing: the bytes are the same, each message is there once', async t => {
  const options = { workspace: temporaryWorkspace(t), kills: 6, conversations: 400, withinMs: 900 }
  const { faults, imports } = await runImportKills(t, options)
  t.deepEqual(faults, [])
  t.true(imports > 0)
})
