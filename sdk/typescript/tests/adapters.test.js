// Uses the adapters of an installed client with the real frameworks and fake models; `.ci/sdks` runs it.
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { FakeChatModel } from '@langchain/core/utils/testing'
import { Annotation, StateGraph } from '@langchain/langgraph'
import { Agent, run, setTracingDisabled, Usage } from '@openai/agents'
import { generateText, isStepCount, streamText, wrapLanguageModel } from 'ai'
import { MockLanguageModelV4, simulateReadableStream } from 'ai/test'
import { Memory } from 'memory-service-client'
import { memoryMiddleware, memoryTools } from 'memory-service-client/adapters/ai'
import { MemoryStore } from 'memory-service-client/adapters/langgraph'
import { KeptSession, memoryTools as openaiTools } from 'memory-service-client/adapters/openai-agents'

const memory = new Memory()
const away = new Memory({ url: 'http://127.0.0.1:9', retries: 0 })
const prompt = 'Which staging database do we use?'
const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
}
const stop = { unified: 'stop', raw: 'stop' }

before(async () => {
  setTracingDisabled(true)
  await memory.remember('The staging database is Postgres 16')
})

/** The text of the last message of the user, as a model gets it. */
const readBy = messages =>
  messages
    .findLast(({ role }) => role === 'user')
    .content.map(({ text }) => text)
    .join('\n')

const models = {
  /** Answers with what it was given. */
  ai: () =>
    new MockLanguageModelV4({
      doGenerate: async ({ prompt: messages }) => ({
        content: [{ type: 'text', text: `I read: ${readBy(messages)}` }],
        finishReason: stop,
        usage,
        warnings: [],
      }),
    }),
  langchain: () => new FakeChatModel({}),
  'openai-agents': () => ({
    getResponse: async ({ systemInstructions, input }) => ({
      usage: new Usage(),
      output: [said(`I read: ${systemInstructions}\n${input.length} items`)],
    }),
  }),
  'claude-agent': () => new URL('fake-claude.js', import.meta.url).pathname,
}
const said = text => ({
  type: 'message',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text }],
})

// Each example of the page, with `memory`, `model` and `prompt` as the page names them.
const page = readFileSync(process.env.SDKS_PAGE, 'utf8')
const examples = page.matchAll(
  /```js\n((?:(?!```)[\s\S])*memory-service-client\/adapters\/([\w-]+)'[\s\S]*?)```/g,
)
for (const [, code, name] of examples) {
  test(`the example of ${name}`, async () => {
    assert.ok(code.trim().split('\n').length <= 5, 'more than five lines')
    const lines = []
    globalThis.example = { memory, prompt, model: models[name]?.(), print: text => lines.push(String(text)) }
    const given = 'const { memory, model, prompt, print } = globalThis.example\n'
    const path = new URL(`example-${name}.js`, import.meta.url)
    writeFileSync(path, code.replaceAll('console.log', 'print').replace(/\n(?!import)/, `\n${given}`))
    await import(path)
    console.log(`-- ${name}\n${lines.join('\n')}`)
    assert.match(lines.join('\n'), name === 'langgraph' ? /green tea/ : /Postgres 16/)
  })
}

test('AI SDK: a model saves and recalls by tools, and a stream gets context', async () => {
  const calls = [
    ['remember', { content: 'The pier has nine bollards' }],
    ['recall', { query: 'how many bollards has the pier' }],
    ['recall', {}],
  ]
  const results = []
  const model = new MockLanguageModelV4({
    doGenerate: async ({ prompt: messages }) => {
      const last = messages.at(-1)
      if (last.role === 'tool') results.push(last.content[0].output.value)
      const [toolName, input] = calls[results.length] ?? []
      const content = toolName
        ? [
            {
              type: 'tool-call',
              toolCallId: `call-${results.length}`,
              toolName,
              input: JSON.stringify(input),
            },
          ]
        : [{ type: 'text', text: 'done' }]
      return {
        content,
        finishReason: { unified: toolName ? 'tool-calls' : 'stop', raw: '' },
        usage,
        warnings: [],
      }
    },
  })
  const { text } = await generateText({
    model,
    tools: memoryTools(memory),
    stopWhen: isStepCount(5),
    prompt: 'Go',
  })
  assert.equal(text, 'done')
  assert.match(results[0], /^Saved as /)
  assert.match(results[1], /nine bollards/)
  assert.match(results[2], /query is missing/)

  const parts = [
    { type: 'text-start', id: '1' },
    { type: 'text-delta', id: '1', delta: 'yes' },
    { type: 'text-end', id: '1' },
    { type: 'finish', finishReason: stop, usage },
  ]
  const streaming = new MockLanguageModelV4({
    doStream: async () => ({ stream: simulateReadableStream({ chunks: parts }) }),
  })
  const stream = streamText({
    model: wrapLanguageModel({ model: streaming, middleware: memoryMiddleware(memory) }),
    prompt,
  })
  assert.equal(await stream.text, 'yes')
  assert.match(readBy(streaming.doStreamCalls[0].prompt), /Postgres 16/)
})

