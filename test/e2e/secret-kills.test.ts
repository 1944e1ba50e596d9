import test from 'ava'
import { runKills } from '../canary/kill-run.js'
import { temporaryWorkspace } from '../helpers/daemon.js'

test('a kill in the middle of a migration loses no secret, and the next one ends it (password-managers.md 2.4)', async t => {
  t.timeout(180_000)
  const result = await runKills(t, {
    workspace: temporaryWorkspace(t),
    works: ['migrate', 'migrate', 'migrate'],
  })
  t.deepEqual(result.faults, [])
  t.is(result.rounds, 3)
})
