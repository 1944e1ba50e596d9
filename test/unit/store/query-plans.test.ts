// runs: alone

import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import type { Database } from 'better-sqlite3'
import { policyVersion } from '../../../src/daemon/safety/verdict-columns.js'
import BetterSqlite from '../../../src/store/sqlite/connection/driver.js'
import { openStore } from '../../../src/store/sqlite/database.js'
import type { NewMemory } from '../../../src/store/tables/memory/memories.js'
import { temporaryWorkspace } from '../../helpers/daemon.js'

const everybody = { agents: ['default'], globalOf: 'all' } as const

const memory: NewMemory = {
  id: 'm',
  content: 'c',
  content_hash: 'h',
  hash_space: '',
  type: 'fact',
  importance: 0.8,
  tags: '',
  pinned: 0,
  extraction_status: 'none',
  created_at: '2026',
  updated_at: '2026',
  updated_by: 'x',
  memory_kind: 'episodic',
  agent_id: 'default',
  visibility: 'global',
  safety_status: 'clean',
  safety_reasons: '',
  safety_rules: '',
  safety_policy: '1',
  safety_scanned_at: '2026',
  change: 1,
}

/** Matches a plan step that reads every row of a table. */
const wholeTable = /^SCAN (?:memories|memory_holders|h|other|m|c)\b/mu
const wholeTables = new RegExp(wholeTable, 'gmu')

type Work = (tables: ReturnType<typeof openStore>['tables']) => Promise<unknown>

/** Returns the query plans of the statements run by `work`. */
async function plansOf(t: ExecutionContext, work: Work): Promise<string> {
  const steps = await explained<{ detail: string }>(t, work, 'EXPLAIN QUERY PLAN')
  return steps.map(({ detail }) => detail).join('\n')
}

async function explained<Step>(t: ExecutionContext, work: Work, how: string): Promise<Step[]> {
  const file = join(temporaryWorkspace(t), 'memories.db')
  const statements: string[] = []
  const prepare = BetterSqlite.prototype.prepare
  const store = openStore(file, new Date())
  // All SQL passes through the connection, so statements are recorded there.
  BetterSqlite.prototype.prepare = function (this: Database, text: string) {
    statements.push(text)
    return prepare.call(this, text)
  } as typeof prepare
  try {
    await work(store.tables)
  } finally {
    BetterSqlite.prototype.prepare = prepare
    await store.close()
  }
  const connection = new BetterSqlite(file, { readonly: true })
  t.teardown(() => connection.close())
  return statements.flatMap(text => {
    const parameters = Array.from({ length: text.split('?').length - 1 }, () => null)
    return connection.prepare(`${how} ${text}`).all(...parameters) as Step[]
  })
}

test.serial('a save finds its duplicate with an index', async t => {
  t.regex(
    await plansOf(t, tables => tables.memories.byHash('h', everybody)),
    /^SEARCH memories USING INDEX memories_hash/,
  )
  t.regex(
    await plansOf(t, tables => tables.memories.bySource({ id: 's', type: 'x' }, everybody)),
    /^SEARCH memories USING INDEX memories_source/,
  )
  const tuple = { agentId: 'a', visibility: 'global', scope: null }
  t.regex(
    await plansOf(t, tables => tables.memories.byIdempotencyKey('k', tuple)),
    /^SEARCH memories USING INDEX memories_idempotency/,
  )
})

test.serial('rebuilding and updating the search index read in the order of changes', async t => {
  for (const work of [
    tables => tables.memories.beforeChange(9, 1),
    tables => tables.memories.afterChange(1, 1),
    tables => tables.sync.rowsChanged(1, 1),
  ] satisfies Work[]) {
    const plan = await plansOf(t, work)
    t.regex(plan, /^SEARCH memories USING (?:COVERING )?INDEX memories_changed \(change[<>]\?\)$/mu)
    t.regex(plan, /^SEARCH memories USING INTEGER PRIMARY KEY \(rowid>\? AND rowid<\?\)$/mu)
    t.notRegex(plan, wholeTable)
  }
})

test.serial('memories judged by another safety policy have their own index', async t => {
  const plan = /SEARCH memories USING (?:COVERING )?INDEX memories_outdated/
  t.regex(await plansOf(t, tables => tables.safety.outdated(policyVersion, 1)), plan)
  t.regex(await plansOf(t, tables => tables.surveyCounts.judgedOtherwise(policyVersion)), plan)
})

