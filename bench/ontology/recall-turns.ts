import BetterSqlite from 'better-sqlite3'
import { pino } from 'pino'
import { nameKey } from '../../src/daemon/ground/entities/name-key.js'
import { recall } from '../../src/daemon/memory/recall/recall.js'
import { startDaemon } from '../../src/daemon/process/start.js'
import { workspacePaths } from '../../src/lib/paths.js'
import { benchCaller } from '../caller.js'
import { fillWorkspace, temporaryWorkspace } from '../daemon/workspace.js'
import { percentile } from '../index/measure.js'
import { type SyntheticMemories, seededRandom } from '../index/synthetic.js'

const counts = { memories: 100_000, entities: 50_000, claims: 4, links: 3, mentions: 4, slots: 400 }
const at = '2026-01-01T00:00:00.000Z'
/** The agent whose memories the synthetic ones are. */
const caller = { ...benchCaller, agentId: 'agent-0' }

/** Recall by one kind of queries with and without what is known, in turns. */
export interface RecallTurns {
  queries: string
  withoutP50Ms: number
  withP50Ms: number
  withoutP95Ms: number
  withP95Ms: number
  /** Median of the quotients of two turns that asked the same. */
  ratio: number
  /** Processor time of the daemon, all its threads, of all turns with by all without. */
  processorRatio: number
}

/**
 * What the channels and cards of the graph cost a recall among 100,000 memories, 50,000 entities and 200,000 values,
 * each with quotes, mentions and links; in process, every query asked with and without, first the one and then the other.
 */
export async function measureRecallTurns({
  runs = 300,
  traversal = false,
}: {
  runs?: number
  traversal?: boolean
} = {}): Promise<RecallTurns[]> {
  const { folder, remove } = temporaryWorkspace()
  const paths = workspacePaths(folder)
  const memories = await fillWorkspace(folder, counts.memories)
  const names = fillOntology(paths.database, memories)
  const running = await startDaemon({
    paths,
    version: '0.0.0',
    log: pino({ level: 'silent' }),
    environment: { SERVICE_PORT: '0' },
  })
  const daemon = await running.ready
  await running.loaded
  const random = seededRandom(5)
  const one = (list: readonly string[]) => list[Math.floor(random() * list.length)] as string
  const kinds = {
    'of any words': () => memories.query(),
    'that name an entity': () => `${one(names.entities)} ${memories.query()}`,
    'that name an entity and a slot': () => `${one(names.slots)} of ${one(names.entities)}`,
  }
  const base = daemon.configuration()
  const asked = (isOn: boolean) => {
    const channels = { claims: isOn, traversal: isOn && traversal, cards: isOn }
    const settings = { ...base.settings, recall: { ...base.settings.recall, ...channels } }
    return Object.create(daemon, { configuration: { value: () => ({ ...base, settings }) } }) as typeof daemon
  }
  const turns = [asked(false), asked(true)] as const
  const result: RecallTurns[] = []
  for (const [queries, query] of Object.entries(kinds))
    result.push({ queries, ...(await inTurns(runs, turns, query)) })
  await running.close()
  remove()
  return result
}

async function inTurns<Deps extends Parameters<typeof recall>[0]>(
  runs: number,
  turns: readonly [Deps, Deps],
  query: () => string,
): Promise<Omit<RecallTurns, 'queries'>> {
  const wall: [number[], number[]] = [[], []]
  const processor: [number, number] = [0, 0]
  for (let run = -10; run < runs; run++) {
    const asked = query()
    for (const turn of run % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
      const before = process.cpuUsage()
      const started = performance.now()
      await recall(turns[turn], caller, { query: asked, limit: 10, explain: false })
      const ms = performance.now() - started
      const { user, system } = process.cpuUsage(before)
      if (run < 0) continue
      wall[turn].push(ms)
      processor[turn] += user + system
    }
  }
  const [without, withIt] = wall
  return {
    withoutP50Ms: percentile(without, 0.5),
    withP50Ms: percentile(withIt, 0.5),
    withoutP95Ms: percentile(without, 0.95),
    withP95Ms: percentile(withIt, 0.95),
    ratio: percentile(
      withIt.map((ms, run) => ms / (without[run] as number)),
      0.5,
    ),
    processorRatio: processor[1] / processor[0],
  }
}

/** Entities named by words of the memories, a few of them hubs; each value with a quote. @returns names to ask by. */
function fillOntology(file: string, memories: SyntheticMemories): { entities: string[]; slots: string[] } {
  const raw = new BetterSqlite(file)
  const random = seededRandom(3)
  const any = (count: number) => Math.floor(random() * count)
  const wordOf = () =>
    memories
      .query()
      .split(' ')
      .find(word => word.length > 4) ?? 'crane'
  const slots = Array.from({ length: counts.slots }, wordOf)
  // Some are single words of the memories, so that queries name them by chance.
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
    span.run(`s ${subject}`, caller.agentId, 'o', subject, 'memory', memoryId(), 'a quote')
  raw.transaction(() => {
    operation.run(
      'o',
      caller.agentId,
      'link',
      '{}',
      'bench',
      0.9,
      'apply',
      'applied',
      'bench',
      'operator',
      'r',
      at,
    )
    for (const [n, called] of entities.entries()) {
      const key = nameKey(called)
      entity.run(`e${n}`, caller.agentId, called, key, 'thing', 0, counts.mentions, at, at)
      name.run(caller.agentId, key, `e${n}`, called, 1)
    }
    for (let n = 0; n < counts.entities; n++) {
      for (let c = 0; c < counts.claims; c++) {
        const slot = slots[any(counts.slots)] as string
        const [aspect, id] = [`side${c}`, `e${n} ${c}`]
        const of = [aspect, aspect, 'general', 'general', slot, nameKey(slot)]
        claim.run(`c${id}`, caller.agentId, `e${n}`, ...of, 'attribute', at)
        version.run(`v${id}`, `c${id}`, `e${n}`, 'a value', 'h', 0.9, 'current', at)
        say(`v${id}`)
      }
      for (let l = 0; l < counts.links; l++) {
        // Every tenth link leads to one of a hundred hubs.
        const to = l === 0 && n % 10 === 0 ? any(100) : any(counts.entities)
        link.run(`l${n} ${l}`, caller.agentId, `e${n}`, `r${l}`, `r${l}`, `e${to}`, 'current', 0.9, at)
        say(`l${n} ${l}`)
      }
      for (let m = 0; m < counts.mentions; m++) mention.run(`e${n}`, memoryId())
    }
  })()
  raw.close()
  return { entities, slots }
}

export function formatRecallTurns(turns: readonly RecallTurns[]): string {
  const ms = (value: number) => value.toFixed(2)
  return [
    '| queries | p50 ms without | with | p95 ms without | with | with by without, median | processor |',
    '|---|--:|--:|--:|--:|--:|--:|',
    ...turns.map(
      turn =>
        `| ${turn.queries} | ${ms(turn.withoutP50Ms)} | ${ms(turn.withP50Ms)} | ${ms(turn.withoutP95Ms)} | ${ms(turn.withP95Ms)} | ${ms(turn.ratio)} | ${ms(turn.processorRatio)} |`,
    ),
  ].join('\n')
}
