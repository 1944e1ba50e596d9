import { setTimeout as sleep } from 'node:timers/promises'
import {
  CallToolRequestSchema,
  type CallToolResult,
  ListToolsRequestSchema,
} from '@modelcontextprotocol/sdk/types.js'
import fastify, { type FastifyInstance } from 'fastify'
import { guardBrowser } from '../../src/daemon/platform/http/guard.js'
import { registerMcp } from '../../src/daemon/platform/mcp/register-mcp.js'
import { createInFlight } from '../../src/lib/concurrency/in-flight.js'
import { createServer } from '../../src/mcp/server.js'

/** A minimal picture and sound. */
const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const wav = 'UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAAAAA=='
const text = (value: string) => ({ type: 'text' as const, text: value })
const image = { type: 'image' as const, data: png, mimeType: 'image/png' }
const resource = (uri: string, mimeType: string, value: string) => ({
  type: 'resource' as const,
  resource: { uri, mimeType, text: value },
})

/** Tools that the suite requires, by name (see the description of each of its scenarios). */
const results: Readonly<Record<string, CallToolResult>> = {
  test_simple_text: { content: [text('This is a simple text response for testing.')] },
  test_image_content: { content: [image] },
  test_audio_content: { content: [{ type: 'audio', data: wav, mimeType: 'audio/wav' }] },
  test_embedded_resource: {
    content: [resource('test://embedded-resource', 'text/plain', 'This is an embedded resource content.')],
  },
  test_multiple_content_types: {
    content: [
      text('Multiple content types test:'),
      image,
      resource('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
    ],
  },
  test_error_handling: {
    content: [text('This tool intentionally returns an error for testing')],
    isError: true,
  },
  test_tool_with_progress: { content: [text('done')] },
  json_schema_2020_12_tool: { content: [text('ok')] },
}

const schema2020 = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object' as const,
  $defs: {
    address: { type: 'object', properties: { street: { type: 'string' }, city: { type: 'string' } } },
  },
  properties: { name: { type: 'string' }, address: { $ref: '#/$defs/address' } },
  additionalProperties: false,
}

/** The product's own `/mcp` route and browser guard, with the suite's tools instead of the product's. */
export function fixtureApp(): FastifyInstance {
  const app = fastify()
  app.addHook('onRequest', async request => guardBrowser(request, { boundHost: '127.0.0.1', mode: 'local' }))
  registerMcp(
    app,
    () => undefined,
    createInFlight(),
    options => withFixtures(createServer(options)),
  )
  return app
}

function withFixtures(server: ReturnType<typeof createServer>) {
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: Object.keys(results).map(name => ({
      name,
      description: name,
      inputSchema: name === 'json_schema_2020_12_tool' ? schema2020 : { type: 'object' as const },
    })),
  }))
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { sendNotification }) => {
    const progressToken = params._meta?.progressToken
    if (params.name === 'test_tool_with_progress' && progressToken !== undefined)
      for (const progress of [0, 50, 100]) {
        const values = { progressToken, progress, total: 100 }
        await sendNotification({ method: 'notifications/progress', params: values })
        await sleep(50)
      }
    return results[params.name] ?? { content: [text(`no tool ${params.name}`)], isError: true }
  })
  return server
}
