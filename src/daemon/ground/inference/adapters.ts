import { anthropicReply, openaiReply } from '../../../contract/ground/inference.js'

/** One request to a model, independent of the provider. */
export interface ModelRequest {
  model: string
  instructions: string
  input: string
  maxOutputTokens: number
  /** Schema the server must enforce; undefined if the instructions describe it instead. */
  form: { name: string; schema: Record<string, unknown> } | undefined
}

/** Usage counted by the server. */
export interface ReportedUsage {
  /** All input tokens, including cached ones. */
  inputTokens: number
  outputTokens: number
  /** Null if not reported. */
  cacheReadTokens: number | null
  cacheWriteTokens: number | null
  /** US dollars. */
  cost: number | undefined
}

/** A reply whose answer is not validated yet. */
export interface ModelReply {
  /** JSON parsed by the server; undefined if the answer is in `text`. */
  value: unknown
  text: string
  /** `cut`: the output limit was reached; `declined`: the model or server refused to answer. */
  end: 'whole' | 'cut' | 'declined'
  usage: ReportedUsage | undefined
}

/** Translates requests and replies for one kind of server. */
export interface Adapter {
  /** Path below the base address. */
  path: string
  defaultBaseUrl: string
  /** True if the default address requires a key. */
  needsKey: boolean
  headers(key: string | undefined): Record<string, string>
  body(request: ModelRequest): object
  /** Undefined if this is not a reply of such a server. */
  read(reply: unknown): ModelReply | undefined
}

const openaiBaseUrl = 'https://api.openai.com/v1'

const shared = {
  path: '/chat/completions',
  headers: (key: string | undefined): Record<string, string> =>
    key === undefined ? {} : { authorization: `Bearer ${key}` },
  read,
}

/** Anthropic's `/v1/messages`. The schema becomes the input of a tool that the model must call. */
export const anthropicAdapter: Adapter = {
  path: '/messages',
  defaultBaseUrl: 'https://api.anthropic.com/v1',
  needsKey: true,
  headers: key => ({
    'anthropic-version': '2023-06-01',
    ...(key !== undefined && { 'x-api-key': key }),
  }),
  body: ({ model, instructions, input, maxOutputTokens, form }) => ({
    model,
    max_tokens: maxOutputTokens,
    system: instructions,
    messages: [{ role: 'user', content: input }],
    ...(form && {
      tools: [{ name: form.name, description: 'Takes the answer.', input_schema: form.schema }],
      tool_choice: { type: 'tool', name: form.name },
    }),
  }),
  read: reply => {
    const { content, stop_reason, usage } = anthropicReply.safeParse(reply).data ?? {}
    if (!content) return undefined
    const cached = {
      cacheReadTokens: usage?.cache_read_input_tokens ?? null,
      cacheWriteTokens: usage?.cache_creation_input_tokens ?? null,
    }
    return {
      value: content.find(({ type }) => type === 'tool_use')?.input,
      text: content.map(({ text }) => text ?? '').join(''),
      end: stop_reason === 'refusal' ? 'declined' : stop_reason === 'max_tokens' ? 'cut' : 'whole',
      usage: usage
        ? {
            inputTokens: usage.input_tokens + (cached.cacheReadTokens ?? 0) + (cached.cacheWriteTokens ?? 0),
            outputTokens: usage.output_tokens,
            ...cached,
            cost: undefined,
          }
        : undefined,
    }
  },
}

/** Adapter for any server with OpenAI's `/chat/completions`, including Ollama. */
export function openaiAdapter(baseUrl: string | undefined): Adapter {
  // OpenAI's newest models reject the old name of the limit; other servers only know the old one.
  const limit = (baseUrl ?? openaiBaseUrl).startsWith('https://api.openai.com')
    ? 'max_completion_tokens'
    : 'max_tokens'
  return { ...shared, defaultBaseUrl: openaiBaseUrl, needsKey: baseUrl === undefined, body: bodyWith(limit) }
}

/** A local Ollama at its OpenAI-compatible address. */
export function ollamaAdapter(): Adapter {
  const body = bodyWith('max_tokens')
  return {
    ...shared,
    defaultBaseUrl: 'http://127.0.0.1:11434/v1',
    needsKey: false,
    // Ollama's default temperature makes answers vary between calls.
    body: request => ({ ...body(request), temperature: 0 }),
  }
}

function bodyWith(limit: 'max_completion_tokens' | 'max_tokens'): Adapter['body'] {
  return ({ model, instructions, input, maxOutputTokens, form }: ModelRequest) => ({
    model,
    stream: false,
    [limit]: maxOutputTokens,
    messages: [
      { role: 'system', content: instructions },
      { role: 'user', content: input },
    ],
    ...(form && {
      response_format: {
        type: 'json_schema',
        json_schema: { name: form.name, strict: true, schema: form.schema },
      },
    }),
  })
}

function read(reply: unknown): ReturnType<Adapter['read']> {
  const { choices, usage } = openaiReply.safeParse(reply).data ?? {}
  const [first] = choices ?? []
  if (!first) return undefined
  const { message, finish_reason } = first
  const isDeclined = Boolean(message.refusal) || finish_reason === 'content_filter'
  return {
    value: undefined,
    text: message.content ?? '',
    end: isDeclined ? 'declined' : finish_reason === 'length' ? 'cut' : 'whole',
    usage: usage
      ? {
          inputTokens: usage.prompt_tokens,
          outputTokens: usage.completion_tokens,
          cacheReadTokens: usage.prompt_tokens_details?.cached_tokens ?? null,
          cacheWriteTokens: null,
          cost: usage.cost ?? undefined,
        }
      : undefined,
  }
}
