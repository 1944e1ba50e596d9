// runs: in turn

import test from 'ava'
import { runHere } from '../helpers/commands-here.js'
import { callTool, connectStdio } from '../helpers/mcp.js'

test('three memories are listed, forgotten by their rows, brought back at once, and opened by an agent', async t => {
  const texts = ['The ferry leaves at nine', 'The train leaves at ten', 'The bus leaves at eleven']
  for (const text of texts) t.is((await runHere(t, ['remember', text, '--no-project'])).code, 0)
  const listed = await runHere(t, ['list'])
  const ids = listed.stdout.split('\n').map(line => line.split('\t')[0] as string)
  t.is(ids.length, 3)
  const gone = await runHere(t, ['forget', '@1', '@2', '@3', '--yes', '--reason', 'clean up'])
  t.regex(gone.stdout, /^Forgot 3 memories[\s\S]+To bring all 3 back within 30 days: memory undo$/)
  const client = await connectStdio(t)
  const short = (ids[2] as string).slice(-8)
  t.true((await callTool(client, 'memory_get', { id: short })).isError)
  t.is((await runHere(t, ['undo'])).stdout.split('\n')[0], 'Recovered 3 memories')
  const opened = await callTool(client, 'memory_get', { id: `(id ${short})` })
  t.is(opened.data.id, ids[2])
  t.regex(opened.text, /The ferry leaves at nine/)
  const history = await runHere(t, ['history', '@3', '--json'])
  t.deepEqual(
    history.json().history.map(({ event }: { event: string }) => event),
    ['created', 'deleted', 'recovered'],
  )
  await client.close()
})
