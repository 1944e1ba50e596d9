import test from 'ava'
import { runCli } from '../helpers/cli.js'

test('memory telemetry recalls shows what was asked and found, replay asks it again, and deletion takes it away', async t => {
  const off = await runCli(t, ['telemetry', 'recalls'])
  t.regex(off.stderr, /not recorded\. Next: memory config set telemetry\.memorySearchQaEnabled true/u)
  await runCli(t, ['config', 'set', 'telemetry.memorySearchQaEnabled', 'true'])
  await runCli(t, ['daemon', 'restart'])
  await runCli(t, ['remember', 'the port is 8080'])
  await runCli(t, ['recall', 'which port'])
  await runCli(t, ['recall', 'bicycle'])
  const lines = (await runCli(t, ['telemetry', 'recalls'])).stdout.trim().split('\n')
  t.deepEqual(
    lines.map(line => line.split('\t').at(-1)),
    ['bicycle', 'which port'],
  )
  const { items } = (await runCli(t, ['telemetry', 'recalls', '--no-hits', '--json'])).json() as {
    items: { query: string }[]
  }
  t.deepEqual(
    items.map(({ query }) => query),
    ['bicycle'],
  )
  await runCli(t, ['remember', 'the bicycle is green'])
  const replay = await runCli(t, ['replay'])
  t.regex(
    replay.stdout,
    /^bicycle\n {2}\+ 1\. {2}the bicycle is green \(new\)\n2 queries: 1 as before, 1 changed\n/u,
  )
  const { summary } = (await runCli(t, ['replay', '--no-hits', '--json'])).json() as { summary: object }
  t.like(summary, { queries: 1, found: 1, no_hits: { before: 1, after: 0 } })
  t.is((await runCli(t, ['telemetry', 'recalls', '--delete'])).code, 2)
  const deleted = await runCli(t, ['telemetry', 'recalls', '--delete', '--yes'])
  t.regex(deleted.stdout, /2 recorded recalls deleted/u)
  t.is((await runCli(t, ['telemetry', 'recalls'])).stdout.trim(), '')
})
