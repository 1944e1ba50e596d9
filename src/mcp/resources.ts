import type { Server } from '@modelcontextprotocol/sdk/server/index.js'
import {
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  McpError,
  ReadResourceRequestSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { asProtocolErrors, resourceNotFound } from './protocol-error.js'
import { listedContent, recordText } from './tool/memory-text.js'
import type { Call } from './tool/tool.js'

const scheme = 'memory://'
const mimeType = 'text/plain'
const newest = 50

/** Memories as resources `memory://<id>`; the list shows the newest ones. */
export function addResources(server: Server, call: Call): void {
  server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({
    resourceTemplates: [
      { uriTemplate: `${scheme}{id}`, name: 'memory', title: 'A memory by its id', mimeType },
    ],
  }))
  server.setRequestHandler(ListResourcesRequestSchema, () =>
    asProtocolErrors(async () => {
      const { memories } = await call('GET /api/memories', { query: { limit: newest } })
      return {
        resources: memories.map(memory => ({
          uri: scheme + memory.id,
          name: memory.id,
          title: `${memory.type}: ${listedContent(memory, 80)}`,
          mimeType,
        })),
      }
    }),
  )
  server.setRequestHandler(ReadResourceRequestSchema, ({ params: { uri } }) =>
    asProtocolErrors(async () => {
      if (!uri.startsWith(scheme) || uri.length === scheme.length)
        throw new McpError(resourceNotFound, `there is no resource ${uri}; memories are ${scheme}<id>`)
      const id = decodeURIComponent(uri.slice(scheme.length))
      const memory = await call('GET /api/memory/:id', { params: { id } })
      return { contents: [{ uri, mimeType, text: recordText(memory) }] }
    }),
  )
}
