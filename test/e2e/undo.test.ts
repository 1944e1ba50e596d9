import test, { type ExecutionContext } from 'ava'
import { daemonHere, runHere } from '../helpers/commands-here.js'

const remember = async (t: ExecutionContext, text: string): Promise<string> =>
  (await runHere(t, ['remember', text, '--no-project', '--json'])).json().id

const idsLeft = async (t: ExecutionContext): Promise<string[]> =>
  (await runHere(t, ['list', '-q'])).stdout.split('\n').filter(Boolean).sort()

const forget = (t: ExecutionContext, ...ids: string[]) =>
  runHere(t, ['forget', ...ids, '--yes', '--reason', 'clean up'])

test('undo brings back all that was forgotten last, then what was forgotten before (rules.md 4.5)', async t => {
  const ids = [await remember(t, 'one'), await remember(t, 'two'), await remember(t, 'three')]
  const gone = await forget(t, ids[0] as string, ids[1] as string)
  t.regex(
    gone.stdout,
    /^Forgot 2 memories\n(?: {2}\S+ {2}fact {2}(?:one|two)\n){2}To bring all 2 back within 30 days: memory undo$/,
  )
  await forget(t, ids[2] as string)
  t.deepEqual(await idsLeft(t), [])
  const listed = (await runHere(t, ['undo', '--list', '--json'])).json()
  t.deepEqual(
    listed.removals.map(({ memories, reason }: { memories: unknown[]; reason: string }) => [
      memories.length,
      reason,
    ]),
    [
      [1, 'clean up'],
      [2, 'clean up'],
    ],
  )
  const second = await runHere(t, ['undo', '@2'])
  t.regex(second.stdout, /^Recovered 2 memories\n {2}\S+ {2}fact {2}one\n {2}\S+ {2}fact {2}two$/)
  t.is((await runHere(t, ['undo'])).stdout.split('\n')[0], 'Recovered 1 memory')
  t.deepEqual(await idsLeft(t), ids.sort())
  const none = await runHere(t, ['undo'])
  t.is(none.code, 3)
  t.regex(none.stderr, /nothing to undo/)
})

test('undo brings back nothing that another actor forgot', async t => {
  const id = await remember(t, 'one')
  const { call } = await daemonHere(t)
  const query = { reason: 'r' }
  await call('DELETE /api/memory/:id', { params: { id }, query, headers: { 'x-service-actor': 'somebody' } })
  t.deepEqual(await idsLeft(t), [])
  t.is((await runHere(t, ['undo'])).code, 3)
})

test('recover takes several ids, and says which were not recovered', async t => {
  const ids = [await remember(t, 'one'), await remember(t, 'two')]
  const kept = await remember(t, 'three')
  await forget(t, ...ids)
  const many = await runHere(t, ['recover', ...ids.map(id => id.slice(-8)), kept, '--reason', 'still true'])
  t.is(many.code, 4)
  t.regex(many.stdout, new RegExp(`Recovered {2}${ids[0]}[\\s\\S]+Not recovered {2}${kept} {2}not deleted`))
  t.deepEqual(await idsLeft(t), [...ids, kept].sort())
  t.is((await runHere(t, ['recover'])).code, 2)
})
