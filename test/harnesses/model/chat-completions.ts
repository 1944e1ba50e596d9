import { type Answer, bytesOf, type Entry, events, json, textIn, type Wire } from './conversation.js'

interface Tool {
  function?: { name?: string }
}

interface Body {
  model: string
  stream?: boolean
  messages?: { role: string; content?: unknown; tool_calls?: Tool[] }[]
  tools?: Tool[]
}

/** OpenAI's Chat Completions protocol. */
export const chatCompletions: Wire = {
  takes: path => path === '/v1/chat/completions',
  beside: path => (path === '/v1/models' ? { object: 'list', data: [], models: [] } : undefined),
  read(body) {
    const { messages = [], tools = [] } = body as Body
    return {
      entries: messages.filter(({ role }) => role !== 'system' && role !== 'developer').flatMap(entriesOf),
      tools: tools.map(tool => ({ name: tool.function?.name ?? '', bytes: bytesOf(tool) })),
    }
  },
  answer(answer, { body, id }) {
    const { model, stream } = body as Body
    const head = { id: `chatcmpl-${id}`, created: 0, model }
    const message = { role: 'assistant', ...messageOf(answer, id) }
    const finish_reason = 'say' in answer ? 'stop' : 'tool_calls'
    if (stream !== true)
      return json({
        ...head,
        object: 'chat.completion',
        choices: [{ index: 0, message, finish_reason }],
        usage,
      })
    const chunk = { ...head, object: 'chat.completion.chunk' }
    return events([
      { data: { ...chunk, choices: [{ index: 0, delta: message, finish_reason: null }] } },
      { data: { ...chunk, choices: [{ index: 0, delta: {}, finish_reason }], usage } },
      { data: '[DONE]' },
    ])
  },
}

const usage = { prompt_tokens: 1000, completion_tokens: 10, total_tokens: 1010 }

function entriesOf({ role, content, tool_calls = [] }: NonNullable<Body['messages']>[number]): Entry[] {
  const text = textIn(content)
  if (role === 'tool') return [{ role: 'result', text }]
  const calls = tool_calls.map(call => ({ role: 'call' as const, text: call.function?.name ?? '' }))
  return [{ role: role === 'assistant' ? role : 'user', text }, ...calls]
}

function messageOf(answer: Answer, id: string): object {
  if ('say' in answer) return { content: answer.say }
  const { call, input } = answer
  const called = { name: call, arguments: JSON.stringify(input) }
  return { content: null, tool_calls: [{ index: 0, id: `call_${id}`, type: 'function', function: called }] }
}
