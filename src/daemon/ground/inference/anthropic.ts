import { anthropicReply } from '../../../contract/ground/inference.js'
import type { Adapter } from './adapter.js'

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
