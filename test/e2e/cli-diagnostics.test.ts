import test from 'ava'
import { workspacePaths } from '../../src/lib/workspace/paths.js'
import { cliWorkspace } from '../helpers/cli.js'
import { runHere } from '../helpers/commands-here.js'
import { openRaw } from '../helpers/store.js'

test('memory diagnostics scores each domain with reasons and fixes, and exits with 6 (operations.md 3.1)', async t => {
  const id = (await runHere(t, ['remember', 'the harbour crane is red', '--json'])).json().id as string
  const well = await runHere(t, ['diagnostics'])
  t.is(well.code, 0, well.stderr)
  t.regex(well.stdout, /^100 % {2}storage +healthy$/mu)
  t.regex(well.stdout, /^100 % {2}all +healthy$/mu)
  const raw = openRaw(t, workspacePaths(cliWorkspace(t)).database)
  raw.prepare('UPDATE memories SET further_holders = 2 WHERE id = ?').run(id)
  const ill = await runHere(t, ['diagnostics'])
  t.is(ill.code, 6)
  t.regex(ill.stdout, /^ 75 % {2}storage +degraded\n +warn +miscounted-holders: 1 memory .* \(-25 %\)$/mu)
  t.true(ill.stdout.includes(`for example: ${id}`))
  const one = await runHere(t, ['diagnostics', 'storage'])
  t.is(one.code, 6)
  t.regex(one.stdout, /^ +ok +database: sound/mu)
  t.regex(one.stdout, /^totalMemories +1$/mu)
  t.like((await runHere(t, ['diagnostics', 'storage', '--json'])).json(), { domain: 'storage', score: 0.75 })
  t.is((await runHere(t, ['diagnostics', 'index'])).code, 0)
  const unknown = await runHere(t, ['diagnostics', 'weather'])
  t.is(unknown.code, 2)
  t.regex(unknown.stderr, /storage/)
})