test.serial(
  'MEMORY.md reads memories by project, type and time, pinned ones with their own index',
  async t => {
    const query = { boundary: everybody, project: 'p', type: 'rule', limit: 1, now: '2026' }
    const own = /^SEARCH memories USING (?:COVERING )?INDEX memories_told \(project=\? AND type=\?/mu
    const others = /^SEARCH h USING (?:COVERING )?INDEX memory_holders_told \(project=\? AND type=\?/mu
    for (const work of [
      (tables => tables.memories.newestOf(query)) satisfies Work,
      (tables => tables.memories.newestAt(everybody, 'p', 'rule')) satisfies Work,
      (tables => tables.memories.countOf(everybody, null, 'rule')) satisfies Work,
    ]) {
      const plan = await plansOf(t, work)
      t.regex(plan, own)
      t.regex(plan, others)
      t.notRegex(plan, wholeTable)
    }
    const pinned = await plansOf(t, tables => tables.memories.pinnedOf(query))
    t.regex(pinned, /^SEARCH memories USING INDEX memories_pinned \(project=\?\)/mu)
    t.regex(pinned, /^SEARCH h USING (?:COVERING )?INDEX memory_holders_pinned \(project=\?\)/mu)
    t.notRegex(pinned, wholeTable)
    const projects = await plansOf(t, tables => tables.memories.projectsAfter('', 10))
    t.notRegex(projects, wholeTable)
    t.notRegex(projects, /TEMP B-TREE/u)
  },
)

test.serial('a session start selects memories with indexes, for first and further holders', async t => {
  const plan = await plansOf(t, async tables => {
    await tables.memories.insert([memory])
    const place = { agent_id: 'a', project: 'p', scope: null }
    await tables.holders.put(memory.id, { ...place, visibility: 'global', held_at: '2026' })
    await tables.memories.best({
      boundary: everybody,
      project: 'p',
      recencyBias: 0.7,
      limit: 10,
      further: await tables.holders.any(),
      except: [],
      withoutCompactions: 'all',
      now: '2026',
      maxContent: 100,
    })
  })
  for (const index of ['memories_told', 'memories_pinned', 'memory_holders_told', 'memory_holders_pinned'])
    t.regex(
      plan,
      new RegExp(`^SEARCH (?:memories|memory_holders|h) USING (?:COVERING )?INDEX ${index} `, 'mu'),
    )
  // This scan stops at the first row, because it only checks for existence.
  t.deepEqual(plan.match(wholeTables), ['SCAN memory_holders'])
})

test.serial(
  'memories are counted for a start by their index, without comparing them if none has further holders',
  async t => {
    const plan = await plansOf(t, tables => tables.memories.countTold(everybody, 'p', 10))
    t.is(plan.match(/^SEARCH memories USING INDEX memories_told \(project=\?\)/gmu)?.length, 2)
    t.notRegex(plan, /memory_holders_told|TEMP B-TREE/u)
  },
)

test.serial('further holders are found by memory, in reads by id and in lists', async t => {
  const lookup = /^SEARCH h USING (?:COVERING )?INDEX memory_holders_memory \(memory_id=\?/mu
  const isolated = { agents: ['a'], globalOf: [] }
  for (const [work, first] of [
    [
      tables => tables.memories.loadRecallable(['m'], isolated, { project: 'p', scope: null }),
      /^SEARCH memories USING INDEX sqlite_autoindex_memories_1 \(id=\?\)/mu,
    ],
    [
      tables => tables.memories.list(isolated, { project: 'p' }, { limit: 1, offset: 0 }),
      /^SEARCH memories USING COVERING INDEX memories_recent \(is_deleted=\?\)/mu,
    ],
    [
      tables => tables.memories.counts(isolated),
      /^SEARCH memories USING COVERING INDEX memories_\w+ \(is_deleted=\?/mu,
    ],
    [
      tables => tables.memories.distinctWho(isolated, { scope: null, safety: 'clean' }),
      /^SEARCH memories USING COVERING INDEX memories_\w+ \(is_deleted=\?/mu,
    ],
  ] satisfies [Work, RegExp][]) {
    const plan = await plansOf(t, work)
    t.regex(plan, first)
    t.regex(plan, lookup)
    t.notRegex(plan, wholeTable)
  }
})

test.serial('parts of ids are looked up in the index of ids alone', async t => {
  const plan = await plansOf(t, tables => tables.idParts.matching('memory', '0123abcd'))
  t.regex(plan, /SEARCH memories USING COVERING INDEX sqlite_autoindex_memories_1 \(id>\? AND id<\?\)/)
  t.regex(plan, /SEARCH memories USING COVERING INDEX sqlite_autoindex_memories_1 \(id>\?\)/)
  t.notRegex(plan, wholeTable)
})

test.serial('the newest summary nodes are read in index order', async t => {
  const filter = { agentId: 'a', safety: 'clean' } as const
  t.regex(
    await plansOf(t, tables => tables.summaryNodes.newest(filter, 5)),
    /^SEARCH temporal_nodes USING INDEX temporal_nodes_recent/,
  )
  t.regex(
    await plansOf(t, tables => tables.summaryNodes.newest({ ...filter, project: 'p' }, 5)),
    /^SEARCH temporal_nodes USING INDEX temporal_nodes_project/,
  )
})

test.serial('session event records are purged and listed with indexes', async t => {
  const purge = await plansOf(t, tables => tables.sessionEvents.purge('2026', 5))
  t.regex(purge, /SEARCH session_events USING (?:COVERING )?INDEX session_events_age/)
  t.notRegex(purge, /SCAN session_/)
  t.regex(
    await plansOf(t, tables => tables.sessionEvents.logs('a', undefined, 5)),
    /^SEARCH session_logs USING INDEX session_logs_recent/,
  )
  const newest = await plansOf(t, tables => tables.sessionEvents.newest({ agentId: 'a', project: 'p' }, 5))
  t.regex(newest, /SCAN session_events USING INDEX session_events_age/)
})

test.serial('status counts scan no rows except deleted ones', async t => {
  const counts: Work = async ({ memories, vectors }) => {
    await memories.countAlive()
    await vectors.countMissing({ provider: 'openai', model: 'm' })
  }
  const whole = (await plansOf(t, counts)).match(/^SCAN (?!CONSTANT).*$/gmu) ?? []
  t.is(whole.length, 2)
  // The Count instruction adds up page counts without reading rows.
  const steps = await explained<{ opcode: string }>(t, counts, 'EXPLAIN')
  t.is(steps.filter(({ opcode }) => opcode === 'Count').length, whole.length)
})
