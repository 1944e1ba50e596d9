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
