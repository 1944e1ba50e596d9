/** One thing that stands in the conversation of a request, in its order; of a call its text is the tool's name. */
export interface Entry {
  role: 'user' | 'assistant' | 'call' | 'result'
  text: string
}

export interface OfferedTool {
  /** As the model has to call it. */
  name: string
  /** Where a protocol groups tools, the group's name. */
  group?: string
  /** Bytes of its JSON in the request. */
  bytes: number
}

/** What an agent asked the model for, whatever the protocol. */
export interface Conversation {
  entries: readonly Entry[]
  tools: readonly OfferedTool[]
}

export type Call = { call: string; group?: string; input: object }

/** What the model does next: it says something, or calls one tool. */
export type Answer = { say: string } | Call

/** One protocol of a model provider. */
export interface Wire {
  /** Whether a request is for an answer of the model in this protocol. */
  takes(path: string): boolean
  read(body: unknown): Conversation
  /** The whole answer: JSON, or the events of a stream. */
  answer(answer: Answer, request: { body: unknown; path: string; id: string }): Payload
  /** Other paths of the provider that agents ask for, with their answers. */
  beside?(path: string): object | undefined
}

export interface Payload {
  type: 'application/json' | 'text/event-stream'
  text: string
}

export function json(value: object): Payload {
  return { type: 'application/json', text: JSON.stringify(value) }
}

/** Server-sent events, each with its name where the protocol has one. */
export function events(list: readonly { name?: string; data: object | '[DONE]' }[]): Payload {
  const lines = list.map(({ name, data }) => {
    const text = typeof data === 'string' ? data : JSON.stringify(data)
    return `${name === undefined ? '' : `event: ${name}\n`}data: ${text}\n\n`
  })
  return { type: 'text/event-stream', text: lines.join('') }
}

/** The text in a message's content, whether it is one string or a list of parts. */
export function textIn(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content
    .map(part => (typeof part === 'string' ? part : (part as { text?: unknown } | null)?.text))
    .filter(text => typeof text === 'string')
    .join('\n')
}

/** Bytes of a value as JSON. */
export function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value))
}
