import test from 'ava'
import { runGitKills } from '../canary/git-kills.js'
import { temporaryWorkspace } from '../helpers/daemon.js'
import { killsOr } from '../helpers/kills.js'

const rounds = killsOr(3)

test('two workspaces that sync while their daemons are killed lose nothing (operations.md 1.6)', async t => {
  const result = await runGitKills(t, { folder: temporaryWorkspace(t), rounds, withinMs: 1200 })
  t.deepEqual(result.faults, [])
  t.is(result.kills, rounds)
})
