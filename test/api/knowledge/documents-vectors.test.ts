import test from 'ava'
import { startDaemon } from '../../helpers/daemon.js'
import { until } from '../../helpers/daemon-process.js'
import { openaiReply, sendJson, startHttpFake } from '../../helpers/embedding-fakes.js'
import { readText } from '../../helpers/read-documents.js'

const dimensions = 8
const reading = '# Cranes\n\n## Paint\n\nIt is red.'

test('a vector is made from the headings and the text of a chunk', async t => {
  const provider = await startHttpFake(t, (request, response) =>
    sendJson(response, 200, openaiReply(request, dimensions)),
  )
  const embedding = { provider: 'openai', model: 'm', baseUrl: `${provider.url}/v1`, dimensions }
  const daemon = await startDaemon(t, { settings: { embedding } })
  await daemon.remember('the provider is there')
  const id = await readText(daemon, reading)
  const { chunks } = (await daemon.call('GET /api/documents/:id/chunks', { params: { id } })).body
  const [chunk] = chunks
  // If the provider is slow, the back-fill makes the vector.
  await until(() => {
    const texts = provider.requests.flatMap(({ body }) => (JSON.parse(body) as { input: string[] }).input)
    return texts.includes(`Cranes > Paint\n${chunk?.content}`) || undefined
  })
  t.false(chunk?.content.includes('Cranes > Paint'))
})

test('while the provider is down, a document is searchable by keywords and gets its vectors later', async t => {
  let away = true
  const provider = await startHttpFake(t, (request, response) => {
    if (away) response.writeHead(503).end()
    else sendJson(response, 200, openaiReply(request, dimensions))
  })
  const embedding = { provider: 'openai', model: 'm', baseUrl: `${provider.url}/v1`, dimensions }
  const daemon = await startDaemon(t, { settings: { embedding } })
  await readText(daemon, reading)
  t.is((await daemon.recall('cranes paint')).length, 1)
  away = false
  await until(async () => {
    const { body } = await daemon.call('GET /api/status')
    return body.embedding.withoutVector === 0 || undefined
  })
})

test('a chunk is found by its headings', async t => {
  const daemon = await startDaemon(t)
  await readText(daemon, `# Lighthouse\n\n## Optics\n\n${'Lenses turn once a minute. '.repeat(60)}`, {
    title: 'Coast',
  })
  const { body } = await daemon.call('POST /api/memory/recall', {
    body: { query: 'coast lighthouse optics' },
  })
  t.true(body.results.length > 1)
})
