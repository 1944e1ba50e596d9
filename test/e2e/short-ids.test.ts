import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { workspacePaths } from '../../src/lib/workspace/paths.js'
import { cliWorkspace } from '../helpers/cli.js'
import { daemonHere, runHere } from '../helpers/commands-here.js'

async function remember(t: ExecutionContext, ...args: string[]): Promise<string> {
  return (await runHere(t, ['remember', ...args, '--json'])).json().id
}

const rowsOf = (t: ExecutionContext): string => workspacePaths(cliWorkspace(t)).listedRows

test('@1 is the first row of the last list on this terminal (rules.md 4.4)', async t => {
  const old = await remember(t, 'the ferry leaves at nine', '--no-project')
  const id = await remember(t, 'the train leaves at ten', '--no-project')
  t.is((await runHere(t, ['list'])).stdout.split('\t')[0], id)
  t.is((await runHere(t, ['get', '@1', '--json'])).json().id, id)
  t.is((await runHere(t, ['history', '@2', '--json'])).json().memoryId, old)
  t.is((await runHere(t, ['edit', '@2', '--pin', '--reason', 'r', '--json'])).json().id, old)
  t.is((await runHere(t, ['rate', '@2', 'up', '--json'])).json().id, old)
  const replaced = await runHere(t, ['supersede', '@2', '--by', '@1', '--reason', 'r', '--json'])
  t.is(replaced.json().id, old)
  const forgotten = (await runHere(t, ['forget', '@1', '--yes', '--reason', 'r', '--json'])).json()
  t.is(forgotten.results[0].id, id)
})

test('a row that the last list does not have exits with 3, and one of another kind with 2', async t => {
  const first = await runHere(t, ['get', '@1'])
  t.is(first.code, 3)
  t.regex(first.stderr, /none was printed yet[\s\S]+memory list/)
  await remember(t, 'one')
  await runHere(t, ['list'])
  t.regex((await runHere(t, ['get', '@7'])).stderr, /@7 is not a row of the last list .* which has 1/)
  const other = await runHere(t, ['documents', 'show', '@1'])
  t.is(other.code, 2)
  t.regex(other.stderr, /@1 of the last list is of the kind memory, not document[\s\S]+memory documents list/)
})

test('a list with --json keeps the rows of the list before it', async t => {
  const id = await remember(t, 'one', '--no-project')
  await runHere(t, ['list'])
  await remember(t, 'two', '--no-project')
  await runHere(t, ['list', '--json'])
  t.is((await runHere(t, ['get', '@1', '--json'])).json().id, id)
})

test('rows are kept for their owner alone, and a list is printed when they cannot be kept', async t => {
  await remember(t, 'one', '--no-project')
  await runHere(t, ['list'])
  const [file = ''] = readdirSync(rowsOf(t))
  if (process.platform !== 'win32') t.is(statSync(join(rowsOf(t), file)).mode & 0o077, 0)
})

test('a list is printed when its rows cannot be kept', async t => {
  mkdirSync(dirname(rowsOf(t)), { recursive: true })
  writeFileSync(rowsOf(t), '')
  const id = await remember(t, 'one', '--no-project')
  t.like(await runHere(t, ['list', '--limit', '1']), { code: 0, stderr: '1 memory' })
  t.is((await runHere(t, ['get', '@1'])).code, 3)
  t.is((await runHere(t, ['get', id.slice(-6), '--json'])).json().id, id)
})

test('a part of an id is accepted by each command that takes one', async t => {
  const { call } = await daemonHere(t)
  const id = await remember(t, 'the ferry leaves at nine', '--no-project')
  const short = id.slice(-8)
  for (const command of ['get', 'history', 'lineage', 'timeline'])
    t.is((await runHere(t, [command, short])).code, 0, command)
  const forgotten = await runHere(t, ['forget', short, '--yes', '--reason', 'r', '--json'])
  t.like(forgotten.json(), { requested: 1, deleted: 1 })
  t.is((await runHere(t, ['recover', short, '--reason', 'r', '--json'])).json().id, id)

  const sent = await runHere(t, ['messages', 'send', 'hello', '--to', 'default', '--agent', 'maya', '--json'])
  const { id: message } = sent.json().message ?? sent.json().item ?? sent.json()
  t.is((await runHere(t, ['messages', 'ack', message.slice(-8)])).code, 0)

  const body = { content: 'Ferry times', title: 'Ferries', source_type: 'text' as const }
  const { body: document } = await call('POST /api/documents', { body: body as never })
  const shown = await runHere(t, ['documents', 'show', document.id.slice(-8), '--json'])
  t.is(shown.json().id, document.id)
  const gone = await runHere(t, ['documents', 'remove', document.id.slice(-8), '--yes', '--reason', 'r'])
  t.is(gone.code, 0, gone.stderr)
})