test('AI SDK: without the service a model answers all the same', async () => {
  const faults = []
  const middleware = memoryMiddleware(away, { onError: error => faults.push(error.name) })
  const model = wrapLanguageModel({ model: models.ai(), middleware })
  assert.equal((await generateText({ model, prompt })).text, `I read: ${prompt}`)
  assert.deepEqual(faults, ['ConnectionError'])
  const { recall } = memoryTools(away)
  assert.match(await recall.execute({ query: 'x' }), /^The memory failed: /)
})

test('LangGraph: a store saves, replaces, filters, lists and deletes', async () => {
  const store = new MemoryStore(memory, { project: 'graph' })
  await store.put(['users', 'ada, née B'], 'likes', { text: 'Ada likes green tea', rank: 3 })
  await store.put(['users', 'ada, née B'], 'name', { text: 'Ada of the lighthouse' })
  await store.put(['users', 'bob'], 'likes', { text: 'Bob likes coffee', rank: 1, tags: ['hot'] })
  await store.put(['plans'], 'tea', { text: 'Buy green tea for the office' })

  const first = await store.get(['users', 'ada, née B'], 'likes')
  assert.deepEqual(first.value, { text: 'Ada likes green tea', rank: 3 })
  await pause(5)
  await store.put(['users', 'ada, née B'], 'likes', { text: 'Ada likes  black tea', rank: 4 })
  const second = await store.get(['users', 'ada, née B'], 'likes')
  assert.deepEqual(second.value, { text: 'Ada likes  black tea', rank: 4 })
  assert.equal(second.createdAt.getTime(), first.createdAt.getTime())
  assert.ok(second.updatedAt > first.updatedAt)

  const found = await store.search(['users'], { query: 'tea' })
  assert.deepEqual(
    found.map(({ key, namespace }) => [...namespace, key]),
    [['users', 'ada, née B', 'likes']],
  )
  assert.ok(found[0].score > 0)
  assert.deepEqual(await keys(store.search(['users'], { filter: { rank: { $gte: 2 } } })), ['likes'])
  assert.deepEqual(await keys(store.search(['users'], { filter: { rank: { $ne: 4 }, tags: ['hot'] } })), [
    'likes',
  ])
  assert.equal((await store.search([])).length, 4)
  assert.deepEqual(
    await keys(store.search(['users'], { offset: 1, limit: 1 })),
    (await keys(store.search(['users']))).slice(1, 2),
  )
  assert.deepEqual((await store.listNamespaces({ prefix: ['users'] })).sort(), [
    ['users', 'ada, née B'],
    ['users', 'bob'],
  ])
  assert.deepEqual((await store.listNamespaces({ maxDepth: 1 })).sort(), [['plans'], ['users']])
  assert.deepEqual(await store.listNamespaces({ suffix: ['*', 'bob'] }), [['users', 'bob']])

  const other = new MemoryStore(memory, { project: 'another graph' })
  await other.put(['users', 'bob'], 'likes', { text: 'Bob likes coffee', rank: 1, tags: ['hot'] })
  await store.delete(['users', 'bob'], 'likes')
  assert.equal((await other.get(['users', 'bob'], 'likes')).value.rank, 1)
  assert.equal(await store.get(['users', 'bob'], 'likes'), null)
  await store.put(['users', 'bob'], 'likes', { text: 'Bob likes coffee', rank: 1 })
  assert.deepEqual((await store.get(['users', 'bob'], 'likes')).value, { text: 'Bob likes coffee', rank: 1 })
  await assert.rejects(
    store.put(['users', 'bob'], 'LIKES', { text: 'Bob likes coffee', rank: 1 }),
    /another case/,
  )
})

const keys = async found => (await found).map(({ key }) => key)

