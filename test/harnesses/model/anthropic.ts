import {
  type Answer,
  bytesOf,
  type Entry,
  events,
  json,
  type Payload,
  textIn,
  type Wire,
} from './conversation.js'

interface Block {
  type: string
  text?: string
  name?: string
  content?: unknown
}

interface Body {
  model: string
  stream?: boolean
  messages?: { role: 'user' | 'assistant'; content: string | Block[] }[]
  tools?: { name: string }[]
}

/** Anthropic's Messages protocol. */
export const anthropic: Wire = {
  takes: path => path === '/v1/messages',
  beside: path => (path === '/v1/messages/count_tokens' ? { input_tokens: 1000 } : undefined),
  read(body) {
    const { messages = [], tools = [] } = body as Body
    return {
      entries: messages.flatMap(entriesOf),
      tools: tools.map(tool => ({ name: tool.name, bytes: bytesOf(tool) })),
    }
  },
  answer(answer, { body, id }) {
    const { model, stream } = body as Body
    const content = [contentOf(answer, id)]
    const stopReason = 'say' in answer ? 'end_turn' : 'tool_use'
    const message = { id: `msg_${id}`, type: 'message', role: 'assistant', model, stop_sequence: null, usage }
    if (stream !== true) return json({ ...message, content, stop_reason: stopReason })
    return streamed({ ...message, content: [], stop_reason: null }, answer, { id, stopReason })
  },
}

const usage = { input_tokens: 1000, output_tokens: 10 }

function entriesOf({ role, content }: NonNullable<Body['messages']>[number]): Entry[] {
  const blocks: Block[] = typeof content === 'string' ? [{ type: 'text', text: content }] : content
  return blocks.map(({ type, name = '', text = '', content: result }) => {
    if (type === 'tool_use') return { role: 'call', text: name }
    return type === 'tool_result' ? { role: 'result', text: textIn(result) } : { role, text }
  })
}

function contentOf(answer: Answer, id: string): object {
  if ('say' in answer) return { type: 'text', text: answer.say }
  return { type: 'tool_use', id: `toolu_${id}`, name: answer.call, input: answer.input }
}

function streamed(
  message: object,
  answer: Answer,
  { id, stopReason }: { id: string; stopReason: string },
): Payload {
  const isText = 'say' in answer
  const block = isText ? { type: 'text', text: '' } : { ...contentOf(answer, id), input: {} }
  const delta = isText
    ? { type: 'text_delta', text: answer.say }
    : { type: 'input_json_delta', partial_json: JSON.stringify(answer.input) }
  const list = [
    { type: 'message_start', message },
    { type: 'content_block_start', index: 0, content_block: block },
    { type: 'content_block_delta', index: 0, delta },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: stopReason, stop_sequence: null }, usage },
    { type: 'message_stop' },
  ]
  return events(list.map(data => ({ name: data.type, data })))
}
