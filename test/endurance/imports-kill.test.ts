import test from 'ava'
import { aims, runImportKills } from '../canary/import-kills.js'
import { temporaryWorkspace } from '../helpers/daemon.js'

test('kills -9 during upload, import and removal lose nothing: the bytes are the same, and each message exists once', async t => {
  const workspace = temporaryWorkspace(t)
  const options = { workspace, kills: aims.length, conversations: 200, withinMs: 600 }
  const { faults, imports, met } = await runImportKills(t, options)
  t.log(met)
  t.deepEqual(faults, [])
  t.true(imports > 0)
})
