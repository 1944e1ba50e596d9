import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { type ModelServer, startModelServer } from './model-server.js'

const turn = {
  prompt: 'Remember it.',
  answers: [{ call: 'memory_store', input: { content: 'it' } }, { say: 'Done.' }],
}

/** For each protocol a first request, one with the tool's result, and the position of answers. */
const protocols = [
  {
    name: 'Messages',
    path: '/v1/messages',
    tools: [{ name: 'mcp__memory__memory_store' }],
    first: { messages: [{ role: 'user', content: turn.prompt }] },
    more: [
      { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'mcp__memory__memory_store' }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: 'Saved.' }] },
    ],
    list: 'messages',
  },
  {
    name: 'Responses',
    path: '/v1/responses',
    tools: [{ type: 'namespace', name: 'mcp__memory', tools: [{ type: 'function', name: 'memory_store' }] }],
    first: {
      input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: turn.prompt }] }],
    },
    more: [
      { type: 'function_call', name: 'memory_store', call_id: 'a', arguments: '{}' },
      { type: 'function_call_output', call_id: 'a', output: 'Saved.' },
    ],
    list: 'input',
  },
  {
    name: 'Chat Completions',
    path: '/v1/chat/completions',
    tools: [{ type: 'function', function: { name: 'memory_memory_store' } }],
    first: { messages: [{ role: 'user', content: turn.prompt }] },
    more: [
      { role: 'assistant', tool_calls: [{ id: 'a', function: { name: 'memory_memory_store' } }] },
      { role: 'tool', tool_call_id: 'a', content: 'Saved.' },
    ],
    list: 'messages',
  },
  {
    name: 'streamGenerateContent',
    path: '/v1beta/models/any:streamGenerateContent',
    tools: [{ functionDeclarations: [{ name: 'mcp_memory_memory_store' }] }],
    first: { contents: [{ role: 'user', parts: [{ text: turn.prompt }] }] },
    more: [
      { role: 'model', parts: [{ functionCall: { name: 'mcp_memory_memory_store' } }] },
      { role: 'user', parts: [{ functionResponse: { response: { output: 'Saved.' } } }] },
    ],
    list: 'contents',
  },
] as const

for (const { name, path, tools, first, more, list } of protocols)
  for (const stream of [true, false])
    test(`the model calls the offered tool, then answers: ${name}${stream ? ', streamed' : ''}`, async t => {
      const server = await startServer(t)
      server.expect(turn)
      const ask = (body: object) => post(server, path, { model: 'any', stream, tools, ...body })
      const call = await ask(first)
      t.regex(call, /"name":"(?:mcp__memory__|memory_|mcp_memory_)?memory_store"/u)
      const begun = Object.values(first)[0] as unknown as object[]
      const answer = await ask({ [list]: [...begun, ...more] })
      t.true(answer.includes('Done.'))
      t.deepEqual(
        server.asked().map(({ isTurn }) => isTurn),
        [true, true],
      )
    })

test('the schema of a tool offered by name only is requested first', async t => {
  const server = await startServer(t)
  server.expect(turn)
  const text = 'Tools to be loaded:\nmcp__memory__memory_store\n'
  const messages = [
    {
      role: 'user',
      content: [
        { type: 'text', text },
        { type: 'text', text: turn.prompt },
      ],
    },
  ]
  const reply = await post(server, '/v1/messages', {
    model: 'any',
    tools: [{ name: 'ToolSearch' }],
    messages,
  })
  t.true(reply.includes('"input":{"query":"select:mcp__memory__memory_store"}'))
})

test('a tool of an agent that only calls what its search finds is searched and then called', async t => {
  const server = await startServer(t)
  server.expect(turn)
  const tools = ['search_tool', 'use_tool'].map(name => ({ type: 'function', function: { name } }))
  const begun = [{ role: 'user', content: turn.prompt }]
  const ask = (messages: object[]) => post(server, '/v1/chat/completions', { model: 'any', tools, messages })
  t.true((await ask(begun)).includes('"name":"search_tool"'))
  const found = [
    ...begun,
    { role: 'assistant', tool_calls: [{ id: 'a', function: { name: 'search_tool' } }] },
    { role: 'tool', tool_call_id: 'a', content: 'Found:\nmemory__memory_store: saves' },
  ]
  const { choices } = JSON.parse(await ask(found)) as {
    choices: { message: { tool_calls: { function: { name: string; arguments: string } }[] } }[]
  }
  const [called] = choices[0]?.message.tool_calls ?? []
  t.is(called?.function.name, 'use_tool')
  t.deepEqual(JSON.parse(called?.function.arguments ?? ''), {
    tool_name: 'memory__memory_store',
    tool_input: turn.answers[0]?.input,
  })
})

test('a request without a turn gets the summary, in the requested elements', async t => {
  const server = await startServer(t)
  const content = 'Sum it up in a <summary> block.'
  const reply = await post(server, '/v1/messages', { model: 'any', messages: [{ role: 'user', content }] })
  t.true(reply.includes('<summary>\\nAll of it.\\n</summary>'))
})

test('a side question is not part of the turn', async t => {
  const server = await startServer(t)
  server.expect(turn)
  const messages = [{ role: 'user', content: `A title for: ${turn.prompt}` }]
  await post(server, '/v1/chat/completions', { model: 'any', messages })
  t.deepEqual(
    server.asked().map(({ isTurn }) => isTurn),
    [false],
  )
})

test('a request without a known answer is reported', async t => {
  const server = await startServer(t)
  const { status } = await fetch(`${server.origin}/v2/embeddings`)
  t.is(status, 404)
  t.deepEqual(server.unknown(), ['GET /v2/embeddings'])
})

async function startServer(t: ExecutionContext): Promise<ModelServer> {
  const folder = mkdtempSync(join(tmpdir(), 'memory-model-server-'))
  const server = await startModelServer({ summary: 'All of it.', folder })
  t.teardown(async () => {
    await server.close()
    rmSync(folder, { recursive: true })
  })
  return server
}

async function post({ origin }: ModelServer, path: string, body: object): Promise<string> {
  const response = await fetch(`${origin}${path}`, { method: 'POST', body: JSON.stringify(body) })
  return response.text()
}
