import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { cliWorkspace, runCli, withoutVectors } from '../helpers/cli.js'
import { runHere } from '../helpers/commands-here.js'

/** Saves a text and returns its id. */
async function remember(t: ExecutionContext, ...args: string[]): Promise<string> {
  const saved = await runHere(t, ['remember', ...args, '--json'])
  t.is(saved.code, 0, saved.stdout)
  return saved.json().id
}

test('remember accepts words, a pipe, a dash and a file', async t => {
  const words = await runCli(t, [
    'remember',
    'use',
    'pnpm',
    'the',
    'pnpm',
    'way',
    '--tags',
    'a,b',
    '--tag',
    'c',
  ])
  t.is(words.code, 0, words.stderr)
  t.regex(words.stdout, /^Saved {2}[0-9a-f-]{36}\n {2}\w+ {2}importance 0\.80 {2}#a {2}#b {2}#c\n/)
  t.regex(words.stdout, /Next: memory recall "use pnpm the pnpm way"/)
  t.is((await runCli(t, ['remember', '--json'], { stdin: 'from a pipe' })).json().content, 'from a pipe')
  t.is((await runCli(t, ['remember', '-', '--json'], { stdin: 'from a dash' })).json().content, 'from a dash')
  const file = join(cliWorkspace(t), 'note.txt')
  writeFileSync(file, 'from a file')
  t.is((await runCli(t, ['remember', '--file', file, '--json'])).json().content, 'from a file')
})

test('words after a flag’s value are not added to an earlier text', async t => {
  for (const words of [
    ['the text', '--tags', 'a', 'b', 'c'],
    ['-', '-t', 'a', 'b', 'c', '--pin'],
  ]) {
    const { code, stderr } = await runHere(t, ['remember', ...words], { stdin: 'piped' })
    t.is(code, 2)
    t.regex(stderr, /"b c" after --tags would be added to the text\nnext: --tags a,b,c /)
  }
  const hint = await runHere(t, ['remember', 'the text', '--hint', 'how', 'so'])
  t.regex(hint.stderr, /next: --hint "how so"/)
  const agent = await runHere(t, ['remember', 'the text', '--agent', 'ada', 'and', 'ben'])
  t.regex(agent.stderr, /"and ben" after --agent would be added to the text/)
  t.is((await runHere(t, ['list', '--json'])).json().stats.total, 0)
  const whole = await runHere(t, ['remember', '--tags', 'a', '--pin', 'we', 'deploy', '--json'])
  t.like(whole.json(), { content: 'we deploy', tags: 'a' })
  const behindPin = await runHere(t, ['remember', 'one', '--pin', 'two', '--json'])
  t.is(behindPin.json().content, 'one two')
})

test('every flag of remember reaches the record (rules.md 4.3)', async t => {
  const old = await remember(t, 'we deploy by hand')
  const id = await remember(
    t,
    ...['we deploy by pipeline', '--type', 'procedural', '--importance', '0.5', '--pin', '--project', 'api'],
    ...[
      '--who',
      'maya',
      '--created-at',
      '2025-01-31',
      '--valid-until',
      '2030-01-01',
      '--hint',
      'how do we ship',
      '--hints',
      'how does a release go out',
    ],
    ...[
      '--source-type',
      'wiki',
      '--source-id',
      'w1',
      '--source-path',
      'deploy.md',
      '--idempotency-key',
      'k1',
    ],
    ...['--supersedes', old, '--reason', 'automated'],
  )
  const record = (await runHere(t, ['get', id, '--json'])).json()
  t.like(record, {
    type: 'procedural',
    importance: 0.5,
    pinned: 1,
    project: 'api',
    who: 'maya',
    created_at: '2025-01-31T00:00:00.000Z',
    valid_until: '2030-01-01T00:00:00.000Z',
    hints: ['how do we ship', 'how does a release go out'],
    source_type: 'wiki',
    source_id: 'w1',
    source_path: 'deploy.md',
    idempotency_key: 'k1',
  })
  t.like((await runHere(t, ['get', old, '--json'])).json(), {
    superseded_by: id,
    superseded_reason: 'automated',
  })
})

test('a known text is not saved twice', async t => {
  const id = await remember(t, 'tabs are eight columns')
  const again = await runHere(t, ['remember', 'Tabs are eight columns.'])
  t.true(again.stdout.startsWith(`Already saved  ${id}`))
})

test('recall prints results to stdout and its method to stderr', async t => {
  withoutVectors(t, 'local')
  const id = await remember(t, 'We decided to keep billing in PostgreSQL', '--tags', 'billing')
  await remember(t, 'Maya prefers small pull requests')
  const found = await runHere(t, ['recall', 'which', 'database', 'holds', 'billing'])
  t.is(found.code, 0)
  t.regex(
    found.stdout,
    /^ 1 {2}\d\.\d\d {2}decision {2}just now\n {4}We decided to keep billing in PostgreSQL\n/,
  )
  t.true(found.stdout.includes(`${id} · #billing`))
  t.regex(found.stderr, /^1 memory in [\d.]+ m?s, keyword only: /)
})

test('recall explains once a day why it uses only keywords, and never in JSON', async t => {
  withoutVectors(t, 'local')
  await remember(t, 'We decided to keep billing in PostgreSQL')
  const recall = async (...flags: string[]) =>
    (await runHere(t, ['recall', 'billing', ...flags], { env: { SERVICE_EMBEDDING_DOWNLOAD: '0' } })).stderr
  t.is(await recall('--json'), '')
  t.regex(await recall(), /keyword only: .*memory embedding pull/)
  t.regex(await recall(), /keyword only$/)
})

test('recall applies filters and prints only JSON with --json', async t => {
  const id = await remember(t, 'the api deploys on Friday', '--project', 'api', '--tags', 'release')
  await remember(t, 'the web app deploys on Monday', '--project', 'web')
  const only = async (...flags: string[]) =>
    (await runHere(t, ['recall', 'when does it deploy', '--json', ...flags]))
      .json()
      .results.map((row: { id: string }) => row.id)
  t.is((await only('--all-projects')).length, 2)
  t.deepEqual(await only('--project', 'api'), [id])
  t.deepEqual(await only('--tags', 'release', '--all-projects'), [id])
  t.deepEqual(await only('--until', '1d'), [])
  t.is((await only('--since', '1d', '--limit', '1', '--all-projects')).length, 1)
})

test('a recall without hits succeeds and names a next step', async t => {
  const none = await runHere(t, ['recall', 'zebra'])
  t.is(none.code, 0)
  t.is(none.stdout, '')
  t.regex(none.stderr, /No memory matches "zebra"\. Try other words, or save it/)
  t.deepEqual((await runHere(t, ['recall', 'zebra', '--json'])).json().results, [])
})

test('colours appear on terminals, or when forced', async t => {
  await remember(t, 'billing is in PostgreSQL')
  const sequence = '\u001b['
  t.false((await runHere(t, ['recall', 'billing'])).stdout.includes(sequence))
  t.true((await runHere(t, ['recall', 'billing'], { env: { FORCE_COLOR: '1' } })).stdout.includes(sequence))
})

test('forget needs --yes without a terminal but no reason, and a dry run changes nothing', async t => {
  const id = await remember(t, 'scratch note', '--tags', 'scratch')
  const refused = await runHere(t, ['forget', id])
  t.is(refused.code, 2)
  t.regex(refused.stderr, /confirm with --yes[\s\S]*--dry-run/)
  const dry = await runHere(t, ['forget', '--tags', 'scratch', '--dry-run'])
  t.is(dry.code, 0)
  t.true(dry.stdout.startsWith(id))
  t.regex(dry.stderr, /Would forget 1 memory\. No changes made\./)
  t.is((await runHere(t, ['get', id])).code, 0)
  t.is((await runHere(t, ['forget', id, '--yes'])).code, 0)
  t.regex((await runHere(t, ['history', id])).stdout, /forgotten on the command line/)
  t.is((await runHere(t, ['recover', id])).code, 0)
})

test('forget, history and recover complete a round trip', async t => {
  const id = await remember(t, 'the flaky test is quarantined')
  const forgot = await runHere(t, ['forget', id, '--yes', '--reason', 'fixed'])
  t.is(forgot.code, 0, forgot.stderr)
  t.regex(
    forgot.stdout,
    /^Forgot 1 memory\n {2}\S+ {2}\w+ {2}.+\nTo bring it back within 30 days: memory undo$/,
  )
  t.is((await runHere(t, ['get', id])).code, 3)
  t.is((await runHere(t, ['recover', id, '--reason', 'broken again'])).code, 0)
  t.is((await runHere(t, ['recover', id, '--reason', 'twice'])).code, 4)
  const { history } = (await runHere(t, ['history', id, '--json'])).json()
  t.deepEqual(
    history.map(({ event, reason }: { event: string; reason: string }) => [event, reason]).slice(1),
    [
      ['deleted', 'fixed'],
      ['recovered', 'broken again'],
    ],
  )
})

test('pinned memories are kept without --force, with their own exit code', async t => {
  const id = await remember(t, 'critical: never push to main')
  const kept = await runHere(t, ['forget', id, '--yes', '--reason', 'x'])
  t.is(kept.code, 4)
  t.true(kept.stdout.includes(`not forgotten: ${id}, pinned, add --force`))
  t.is((await runHere(t, ['forget', id, '--yes', '--reason', 'x', '--force'])).code, 0)
})

test('a missing id does not keep others from being forgotten', async t => {
  const id = await remember(t, 'to be forgotten')
  const mixed = await runHere(t, ['forget', id, 'nobody', '--yes', '--reason', 'x', '--json'])
  t.is(mixed.code, 4)
  t.like(mixed.json(), { requested: 2, deleted: 1 })
  t.is((await runHere(t, ['forget', 'nobody', '--yes', '--reason', 'x'])).code, 3)
})

test('forget without a target is refused', async t => {
  t.is((await runCli(t, ['forget', '--yes', '--reason', 'all of it'])).code, 2)
})

test('list prints pages with tab-separated fields to a pipe', async t => {
  const first = await remember(t, 'first')
  const second = await remember(t, 'second')
  const page = await runHere(t, ['list', '--limit', '1'])
  t.deepEqual(page.stdout.split('\t').slice(0, 1), [second])
  t.regex(page.stderr, /1-1 of 2 memories.*--offset 1/)
  t.true((await runHere(t, ['list', '--offset', '1'])).stdout.startsWith(first))
})

test('list shows memories of a period, and forgotten ones with how to recover them', async t => {
  const old = await remember(t, 'the old way', '--created-at', '2026-01-05')
  const gone = await remember(t, 'the wrong way')
  await runHere(t, ['forget', gone, '--yes', '--reason', 'wrong'])
  const ids = async (...flags: string[]) => {
    const { stdout, stderr } = await runHere(t, ['list', ...flags])
    return [stdout.split('\n').map(line => line.split('\t')[0]), stderr]
  }
  t.deepEqual(await ids('--until', '2026-01-31'), [[old], '1 memory'])
  t.deepEqual(await ids('--since', '1h'), [[''], 'No memories of this project match these filters'])
  t.deepEqual(await ids('--forgotten'), [
    [gone],
    '1 forgotten memory\nTo bring one back within 30 days: memory recover @1',
  ])
  t.regex((await runHere(t, ['list', '--since', 'soon'])).stderr, /--since: "soon" is not a valid time/)
  const get = await runHere(t, ['get', gone])
  t.is(get.code, 3)
  t.regex(get.stderr, /was forgotten; recover it within 30 days: memory recover \S+$/m)
})

test('an unknown project gets similar names, and a known or absolute one none', async t => {
  await remember(t, 'the shop sells tea', '--project', 'shop')
  for (const words of [
    ['list'],
    ['recall', 'tea'],
    ['search', 'tea'],
    ['forget', '-q', 'tea', '--dry-run'],
    ['sessions', 'list'],
  ]) {
    const { stderr, code } = await runHere(t, [...words, '--project', 'shp'])
    t.is(code, 0, words[0])
    t.regex(stderr, /No project is called "shp"; did you mean: shop$/mu, words[0])
  }
  t.regex((await runHere(t, ['list', '-p', 'zzz'])).stderr, /"zzz"; memory projects lists them/u)
  for (const project of ['shop', '/work/shop'])
    t.false((await runHere(t, ['list', '-p', project, '--type', 'rule'])).stderr.includes('No project is'))
})

test('invalid values name their flag', async t => {
  const since = await runCli(t, ['recall', 'x', '--since', 'soon'])
  t.is(since.code, 2)
  t.regex(since.stderr, /--since: "soon" is not a valid time: use 2026-01-31/)
  t.is((await runCli(t, ['remember', 'x', '--importance', '7'])).code, 2)
  t.is((await runCli(t, ['remember', 'x', '--type', 'story'])).code, 2)
  t.is((await runCli(t, ['recall', '--tpye', 'fact', 'x'])).code, 2)
})
