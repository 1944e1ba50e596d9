import test from 'ava'
import { capture } from '../../helpers/captures.js'
import { startDaemon } from '../../helpers/daemon.js'
import { until } from '../../helpers/daemon-process.js'
import { connectHttp } from '../../helpers/mcp.js'
import { operation, perform } from '../../helpers/ontology.js'

test('sessions, entities and documents are resources, with completion (mcp.md 4.9)', async t => {
  const daemon = await startDaemon(t)
  const id = await daemon.remember('The pump is owned by Ann Keller')
  await capture(daemon, { sessionKey: 's/1', project: '/p', transcript: 'user: why does the pump leak' })
  await perform(daemon, [operation('create_entity', { name: 'Pump 7', type: 'component' }, { [id]: 'pump' })])
  const { body } = await daemon.call('POST /api/documents', {
    body: { source_type: 'text', title: 'Manual', content: 'Oil the pump twice a year.' },
  })
  await until(async () => {
    const { status } = (await daemon.call('GET /api/documents/:id', { params: { id: body.id } })).body
    return status === 'done' || undefined
  })
  const client = await connectHttp(t, daemon.url, { query: '?resources&prompts' })
  const { resources } = await client.listResources()
  const read = async (uri: string) => {
    t.true(
      resources.some(resource => resource.uri === uri),
      uri,
    )
    const [content] = (await client.readResource({ uri })).contents
    return content && 'text' in content ? content.text : ''
  }
  t.regex(await read(`memory://${id}`), /Ann Keller/u)
  t.regex(await read('memory://session/s%2F1'), /user: why does the pump leak/u)
  t.regex(await read('memory://entity/Pump%207'), /^Pump 7 \(component\)/u)
  t.regex(await read(`memory://document/${body.id}`), /twice a year/u)
  for (const uri of ['memory://entity/Nobody', 'memory://session/', 'memory://%E0', 'http://x'])
    await t.throwsAsync(client.readResource({ uri }), { message: /-32002/ }, uri)
  const complete = async (name: string, value: string) => {
    const ref = { type: 'ref/prompt' as const, name: 'recall' }
    return (await client.complete({ ref, argument: { name, value } })).completion.values
  }
  t.deepEqual(await complete('topic', 'pum'), ['Pump 7'])
  t.deepEqual(await complete('key', 's'), ['s/1'])
  t.deepEqual(await complete('other', ''), [])
})

test('prompts save, hand over and review (mcp.md 4.9)', async t => {
  const daemon = await startDaemon(t)
  const client = await connectHttp(t, daemon.url, { query: '?prompts=true' })
  t.deepEqual(
    (await client.listPrompts()).prompts.map(({ name }) => name),
    ['recall', 'remember', 'handover', 'review'],
  )
  const textOf = async (name: string, args?: Record<string, string>) => {
    const { messages } = await client.getPrompt({ name, ...(args && { arguments: args }) })
    const [{ content }] = messages as [(typeof messages)[number]]
    return content.type === 'text' ? content.text : ''
  }
  t.regex(await textOf('remember', { what: 'tea is green' }), /memory_store .+: tea is green\./u)
  t.regex(await textOf('remember'), /from this conversation/u)
  t.notRegex(await textOf('handover'), /issues are open/u)
  await daemon.remember('The login test fails at random', { type: 'issue' })
  t.regex(await textOf('handover'), /issues are open[\s\S]+login test fails/u)
  t.regex(await textOf('review'), /no suggestion waits/u)
  t.falsy(client.getServerCapabilities()?.resources)
})
