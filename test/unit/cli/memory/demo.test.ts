import test from 'ava'
import { type DemoDeps, demoMemories, demoQuestions, runDemo } from '../../../../src/cli/memory/demo.js'
import { queryStems } from '../../../../src/cli/memory/highlight.js'
import { colorsFor } from '../../../../src/cli/terminal/output.js'

const silent = new Set(['of', 'the', 'a', 'is', 'are'])

/** A minimal daemon: a query finds the memory that shares most stems with it. */
function fakeDaemon() {
  const rows = new Map<string, { id: string; content: string; deleted: boolean }>()
  const best = (query: string) => {
    const stems = queryStems(query)
    const scoreOf = (content: string) =>
      [...queryStems(content)].filter(stem => stems.has(stem) && !silent.has(stem)).length
    return [...rows.values()]
      .filter(row => !row.deleted && scoreOf(row.content) > 0)
      .sort((a, b) => scoreOf(b.content) - scoreOf(a.content))
      .map(row => ({ ...row, score: 0.5, type: 'fact' }))
  }
  const handlers: Record<string, (request: { body: never; params: never }) => unknown> = {
    'GET /api/status': () => ({ pid: 1, port: 4000, embedding: { available: false, state: 'missing' } }),
    'POST /api/memory/remember': ({ body }) => {
      const { content } = body as { content: string }
      const id = `m${rows.size}`
      rows.set(id, { id, content, deleted: false })
      return { content, type: 'fact', pinned: false }
    },
    'POST /api/memory/recall': ({ body }) => ({
      results: best((body as { query: string }).query),
      method: 'keyword',
    }),
    'DELETE /api/memory/:id': ({ params }) => {
      rows.get((params as { id: string }).id)!.deleted = true
    },
    'POST /api/memory/:id/recover': ({ params }) => {
      rows.get((params as { id: string }).id)!.deleted = false
    },
  }
  return (async (address: string, request: never) => handlers[address]!(request)) as DemoDeps['call']
}

function demo(signal = new AbortController().signal) {
  const lines: string[] = []
  const deps: DemoDeps = {
    call: fakeDaemon(),
    say: line => lines.push(line),
    colors: colorsFor({ isTTY: false }),
    width: 80,
    now: () => 0,
    signal,
  }
  return { lines, run: () => runDemo(deps) }
}

test('the demo answers every question, then forgets the last answer and recovers it', async t => {
  const { lines, run } = demo()
  const result = await run()
  t.is(result.saved, demoMemories.length)
  t.true(result.answers.every(answer => answer.best !== null))
  t.is(new Set(result.answers.map(answer => answer.best!.id)).size, demoQuestions.length)
  t.false(result.forgotten.foundAfter)
  t.true(result.forgotten.foundAfterRecovery)
  t.true(lines.every(line => line.length <= 110))
})

test('without an embedding model the demo says that recall uses words only', async t => {
  const { lines, run } = demo()
  await run()
  t.true(lines.some(line => line.includes('keyword search only')))
})

test('demo questions share no three consecutive words with the memories', t => {
  const words = (text: string) => text.toLowerCase().match(/[a-z0-9]+/g) ?? []
  const runs = (text: string) => words(text).map((_, index, all) => all.slice(index, index + 3).join(' '))
  const known = new Set(demoMemories.flatMap(({ content }) => runs(content)))
  for (const question of demoQuestions) {
    t.deepEqual(
      runs(question).filter(run => run.split(' ').length === 3 && known.has(run)),
      [],
    )
  }
})

test('an aborted demo stops before its next step', async t => {
  const aborter = new AbortController()
  aborter.abort(new Error('stop'))
  const { lines, run } = demo(aborter.signal)
  await t.throwsAsync(run(), { message: 'stop' })
  t.deepEqual(lines, [])
})
