import test from 'ava'
import { runCli } from '../helpers/cli.js'

test('what was said is read by command, and what was drawn is shown', async t => {
  await runCli(t, ['remember', 'The default branch is develop', '--project', 'shop'])
  const run = await runCli(t, ['dream', 'run', '--wait'])
  t.is(run.code, 0, run.stderr)
  t.regex(run.stdout, /^\S+ {2}completed: 1 piece read, \d+ applied, 0 for you to decide$/m)
  const status = await runCli(t, ['dream', 'status'])
  t.regex(status.stdout, /mode +controlled-write/)
  t.regex(status.stdout, /reader +deterministic/)
  t.regex(status.stdout, /waiting +nothing/)
  const told = (await runCli(t, ['dream', 'status', '--json'])).json()
  t.like(told, { running: false, jobId: null, queue: {} })
  t.regex((await runCli(t, ['ontology', 'show', 'shop'])).stdout, /facts +default branch +develop/)
  await runCli(t, ['config', 'set', 'dreaming.enabled', 'false'])
  const refused = await runCli(t, ['dream', 'run'])
  t.not(refused.code, 0)
  t.regex(refused.stderr, /dreaming\.enabled/)
})

test('the pipeline is paused, shown and resumed by command (operations.md 6.2)', async t => {
  const pause = await runCli(t, ['pipeline', 'pause'])
  t.is(pause.code, 0, pause.stderr)
  t.is(pause.stdout, 'Paused; nothing was on its way')
  t.regex((await runCli(t, ['status'])).stdout, /^background +paused: .*memory pipeline resume/mu)
  const refused = await runCli(t, ['dream', 'run'])
  t.regex(refused.stderr, /memory pipeline resume/u)
  const shown = await runCli(t, ['pipeline', 'status'])
  t.regex(shown.stdout, /^mode +paused/mu)
  t.regex(shown.stdout, /^database +gives back what it no longer needs$/mu)
  t.like((await runCli(t, ['pipeline', 'resume', '--json'])).json(), {
    changed: true,
    mode: 'controlled-write',
  })
  t.is((await runCli(t, ['pipeline', 'resume'])).stdout, 'It was not paused')
})
