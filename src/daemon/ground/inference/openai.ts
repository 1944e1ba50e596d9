import { openaiReply } from '../../../contract/ground/inference.js'
import type { Adapter, ModelRequest } from './adapter.js'

const openaiBaseUrl = 'https://api.openai.com/v1'

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

const shared = {
  path: '/chat/completions',
  headers: (key: string | undefined): Record<string, string> =>
    key === undefined ? {} : { authorization: `Bearer ${key}` },
  read,
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
