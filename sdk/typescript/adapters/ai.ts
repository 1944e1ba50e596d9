import { jsonSchema, type LanguageModelMiddleware, type ToolSet, tool } from 'ai'
import type { Memory } from 'memory-service-client'
import { type AdapterOptions, contextFor, toolsOf } from './shared.js'

/** Returns middleware of the Vercel AI SDK that adds the memories for the last prompt of the user to it. */
export function memoryMiddleware(memory: Memory, options: AdapterOptions = {}): LanguageModelMiddleware {
  return {
    specificationVersion: 'v4',
    async transformParams({ params }) {
      const place = params.prompt.findLastIndex(({ role }) => role === 'user')
      const message = params.prompt[place]
      if (message?.role !== 'user') return params
      const asked = message.content.map(part => (part.type === 'text' ? part.text : '')).join('\n')
      const text = await contextFor(memory, asked, options)
      if (text === '') return params
      const content = [...message.content, { type: 'text' as const, text }]
      return { ...params, prompt: params.prompt.with(place, { ...message, content }) }
    },
  }
}

/** Returns the tools `remember` and `recall` for `generateText`, `streamText` and agents of the Vercel AI SDK. */
export function memoryTools(memory: Memory, options: AdapterOptions = {}): ToolSet {
  return Object.fromEntries(
    toolsOf(memory, options).map(({ name, description, parameters, run }) => [
      name,
      tool({ description, inputSchema: jsonSchema<unknown>(parameters), execute: run }),
    ]),
  )
}
