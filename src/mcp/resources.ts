import type { Server } from '@modelcontextprotocol/sdk/server/index.js'
import {
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  McpError,
  ReadResourceRequestSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { decoded } from '../lib/network/decoded.js'
import { harmless } from '../lib/text/harmless.js'
import { appResource, readApp } from './app.js'
import { resourceNotFound } from './modern/envelope.js'
import { asProtocolErrors } from './protocol-errors.js'
import { readSkill } from './skills.js'
import { listedContent, recordText } from './tool/memory-text.js'
import {
  type Call,
  namedKinds,
  type ResourceKind,
  resourceMimeType,
  resourceOf,
  resourceScheme,
} from './tool/tool.js'
import { descriptionText } from './tools/knowledge/ontology.js'

const newestMemories = 50
/** Newest ones of each other kind in the list. */
const newestOthers = 10
const maxContent = 80

const templates: Readonly<Record<ResourceKind, { uriTemplate: string; title: string }>> = {
  memory: { uriTemplate: `${resourceScheme}{id}`, title: 'A memory by its id' },
  session: {
    uriTemplate: `${resourceScheme}session/{key}`,
    title: 'The conversation of a session by its key',
  },
  entity: { uriTemplate: `${resourceScheme}entity/{name}`, title: 'All that is known about a name' },
  document: { uriTemplate: `${resourceScheme}document/{id}`, title: 'The text of a document by its id' },
}

/**
 * Adds memories, sessions, entities and documents as resources; the newest are listed (mcp.md 4.9).
 * @param showsApp tells if the browser of memories is one of them.
 */
export function addResources(server: Server, call: Call, showsApp: () => boolean): void {
  server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({
    resourceTemplates: Object.entries(templates).map(([name, template]) => ({
      name,
      mimeType: resourceMimeType,
      ...template,
    })),
  }))
  server.setRequestHandler(ListResourcesRequestSchema, () =>
    asProtocolErrors(async () => ({
      resources: [...(showsApp() ? [appResource] : []), ...(await newestResources(call))],
    })),
  )
  server.setRequestHandler(ReadResourceRequestSchema, ({ params: { uri } }) =>
    asProtocolErrors(async () => {
      const other = (await readSkill(call, uri)) ?? (showsApp() ? readApp(uri) : undefined)
      if (other) return other
      const { kind, id } = partsOf(uri)
      return { contents: [{ uri, mimeType: resourceMimeType, text: harmless(await textOf[kind](call, id)) }] }
    }),
  )
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
      resourceOf({
        kind: 'memory',
        id: memory.id,
        title: `${memory.type}: ${listedContent(memory, maxContent)}`,
      }),
    ),
    ...sessions.map(({ key, title }) =>
      resourceOf({ kind: 'session', id: key, title: `session: ${title ?? 'no prompt yet'}` }),
    ),
    ...entities.map(({ name, type }) => resourceOf({ kind: 'entity', id: name, title: `${type}: ${name}` })),
    ...documents.map(({ id, title }) =>
      resourceOf({ kind: 'document', id, title: `document: ${title ?? id}` }),
    ),
  ]
}

/** @throws McpError for an address of another form */
function partsOf(uri: string): { kind: ResourceKind; id: string } {
  const path = uri.startsWith(resourceScheme) ? uri.slice(resourceScheme.length) : ''
  const named = namedKinds.find(kind => path.startsWith(`${kind}/`))
  const id = decoded(named ? path.slice(named.length + 1) : path)
  if (id) return { kind: named ?? 'memory', id }
  const forms = Object.values(templates).map(({ uriTemplate }) => uriTemplate)
  throw new McpError(resourceNotFound, `unknown resource ${uri}; there are ${forms.join(', ')}`)
}

const textOf: Readonly<Record<ResourceKind, (call: Call, id: string) => Promise<string>>> = {
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
