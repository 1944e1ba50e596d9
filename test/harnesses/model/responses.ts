import { type Answer, bytesOf, type Entry, events, json, textIn, type Wire } from './conversation.js'

interface Item {
  type?: string
  role?: string
  content?: unknown
  output?: unknown
  name?: string
}

interface Tool {
  type: string
  name?: string
  tools?: Tool[]
}

interface Body {
  model: string
  stream?: boolean
  input?: string | Item[]
  tools?: Tool[]
}

/** OpenAI's Responses protocol. */
export const responses: Wire = {
  takes: path => path === '/v1/responses',
  read(body) {
    const { input = [], tools = [] } = body as Body
    const items = typeof input === 'string' ? [{ role: 'user', content: input }] : input
    return { entries: items.flatMap(entriesOf), tools: tools.flatMap(tool => offered(tool)) }
  },
  answer(answer, { body, id }) {
    const { model, stream } = body as Body
    const item = itemOf(answer, id)
    const response = { id: `resp_${id}`, object: 'response', created_at: 0, model, status: 'completed' }
    const done = { ...response, output: [item], usage }
    if (stream !== true) return json(done)
    const list = [
      { type: 'response.created', response: { ...response, status: 'in_progress', output: [] } },
      { type: 'response.output_item.added', output_index: 0, item: { ...item, status: 'in_progress' } },
      ...('say' in answer ? [textDelta(answer.say, id)] : []),
      { type: 'response.output_item.done', output_index: 0, item },
      { type: 'response.completed', response: done },
    ]
    return events(
      list.map((data, position) => ({ name: data.type, data: { ...data, sequence_number: position } })),
    )
  },
}

const usage = {
  input_tokens: 1000,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 10,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 1010,
}

function entriesOf({ type, role, content, output, name = '' }: Item): Entry[] {
  if (type === 'function_call' || type === 'custom_tool_call') return [{ role: 'call', text: name }]
  if (type === 'function_call_output' || type === 'custom_tool_call_output')
    return [{ role: 'result', text: typeof output === 'string' ? output : textIn(output) }]
  if (type !== undefined && type !== 'message') return []
  return [{ role: role === 'assistant' ? 'assistant' : 'user', text: textIn(content) }]
}

/** A namespace offers its tools as a group. */
function offered({ tools, ...tool }: Tool, group?: string): ReturnType<Wire['read']>['tools'][number][] {
  if (tools) return tools.flatMap(inner => offered(inner, tool.name))
  return [{ name: tool.name ?? tool.type, ...(group !== undefined && { group }), bytes: bytesOf(tool) }]
}

function itemOf(answer: Answer, id: string): object {
  if ('say' in answer) {
    const content = [{ type: 'output_text', text: answer.say, annotations: [] }]
    return { type: 'message', id: `item_${id}`, role: 'assistant', status: 'completed', content }
  }
  const { call, group, input } = answer
  return {
    type: 'function_call',
    id: `item_${id}`,
    call_id: `call_${id}`,
    name: call,
    ...(group !== undefined && { namespace: group }),
    arguments: JSON.stringify(input),
    status: 'completed',
  }
}

function textDelta(delta: string, id: string) {
  return {
    type: 'response.output_text.delta',
    item_id: `item_${id}`,
    output_index: 0,
    content_index: 0,
    delta,
  }
}
