import { z } from 'zod'
import { endpoints } from '../../../contract/api.js'
import type { EndpointShape, FormShape } from '../../../contract/ground/endpoint.js'

type JsonSchema = Record<string, unknown>

const errorSchema: JsonSchema = {
  type: 'object',
  required: ['error', 'code'],
  properties: {
    error: { type: 'string', description: 'Message for people' },
    code: { type: 'string', description: 'Stable code for programs' },
    details: {},
  },
}

/** Builds the OpenAPI 3.1 document from the objects that the daemon serves. */
export function openapiDocument(version: string): JsonSchema {
  const paths: Record<string, Record<string, JsonSchema>> = {}
  for (const endpoint of endpoints as readonly EndpointShape[])
    for (const path of [endpoint.path, ...(endpoint.aliases ?? [])]) {
      const template = path.replace(/:(\w+)/gu, '{$1}')
      paths[template] = { ...paths[template], [endpoint.method.toLowerCase()]: operation(endpoint, path) }
    }
  return {
    openapi: '3.1.0',
    info: { title: 'memory-service', version, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
    servers: [{ url: 'http://127.0.0.1:3850' }],
    paths,
    components: { schemas: { Error: errorSchema } },
  }
}

function operation(endpoint: EndpointShape, path: string): JsonSchema {
  const { method, summary, permission, bucket, metric, body, stream, form } = endpoint
  return {
    operationId: `${method.toLowerCase()}${path.replace(/[^A-Za-z0-9]+(\w?)/gu, (_match, next: string) => next.toUpperCase())}`,
    summary,
    tags: [tagOf(path)],
    'x-permission': permission,
    ...(bucket && { 'x-rate-limit': bucket }),
    ...(metric && { 'x-metric-group': metric }),
    parameters: [
      ...parameters('path', endpoint.params),
      ...parameters('query', endpoint.query),
      ...parameters('header', endpoint.headers),
    ],
    ...(body && {
      requestBody: {
        required: !body.safeParse(undefined).success,
        content: {
          'application/json': { schema: inputSchema(body) },
          ...(form && { 'multipart/form-data': { schema: formSchema(body, form) } }),
        },
      },
    }),
    ...(stream && {
      requestBody: {
        required: true,
        content: { [stream.contentType]: { schema: inputSchema(stream.schema) } },
      },
    }),
    responses: responses(endpoint),
  }
}

/** Path segments whose tag is another word of docs/domain-model.md. */
const tagAliases: Readonly<Record<string, string>> = {
  memories: 'memory',
  embeddings: 'embedding',
  hook: 'hooks',
  'cross-agent': 'messages',
  'openapi.json': 'docs',
}

function tagOf(path: string): string {
  const [segment = ''] = path.split('/').filter(part => part !== '' && part !== 'api')
  return tagAliases[segment] ?? segment
}

function parameters(place: 'path' | 'query' | 'header', schema: z.ZodType | undefined): JsonSchema[] {
  if (!schema) return []
  const { properties = {}, required = [] } = inputSchema(schema) as {
    properties?: Record<string, JsonSchema>
    required?: string[]
  }
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    schema: property,
  }))
}

function responses({
  response,
  outcomes = {},
  success = 200,
  contentType = 'application/json',
}: EndpointShape): JsonSchema {
  const schema = z.toJSONSchema(response, { io: 'output', unrepresentable: 'any' })
  const content = { [contentType]: { schema: withoutDialect(schema) } }
  const failures = new Map<number, string[]>()
  for (const [word, [status]] of Object.entries(outcomes))
    if (status >= 400) failures.set(status, [...(failures.get(status) ?? []), word])
  return {
    [success]: { description: 'Success', content },
    ...Object.fromEntries(
      [...failures].map(([status, words]) => [
        status,
        { description: words.join(', '), content: errorContent },
      ]),
    ),
    default: { description: 'Error', content: errorContent },
  }
}

const errorContent = { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } }

function inputSchema(schema: z.ZodType): JsonSchema {
  return withoutDialect(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }))
}

/** The fields of a body and the files next to them. */
function formSchema(body: z.ZodType, { field, maxFiles }: FormShape): JsonSchema {
  const { properties = {}, ...schema } = inputSchema(body) as { properties?: Record<string, JsonSchema> }
  const file = { type: 'string', contentMediaType: 'application/octet-stream' }
  return {
    ...schema,
    properties: { [field]: { type: 'array', maxItems: maxFiles, items: file }, ...properties },
  }
}

function withoutDialect({ $schema: _dialect, ...schema }: JsonSchema): JsonSchema {
  return schema
}
