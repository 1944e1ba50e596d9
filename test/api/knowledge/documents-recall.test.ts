import test from 'ava'
import { startDaemon } from '../../helpers/daemon.js'
import { readText } from '../../helpers/read-documents.js'

const reading =
  '# Cranes\n\nThe harbour crane lifts forty containers an hour.\n\n## Paint\n\nIt is painted red.'

test('a recall returns at most three chunks of one document, unless documents are requested', async t => {
  const daemon = await startDaemon(t)
  const sections = Array.from(
    { length: 8 },
    (_, n) => `# Part ${n}\n\nThe harbour crane number ${n} lifts containers.`,
  )
  await readText(daemon, sections.join('\n\n'))
  await daemon.remember('the harbour crane is repaired by Ada')
  const types = async (fields: object) => {
    const { body } = await daemon.call('POST /api/memory/recall', {
      body: { query: 'harbour crane', limit: 20, ...fields },
    })
    return body.results.map(({ type }) => type)
  }
  t.deepEqual((await types({})).sort(), ['document_chunk', 'document_chunk', 'document_chunk', 'fact'])
  t.is((await types({ type: 'document_chunk' })).length, 8)
})

test('hundreds of chunks do not displace a memory from a recall', async t => {
  const daemon = await startDaemon(t)
  const sections = Array.from({ length: 200 }, (_, n) => `# Part ${n}\n\nHarbour crane, harbour crane.`)
  await readText(daemon, sections.join('\n\n'))
  const memory = await daemon.remember(
    `Ada repairs the harbour crane ${'and many other machines besides '.repeat(20)}`,
  )
  const { body } = await daemon.call('POST /api/memory/recall', { body: { query: 'harbour crane' } })
  t.true(body.results.some(({ id }) => id === memory))
  t.true(body.results.some(({ type }) => type === 'document_chunk'))
})

test('documents can be searched without memories', async t => {
  const daemon = await startDaemon(t)
  const id = await readText(daemon, reading, { title: 'Harbour manual', project: '/shop' })
  await daemon.remember('the harbour crane is repaired by Ada')
  const search = async (fields: object) => {
    const { body } = await daemon.call('POST /api/sources/search', {
      body: { query: 'harbour crane', ...fields },
    })
    return body.results
  }
  const [first, ...others] = await search({})
  t.like(first, {
    kind: 'document',
    sourceId: id,
    title: 'Harbour manual',
    heading: 'Cranes',
    project: '/shop',
  })
  t.true(others.every(({ kind }) => kind === 'document'))
  t.is((await search({ sourceId: id })).length, others.length + 1)
  t.deepEqual(await search({ sourceId: 'another' }), [])
  t.deepEqual(await search({ kind: 'coderepo' }), [])
  t.deepEqual(await search({ project: '/other' }), [])
})
