import test from 'ava'
import { runHere } from '../helpers/commands-here.js'

test('dream reads conversations on command and shows the facts', async t => {
  await runHere(t, ['remember', 'The default branch is develop', '--project', 'shop'])
  const run = await runHere(t, ['dream', 'run', '--wait'])
  t.is(run.code, 0, run.stderr)
  t.regex(run.stdout, /^\S+ {2}completed: 1 text read, \d+ changes? applied$/m)
  const status = await runHere(t, ['dream', 'status'])
  t.regex(status.stdout, /mode +on$/m)
  t.regex(status.stdout, /reader +rule-based/)
  t.regex(status.stdout, /schedule +every five minutes, by rules, next run/)
  t.regex(status.stdout, /waiting +none/)
  const told = (await runHere(t, ['dream', 'status', '--json'])).json()
  t.like(told, { running: false, jobId: null, queue: {} })
  t.regex((await runHere(t, ['ontology', 'show', 'shop'])).stdout, /facts +default branch +develop/)
  await runHere(t, ['config', 'set', 'dreaming.enabled', 'false'])
  const refused = await runHere(t, ['dream', 'run'])
  t.not(refused.code, 0)
  t.regex(refused.stderr, /dreaming\.enabled/)
})

test('Dreaming is paused, shown and resumed with commands (operations.md 6.2)', async t => {
  const pause = await runHere(t, ['pipeline', 'pause'])
  t.is(pause.code, 0, pause.stderr)
  t.is(pause.stdout, 'Paused; no jobs were running')
  t.regex((await runHere(t, ['status'])).stdout, /^background +paused: .*memory pipeline resume/mu)
  const refused = await runHere(t, ['dream', 'run'])
  t.regex(refused.stderr, /memory pipeline resume/u)
  const shown = await runHere(t, ['pipeline', 'status'])
  t.regex(shown.stdout, /^mode +paused/mu)
  t.regex(shown.stdout, /^database +free space is returned to the disk$/mu)
  t.like((await runHere(t, ['pipeline', 'resume', '--json'])).json(), {
    changed: true,
    mode: 'controlled-write',
  })
  t.is((await runHere(t, ['pipeline', 'resume'])).stdout, 'It was not paused')
})
