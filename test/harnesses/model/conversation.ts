/** One part of a request's conversation, in order; the text of a call is the tool's name. */
export interface Entry {
  role: 'user' | 'assistant' | 'call' | 'result'
  text: string
}

export interface OfferedTool {
  /** The name that the model has to call. */
  name: string
  /** Name of the tool's group, in protocols that group tools. */
  group?: string
  /** Bytes of its JSON in the request. */
  bytes: number
}

/** An agent's request to the model, independent of the protocol. */
export interface Conversation {
  entries: readonly Entry[]
  tools: readonly OfferedTool[]
}

export type Call = { call: string; group?: string; input: object }

/** The model's next step: a text, or the call of one tool. */
export type Answer = { say: string } | Call

/** One protocol of a model provider. */
export interface Wire {
  /** True for the paths of model requests in this protocol. */
  takes(path: string): boolean
  read(body: unknown): Conversation
  /** The complete answer: JSON, or the events of a stream. */
  answer(answer: Answer, request: { body: unknown; path: string; id: string }): Payload
  /** Answers to other paths of the provider that agents use. */
  beside?(path: string): object | undefined
}

export interface Payload {
  type: 'application/json' | 'text/event-stream'
  text: string
}

export function json(value: object): Payload {
  return { type: 'application/json', text: JSON.stringify(value) }
}

/** Server-sent events, with names if the protocol has them. */
export function events(list: readonly { name?: string; data: object | '[DONE]' }[]): Payload {
  const lines = list.map(({ name, data }) => {
    const text = typeof data === 'string' ? data : JSON.stringify(data)
    return `${name === undefined ? '' : `event: ${name}\n`}data: ${text}\n\n`
  })
  return { type: 'text/event-stream', text: lines.join('') }
}

/** The text of a message's content, which is one string or a list of parts. */
export function textIn(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content
    .map(part => (typeof part === 'string' ? part : (part as { text?: unknown } | null)?.text))
    .filter(text => typeof text === 'string')
    .join('\n')
}

export function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value))
}
