import test from 'ava'
import { runMessageKills } from '../canary/message-kills.js'
import { temporaryWorkspace } from '../helpers/daemon.js'
import { killsOr } from '../helpers/kills.js'

test('kills -9 while agents exchange messages lose or duplicate no message, and every acknowledgement is kept', async t => {
  const options = {
    workspace: temporaryWorkspace(t),
    agents: 10,
    messages: 300,
    withinMs: 600,
    kills: killsOr(4),
  }
  const { faults, kills, messages } = await runMessageKills(t, options)
  t.deepEqual(faults, [])
  t.true(kills > 0)
  t.is(messages, 300)
})
