import type { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { CompleteRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { asProtocolErrors } from './protocol-errors.js'
import type { Call } from './tool/tool.js'

/** The protocol allows as many. */
const maxValues = 100

/** Values for an argument by what was typed so far; unknown arguments have none. */
const valuesFor: Readonly<Record<string, (call: Call, typed: string) => Promise<string[]>>> = {
  topic: async (call, typed) => {
    const [names, { by }] = await Promise.all([
      entityNames(call, typed),
      call('GET /api/memories/counts', { query: {} }),
    ])
    return [...names, ...by.tag.values.map(({ value }) => value)]
  },
  name: entityNames,
  project: async call => (await call('GET /api/projects', { query: {} })).projects.map(({ name }) => name),
  key: async call =>
    (await call('GET /api/sessions', { query: { past: true, limit: maxValues } })).sessions.map(
      ({ key }) => key,
    ),
  id: async call =>
    (await call('GET /api/memories', { query: { limit: maxValues } })).memories.map(({ id }) => id),
}

async function entityNames(call: Call, typed: string): Promise<string[]> {
  const query = { limit: maxValues, ...(typed !== '' && { q: typed }) }
  return (await call('GET /api/ontology/entities', { query })).entities.map(({ name }) => name)
}

/** Completes topics by entities and tags, and projects, names, keys and ids of prompts and resources. */
export function addCompletions(server: Server, call: Call): void {
  server.setRequestHandler(CompleteRequestSchema, ({ params: { argument } }) =>
    asProtocolErrors(async () => {
      const { name, value } = argument
      const typed = value.trim()
      const all = Object.hasOwn(valuesFor, name) ? ((await valuesFor[name]?.(call, typed)) ?? []) : []
      const beginning = typed.toLowerCase()
      const fitting = [...new Set(all)].filter(one => one.toLowerCase().startsWith(beginning))
      return {
        completion: {
          values: fitting.slice(0, maxValues),
          total: fitting.length,
          hasMore: fitting.length > maxValues,
        },
      }
    }),
  )
}
