import type { Server } from '@modelcontextprotocol/sdk/server/index.js'
import {
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  McpError,
  ReadResourceRequestSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { harmless } from '../lib/text/harmless.js'
import { resourceNotFound } from './modern/envelope.js'
import { asProtocolErrors } from './protocol-errors.js'
import { listedContent, recordText } from './tool/memory-text.js'
import type { Call } from './tool/tool.js'
import { descriptionText } from './tools/knowledge/ontology.js'

const scheme = 'memory://'
const mimeType = 'text/plain'
const newestMemories = 50
/** Newest ones of each other kind in the list. */
const newestOthers = 10
const maxTitle = 80

/** The kinds that an address names before the id; an id alone is a memory. */
const kinds = ['session', 'entity', 'document'] as const
type Kind = 'memory' | (typeof kinds)[number]

const templates: Readonly<Record<Kind, { uriTemplate: string; title: string }>> = {
  memory: { uriTemplate: `${scheme}{id}`, title: 'A memory by its id' },
  session: { uriTemplate: `${scheme}session/{key}`, title: 'The conversation of a session by its key' },
  entity: { uriTemplate: `${scheme}entity/{name}`, title: 'All that is known about a name' },
  document: { uriTemplate: `${scheme}document/{id}`, title: 'The text of a document by its id' },
}

/** Adds memories, sessions, entities and documents as resources; the newest are listed (mcp.md 4.9). */
export function addResources(server: Server, call: Call): void {
  server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({
    resourceTemplates: Object.entries(templates).map(([name, template]) => ({ name, mimeType, ...template })),
  }))
  server.setRequestHandler(ListResourcesRequestSchema, () =>
    asProtocolErrors(async () => ({ resources: await newestResources(call) })),
  )
  server.setRequestHandler(ReadResourceRequestSchema, ({ params: { uri } }) =>
    asProtocolErrors(async () => {
      const { kind, id } = partsOf(uri)
      return { contents: [{ uri, mimeType, text: harmless(await textOf[kind](call, id)) }] }
    }),
  )
}

function resource(kind: Kind, id: string, title: string) {
  const path = kind === 'memory' ? '' : `${kind}/`
  const uri = `${scheme}${path}${encodeURIComponent(id)}`
  return { uri, name: id, title: harmless(`${title}`.slice(0, maxTitle)), mimeType }
}

async function newestResources(call: Call) {
  const query = { limit: newestOthers }
  const [{ memories }, { sessions }, { entities }, { documents }] = await Promise.all([
    call('GET /api/memories', { query: { limit: newestMemories } }),
    call('GET /api/sessions', { query: { ...query, past: true } }),
    call('GET /api/ontology/entities', { query }),
    // A credential that only reads memories may not list documents.
    call('GET /api/documents', { query }).catch(() => ({ documents: [] })),
  ])
  return [
    ...memories.map(memory =>
      resource('memory', memory.id, `${memory.type}: ${listedContent(memory, maxTitle)}`),
    ),
    ...sessions.map(({ key, title }) => resource('session', key, `session: ${title ?? 'no prompt yet'}`)),
    ...entities.map(({ name, type }) => resource('entity', name, `${type}: ${name}`)),
    ...documents.map(({ id, title }) => resource('document', id, `document: ${title ?? id}`)),
  ]
}

/** @throws McpError for an address of another form */
function partsOf(uri: string): { kind: Kind; id: string } {
  const path = uri.startsWith(scheme) ? uri.slice(scheme.length) : ''
  const named = kinds.find(kind => path.startsWith(`${kind}/`))
  const id = decoded(named ? path.slice(named.length + 1) : path)
  if (id) return { kind: named ?? 'memory', id }
  const forms = Object.values(templates).map(({ uriTemplate }) => uriTemplate)
  throw new McpError(resourceNotFound, `unknown resource ${uri}; there are ${forms.join(', ')}`)
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

const textOf: Readonly<Record<Kind, (call: Call, id: string) => Promise<string>>> = {
  memory: async (call, id) => recordText(await call('GET /api/memory/:id', { params: { id } })),
  session: async (call, key) =>
    (await call('GET /api/sessions/:key/transcript', { params: { key } })).content,
  entity: async (call, id) =>
    descriptionText(await call('GET /api/ontology/entities/:id/about', { params: { id } })),
  document: async (call, id) =>
    (await call('GET /api/documents/:id/chunks', { params: { id } })).chunks
      .map(({ content }) => content)
      .join('\n\n'),
}
