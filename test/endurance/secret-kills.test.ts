import test from 'ava'
import { runKills } from '../canary/secret-kills.js'
import { temporaryWorkspace } from '../helpers/daemon.js'
import { killsOr } from '../helpers/kills.js'

const rounds = killsOr(2)

test('a kill during a migration loses no secret, and the next migration completes it (password-managers.md 2.4)', async t => {
  const result = await runKills(t, {
    workspace: temporaryWorkspace(t),
    works: Array.from({ length: rounds }, () => 'migrate' as const),
  })
  t.deepEqual(result.faults, [])
  t.is(result.rounds, rounds)
})