test('LangGraph: a node of a graph finds its store, and others find its items', async () => {
  const State = Annotation.Root({ question: Annotation(), answer: Annotation() })
  const graph = new StateGraph(State)
    .addNode('model', async ({ question }, { store }) => {
      const [best] = await store.search(['harbour'], { query: question })
      const { content } = await models.langchain().invoke(`${question} ${best.value.text}`)
      return { answer: content }
    })
    .addEdge('__start__', 'model')
    .compile({ store: new MemoryStore(memory) })
  await new MemoryStore(memory).put(['harbour'], 'crane', { text: 'The crane lifts 40 tonnes' })
  const { answer } = await graph.invoke({ question: 'What does the crane lift?' })
  assert.match(answer, /40 tonnes/)
  assert.match((await memory.context('what does the crane lift')).text, /40 tonnes/)
})

test('OpenAI Agents: a model uses the tools, and a session outlives its object', async () => {
  const calls = [
    ['remember', { content: 'The ferry leaves at nine' }],
    ['recall', { query: 'when does the ferry leave' }],
  ]
  const results = []
  const model = {
    getResponse: async ({ input }) => {
      const result = [].concat(input).findLast(({ type }) => type === 'function_call_result')
      if (result && [].concat(input).at(-1) === result) results.push(result.output.text)
      const [name, args] = calls[results.length] ?? []
      const call = {
        type: 'function_call',
        callId: `c${results.length}`,
        name,
        arguments: JSON.stringify(args),
      }
      const output = [name ? { ...call, status: 'completed' } : said('The ferry is kept in mind')]
      return { usage: new Usage(), output }
    },
  }
  const agent = new Agent({ name: 'Pilot', model, tools: openaiTools(memory) })
  const session = new KeptSession(memory, 'openai-1')
  const { finalOutput } = await run(agent, 'Remember the ferry', { session })
  assert.equal(finalOutput, 'The ferry is kept in mind')
  assert.match(results[0], /^Saved as /)
  assert.match(results[1], /leaves at nine/)
  assert.ok((await session.getItems()).length >= 6)
  assert.equal((await session.getItems(2)).length, 2)

  const again = await eventually(async () => {
    const items = await new KeptSession(memory, 'openai-1').getItems()
    return items.length > 1 ? items : undefined
  })
  assert.deepEqual(again, [{ role: 'user', content: 'Remember the ferry' }, { ...again[1] }])
  assert.equal(again[1].content[0].text, 'The ferry is kept in mind')
  assert.equal((await session.popItem()).content[0].text, 'The ferry is kept in mind')
  await session.clearSession()
  assert.deepEqual(await session.getItems(), [])
  // A session without the service is one in memory.
  const lonely = new KeptSession(away, 'openai-2', { onError: () => {} })
  await lonely.addItems([said('hello')])
  assert.equal((await lonely.getItems()).length, 1)
})

async function eventually(look) {
  for (let tries = 0; tries < 120; tries++) {
    const found = await look()
    if (found) return found
    await pause(500)
  }
  throw new Error('it did not come')
}

test('Claude Agent SDK: what was said is kept when Claude stops', async () => {
  const { query } = await import('@anthropic-ai/claude-agent-sdk')
  const { memoryHooks } = await import('memory-service-client/adapters/claude-agent')
  const transcript = join(mkdtempSync(join(tmpdir(), 'claude-')), 'session.jsonl')
  const lines = [
    { type: 'user', message: { role: 'user', content: 'Who paints the lighthouse?' } },
    {
      type: 'assistant',
      message: { role: 'assistant', content: [{ type: 'text', text: 'Edda paints it white.' }] },
    },
  ]
  writeFileSync(transcript, lines.map(line => JSON.stringify({ sessionId: 's', ...line })).join('\n'))
  const run = async of => {
    const options = {
      hooks: memoryHooks(of, { onError: error => faults.push(error.name) }),
      pathToClaudeCodeExecutable: models['claude-agent'](),
      env: { ...process.env, FAKE_TRANSCRIPT: transcript, FAKE_SESSION: 'claude-2' },
    }
    for await (const message of query({ prompt, options }))
      if (message.type === 'result') return message.result
  }
  const faults = []
  assert.match(await run(memory), /Memory across sessions[\s\S]*Postgres 16/)
  assert.deepEqual(faults, [])
  const [hit] = await eventually(async () => {
    const hits = await memory.sessions.search('Edda paints')
    return hits.length > 0 ? hits : undefined
  })
  assert.equal(hit.sessionKey, 'claude-2')
  assert.match(await run(away), /^I read: \s*$/)
  assert.ok(faults.length > 0)
})

after(() => setTimeout(() => process.exit(), 1000).unref())
