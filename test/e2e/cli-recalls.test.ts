import test from 'ava'
import { runCli } from '../helpers/cli.js'

test('memory telemetry recalls shows queries and results, replays them, and deletes them', async t => {
  const off = await runCli(t, ['telemetry', 'recalls'])
  t.regex(
    off.stderr,
    /not recorded\. To record them: memory config set telemetry\.memorySearchQaEnabled true/u,
  )
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
    /^bicycle\n {2}\+ 1\. {2}the bicycle is green \(new\)\n2 queries: 1 unchanged, 1 changed\n/u,
  )
  const { summary } = (await runCli(t, ['replay', '--no-hits', '--json'])).json() as { summary: object }
  t.like(summary, { queries: 1, found: 1, no_hits: { before: 1, after: 0 } })
  t.is((await runCli(t, ['telemetry', 'recalls', '--delete'])).code, 2)
  const deleted = await runCli(t, ['telemetry', 'recalls', '--delete', '--yes'])
  t.regex(deleted.stdout, /Deleted 2 recorded recalls/u)
  t.is((await runCli(t, ['telemetry', 'recalls'])).stdout.trim(), '')
})
