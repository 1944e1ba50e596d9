import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stringify } from 'yaml'
import { nameKey } from '../../src/daemon/ground/entities/name-key.js'
import { workspacePaths } from '../../src/lib/workspace/paths.js'
import BetterSqlite from '../../src/store/sqlite/connection/driver.js'
import { dimensions } from '../daemon/workspace.js'
import { SyntheticMemories, seededRandom } from '../index/synthetic.js'
import { filledDaemon, type RecallInTurns, recallInTurns } from '../recall/in-turns.js'

const counts = { memories: 100_000, entities: 50_000, claims: 4, links: 3, mentions: 4, slots: 400 }
const agentId = 'default'
const at = '2026-01-01T00:00:00.000Z'

/**
 * Compares recall over 100,000 memories with 50,000 entities and 200,000 values against the same memories
 * without entities. Each value has a quote, mentions and links; random queries name three entities by chance.
 * @param traversal whether links are followed too
 */
export async function recallByGraph({ traversal }: { traversal: boolean }): Promise<RecallInTurns> {
  const own = (folder: string): void => assignAllMemories(workspacePaths(folder).database)
  const add = (folder: string): void => {
    own(folder)
    fillOntology(workspacePaths(folder).database)
    const recall = { claims: true, traversal, cards: true }
    writeFileSync(join(folder, 'agent.yaml'), stringify({ embedding: { provider: 'none' }, recall }))
  }
  const both = await filledDaemon({ rows: counts.memories, add })
  const alone = await filledDaemon({ rows: counts.memories, add: own })
  return recallInTurns(counts.memories, { both, alone })
}

/** Gives the calling agent all memories, since facts from other agents' memories are not shown to it. */
function assignAllMemories(file: string): void {
  const raw = new BetterSqlite(file)
  raw.prepare('UPDATE memories SET agent_id = ?').run(agentId)
  raw.close()
}

/** Adds entities named with words of the memories, a few of them hubs; each value and link has a quote. */
function fillOntology(file: string): void {
  const memories = new SyntheticMemories(11, dimensions)
  const raw = new BetterSqlite(file)
  const random = seededRandom(3)
  const any = (count: number) => Math.floor(random() * count)
  const wordOf = () =>
    memories
      .query()
      .split(' ')
      .find(word => word.length > 4) ?? 'crane'
  const slots = Array.from({ length: counts.slots }, wordOf)
  // Some names are single words of the memories, so that queries name them by chance.
  const words = [...new Set(Array.from({ length: counts.entities / 5 }, wordOf))]
  const entities = Array.from({ length: counts.entities }, (_, n) => words[n] ?? `${wordOf()} ${n}`)
  const row = (table: string, columns: readonly string[]) =>
    raw.prepare(
      `INSERT OR IGNORE INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
    )
  const entity = row(
    'entities',
    'id agent_id name name_key entity_type pinned mentions created_at updated_at'.split(' '),
  )
  const name = row('entity_names', 'agent_id name_key entity_id name active'.split(' '))
  const claim = row(
    'claims',
    'id agent_id entity_id aspect aspect_key group_name group_key claim claim_key kind created_at'.split(' '),
  )
  const version = row(
    'claim_versions',
    'id claim_id entity_id value value_hash confidence status recorded_at'.split(' '),
  )
  const operation = row(
    'ontology_operations',
    'id agent_id operation payload reason confidence mode status changed_by actor_type request_id created_at'.split(
      ' ',
    ),
  )
  const span = row(
    'evidence_spans',
    'id agent_id operation_id subject_id source_kind source_id quote'.split(' '),
  )
  const link = row(
    'entity_links',
    'id agent_id from_id relation relation_key to_id status confidence recorded_at'.split(' '),
  )
  const mention = row('entity_mentions', ['entity_id', 'memory_id'])
  const memoryId = () => `00000000-0000-7000-8000-${String(any(counts.memories)).padStart(12, '0')}`
  const say = (subject: string) =>
    span.run(`s ${subject}`, agentId, 'o', subject, 'memory', memoryId(), 'a quote')
  raw.transaction(() => {
    operation.run('o', agentId, 'link', '{}', 'bench', 0.9, 'apply', 'applied', 'bench', 'operator', 'r', at)
    for (const [n, called] of entities.entries()) {
      const key = nameKey(called)
      entity.run(`e${n}`, agentId, called, key, 'thing', 0, counts.mentions, at, at)
      name.run(agentId, key, `e${n}`, called, 1)
    }
    for (let n = 0; n < counts.entities; n++) {
      for (let c = 0; c < counts.claims; c++) {
        const slot = slots[any(counts.slots)] as string
        const [aspect, id] = [`side${c}`, `e${n} ${c}`]
        const of = [aspect, aspect, 'general', 'general', slot, nameKey(slot)]
        claim.run(`c${id}`, agentId, `e${n}`, ...of, 'attribute', at)
        version.run(`v${id}`, `c${id}`, `e${n}`, 'a value', 'h', 0.9, 'current', at)
        say(`v${id}`)
      }
      for (let l = 0; l < counts.links; l++) {
        // Every tenth link leads to one of a hundred hubs.
        const to = l === 0 && n % 10 === 0 ? any(100) : any(counts.entities)
        link.run(`l${n} ${l}`, agentId, `e${n}`, `r${l}`, `r${l}`, `e${to}`, 'current', 0.9, at)
        say(`l${n} ${l}`)
      }
      for (let m = 0; m < counts.mentions; m++) mention.run(`e${n}`, memoryId())
    }
  })()
  raw.close()
}
