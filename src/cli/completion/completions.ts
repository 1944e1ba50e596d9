import { shortId } from '../../lib/text/uuid.js'
import type { CallDaemon } from '../knowledge/import/upload-import.js'
import { plainLine } from '../terminal/text.js'

/** Kinds of names that only a workspace knows. */
export const completedKinds = [
  'projects',
  'tags',
  'memories',
  'settings',
  'entities',
  'secrets',
  'tasks',
  'sources',
  'agents',
] as const
export type CompletedKind = (typeof completedKinds)[number]

const most = 200
const mostMemories = 30

/** Returns the names of a kind. A name of several words is left out where shells split at spaces. */
export async function completions(kind: CompletedKind, call: CallDaemon): Promise<string[]> {
  const names = await namesOf[kind](call)
  return [...new Set(names.map(plainLine))].filter(name => name !== '').slice(0, most)
}

const namesOf: Readonly<Record<CompletedKind, (call: CallDaemon) => Promise<string[]>>> = {
  projects: async call => (await call('GET /api/projects')).projects.map(({ name }) => name),
  tags: async call => {
    const { by } = await call('GET /api/memories/counts')
    return by.tag.values.map(({ value }) => value)
  },
  memories: async call => {
    const { memories } = await call('GET /api/memories', { query: { limit: mostMemories } })
    return memories.map(({ id }) => shortId(id))
  },
  settings: async () => {
    const [{ settings }, { settingKeys }] = await Promise.all([
      import('../../contract/settings.js'),
      import('../operations/config.js'),
    ])
    return settingKeys(settings)
  },
  entities: async call => {
    const { entities } = await call('GET /api/ontology/entities', { query: { limit: most } })
    return entities.map(({ name }) => name)
  },
  secrets: async call => (await call('GET /api/secrets')).secrets,
  tasks: async call => (await call('GET /api/tasks')).tasks.map(({ name }) => name),
  sources: async call => (await call('GET /api/sources')).sources.map(({ name }) => name),
  agents: async call => (await call('GET /api/agents')).agents.map(({ id }) => id),
}
