import { findNamedEntities } from '../../../ground/entities/find-named-entities.js'
import { nameKey } from '../../../ground/entities/name-key.js'
import type { Caller } from '../../../ground/visibility/caller.js'
import type { Daemon } from '../../../platform/daemon/daemon.js'
import { readerOf } from '../../ontology/model/reader.js'
import type { AgentText } from '../evidence/evidence.js'
import type { KnownName, ReadingRequest } from '../reader.js'

type Deps = Pick<Daemon, 'store'>

const maxEntities = 200
const maxClaims = 50

/**
 * Collects the known names in texts: entities by name and alias, agents, the project, and names given along
 * with the texts (tags, structured entities). A name refers to one of them, entities first.
 */
export async function knownNames(
  deps: Deps,
  caller: Caller,
  {
    agentId,
    project,
    pieces,
  }: Pick<ReadingRequest, 'agentId' | 'project'> & { pieces: readonly AgentText[] },
): Promise<KnownName[]> {
  const texts = pieces.map(({ piece }) => piece.text).join('\n')
  const all = await knownEntities(deps, caller, agentId, `${project ? `${project}\n` : ''}user\n${texts}`)
  const keys = new Set(all.flatMap(({ name, aliases }) => [name, ...aliases].map(nameKey)))
  const add = (name: string, type: string): void => {
    const key = nameKey(name)
    if (key === '' || keys.has(key)) return
    keys.add(key)
    all.push({ name, aliases: [], type, entityId: undefined, claims: [] })
  }
  if (project !== null) add(project, 'project')
  for (const { id } of await deps.store.tables.agents.roster()) if (id !== 'default') add(id, 'agent')
  for (const { named } of pieces) for (const name of named) add(name, 'topic')
  return all
}

async function knownEntities(
  deps: Deps,
  caller: Caller,
  agentId: string,
  text: string,
): Promise<KnownName[]> {
  const { entities, claims } = deps.store.tables
  const { boundary } = readerOf(caller, { agentId })
  const found = await findNamedEntities(deps, agentId, text, maxEntities)
  if (found.length === 0) return []
  const names = await entities.namesOf(found.map(({ id }) => id))
  const known: KnownName[] = []
  for (const { id, name, entity_type: type } of found) {
    const held = (await claims.heldOf(id, boundary, maxClaims)).filter(({ status }) => status === 'current')
    known.push({
      name,
      type,
      entityId: id,
      aliases: names
        .filter(one => one.entity_id === id && one.active === 1 && one.name !== name)
        .map(one => one.name),
      claims: held.map(({ id: version, aspect, group_name: group, claim, value }) => ({
        version,
        aspect,
        group,
        claim,
        value,
      })),
    })
  }
  return known
}
