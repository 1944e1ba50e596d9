import test, { type ExecutionContext } from 'ava'
import { runCli } from '../helpers/cli.js'
import { runHere } from '../helpers/commands-here.js'

async function remember(t: ExecutionContext, ...args: string[]): Promise<string> {
  return (await runHere(t, ['remember', ...args, '--json'])).json().id
}

test('edit changes tags, importance and pin, and stores the reason', async t => {
  const id = await remember(t, 'the release train leaves on Tuesday', '--tags', 'old')
  const edited = await runHere(t, [
    ...['edit', id, '--tags', 'release,ci', '--importance', '0.3', '--pin', '--reason', 'sorted'],
  ])
  t.is(edited.code, 0, edited.stderr)
  t.regex(edited.stdout, new RegExp(`^Changed {2}${id} {2}version 2`))
  t.like((await runHere(t, ['get', id, '--json'])).json(), { tags: 'release,ci', importance: 0.3, pinned: 1 })
  const same = await runHere(t, ['edit', id, '--pin', '--reason', 'again'])
  t.regex(same.stdout, /^Unchanged/)
  t.is((await runHere(t, ['edit', id, '--clear-tags', '--no-pin', '--reason', 'done'])).code, 0)
  t.like((await runHere(t, ['get', id, '--json'])).json(), { tags: '', pinned: 0 })
  const { history } = (await runHere(t, ['history', id, '--json'])).json()
  t.deepEqual(
    history.map(({ reason }: { reason: string }) => reason),
    ['explicit save', 'sorted', 'done'],
  )
})

test('history shows where a truncated one continues (rules.md 4.4)', async t => {
  const id = await remember(t, 'the ferry leaves at nine')
  for (const flag of ['--pin', '--no-pin'])
    t.is((await runHere(t, ['edit', id, flag, '--reason', `now ${flag}`])).code, 0)
  const cut = await runHere(t, ['history', id, '--limit', '2'])
  t.regex(cut.stdout, /created[\s\S]+now --pin/)
  t.is(cut.stderr, '1-2, next: --offset 2')
  t.is((await runHere(t, ['history', id, '--limit', '2', '--json'])).json().nextOffset, 2)
  const rest = await runHere(t, ['history', id, '--offset', '2'])
  t.regex(rest.stdout, /^\S+ {2}modified.*"now --no-pin"\n/)
  t.is(rest.stderr, '')
  t.like(await runHere(t, ['history', id, '--offset', '9']), {
    code: 0,
    stdout: '',
    stderr: 'No changes after 9',
  })
})

test('edit names missing arguments, and checks the version', async t => {
  const id = await remember(t, 'a note')
  const nothing = await runHere(t, ['edit', id, '--reason', 'r'])
  t.is(nothing.code, 2)
  t.regex(nothing.stderr, /nothing to change: give --text, --type, --project, --tags/)
  t.is((await runHere(t, ['edit', id, '--pin'])).code, 0, 'the reason is optional')
  t.is((await runHere(t, ['edit', id, '--pin', '--reason', 'r', '--if-version', '7'])).code, 4)
  t.is((await runHere(t, ['edit', 'nobody', '--pin', '--reason', 'r'])).code, 3)
})

test('supersede and lineage show the current memory', async t => {
  const old = await remember(t, 'we deploy by hand')
  const head = await remember(t, 'we deploy by pipeline')
  t.is((await runHere(t, ['supersede', old])).code, 2)
  const done = await runHere(t, ['supersede', old, '--by', head, '--reason', 'automated'])
  t.is(done.code, 0, done.stderr)
  t.is((await runHere(t, ['supersede', old, '--by', head, '--reason', 'again'])).code, 4)
  const lineage = await runHere(t, ['lineage', old])
  t.regex(lineage.stdout, new RegExp(`^${head} .*current\n {2}we deploy by pipeline\n${old} .*"automated"`))
})

test('feedback rates memories shown to a session', async t => {
  const id = await remember(t, 'billing is in PostgreSQL')
  const unseen = await runHere(t, ['feedback', '--session', 's1', `${id}=helpful`])
  t.is(unseen.code, 0, unseen.stderr)
  t.regex(unseen.stdout, /^Rated 0 memories; 1 skipped because they were not shown to session s1/)
  t.is((await runHere(t, ['feedback', '--session', 's1', `${id}=5`])).code, 2)
})

test('forget by query also accepts --before', async t => {
  const id = await remember(t, 'old deploy steps', '--created-at', '2024-01-01')
  await remember(t, 'new deploy steps')
  const dry = await runHere(t, [
    'forget',
    '--query',
    'deploy steps',
    '--before',
    '30d',
    '--dry-run',
    '--json',
  ])
  t.deepEqual(
    dry.json().candidates.map((row: { id: string }) => row.id),
    [id],
  )
})

test('browse needs a terminal', async t => {
  const refused = await runCli(t, ['browse'])
  t.is(refused.code, 2)
  t.regex(refused.stderr, /browse needs a terminal[\s\S]*memory recall/)
})
