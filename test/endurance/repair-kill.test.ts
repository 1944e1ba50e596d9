import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import type { Database } from 'better-sqlite3'
import { stringify } from 'yaml'
import { bodyOf, nextBody } from '../../src/cli/operations/repair.js'
import type { RepairReply } from '../../src/contract/operations/repair/repair.js'
import type { RepairName } from '../../src/contract/operations/repair/repair-names.js'
import { workspacePaths } from '../../src/lib/workspace/paths.js'
import { temporaryWorkspace } from '../helpers/daemon.js'
import { type Scope, until } from '../helpers/daemon-process.js'
import { openaiReply, sendJson, startHttpFake } from '../helpers/embedding-fakes.js'
import { type KillableDaemon, startKillable } from '../helpers/killable-daemon.js'
import { killsOr } from '../helpers/kills.js'
import { limitFiles, whereLimits } from '../helpers/limited-files.js'
import * as damage from '../helpers/planted-damage.js'
import { scopeOfScript } from '../helpers/script-scope.js'
import { openRaw } from '../helpers/store.js'

const kills = killsOr(1)
const memories = 150
const dimensions = 8

interface Work {
  /** Once, before the first start. */
  plant?: (raw: Database, ids: readonly string[]) => void
  /** Before each start, for damage that a start repairs by itself. */
  before?: (raw: Database, ids: readonly string[]) => void
  /** While a daemon runs, with the number of the round. */
  live?: (raw: Database, ids: readonly string[], round: number) => void
  /** Smaller batches than the command uses, for more steps. */
  body?: object
  /** Queries that must count 0 at the end. */
  none: readonly string[]
}

const deleted = (n: number) => Array.from({ length: n }, (_, at) => `gone ${at}`)

/** Every repair that changes data. */
const works: Readonly<Record<Exclude<RepairName, 'embedding-gaps' | 'dedup-stats'>, Work>> = {
  'requeue-dead': {
    plant: raw => damage.putEmbedJobs(raw, deleted(2600)),
    none: ["SELECT count(*) FROM jobs WHERE status = 'dead'"],
  },
  'release-leases': {
    live: (raw, _ids, round) => {
      const subjects = deleted(600).map(subject => `${subject} in ${round}`)
      damage.putEmbedJobs(raw, subjects, { status: 'leased', attempts: 2 })
    },
    none: ["SELECT count(*) FROM jobs WHERE status = 'leased'"],
  },
  'check-fts': {
    live: (raw, ids, round) => {
      // Change numbers are unique, since pages are read by them.
      damage.addUnseen(raw, ids.slice(0, 60), { name: `round${round}`, changes: (round + 1) * 1000 })
      damage.dropMemories(raw, ids.slice(100 + round * 4, 104 + round * 4))
    },
    none: [],
  },
  'retention-sweep': {
    plant: (raw, ids) => {
      damage.repeatTexts(raw, ids, 1000)
      damage.forgetLongAgo(raw, [...ids.map(id => `copy-${id}`)])
    },
    none: [
      'SELECT count(*) FROM memories WHERE is_deleted = 1',
      `SELECT ${memories} - count(*) FROM cold_memories`,
    ],
  },
  're-embed': {
    plant: damage.loseVectors,
    body: { batchSize: 5 },
    none: [
      'SELECT count(*) FROM memories WHERE id NOT IN (SELECT memory_id FROM memory_vectors)',
      "SELECT count(*) FROM jobs WHERE status = 'dead'",
    ],
  },
  're-embed-migration': {
    plant: (raw, ids) => {
      damage.setModel(raw, ids, 'older')
      damage.putEmbedJobs(raw, ids)
    },
    body: { batchSize: 5 },
    none: [
      `SELECT ${memories} - count(*) FROM memory_vectors`,
      "SELECT count(*) FROM memory_vectors WHERE model = 'older'",
    ],
  },
  'clean-orphans': {
    plant: raw => {
      raw.pragma('foreign_keys = OFF')
      damage.orphanHints(raw, 1500)
    },
    body: { batchSize: 10 },
    none: ['SELECT count(*) FROM memory_hints'],
  },
  'resync-vectors': {
    plant: damage.unmarkVectors,
    before: (raw, ids) => damage.setModel(raw, ids, 'older'),
    live: (raw, ids) => damage.setModel(raw, ids, 'm'),
    body: { batchSize: 5 },
    none: ['SELECT count(*) FROM memories WHERE embedding_model IS NULL'],
  },
  deduplicate: {
    plant: (raw, ids) => damage.repeatTexts(raw, ids.slice(0, 60), 1000),
    none: [
      'SELECT count(*) - count(DISTINCT content) FROM memories WHERE is_deleted = 0',
      // Every removed duplicate has its history.
      `SELECT count(*) FROM memories m WHERE is_deleted = 1 AND NOT EXISTS (
        SELECT 1 FROM memory_history h WHERE h.memory_id = COALESCE(unhex(m.id, '-'), m.id) AND h.event = 'deleted' AND h.reason LIKE 'duplicate of %')`,
    ],
  },
  'relink-entities': {
    body: { batchSize: 20 },
    none: [
      `SELECT ${memories} - mentions FROM entities`,
      // No link was created twice.
      `SELECT count(*) FROM (SELECT 1 FROM ontology_operations o JOIN evidence_spans s ON s.operation_id = o.id
        WHERE o.operation = 'mention_entity' GROUP BY s.source_id HAVING count(*) > 1)`,
    ],
  },
  'prune-generic-entities': {
    plant: raw => damage.addGenericEntities(raw, 120),
    none: [
      'SELECT count(*) - 1 FROM entities',
      // Each entity was removed once, with its record.
      "SELECT 120 - count(*) FROM ontology_operations WHERE operation = 'prune_entity' AND status = 'applied'",
    ],
  },
}

const filled = { workspace: mkdtempSync(join(tmpdir(), 'memory-service-repair-')) }

test.before('setup: memories with vectors that name an entity, one of them linked', async () => {
  const { scope, end } = scopeOfScript()
  const { daemon, raw } = await start(scope, filled.workspace)
  const ids: string[] = []
  for (let n = 0; n < memories; n++) {
    const { id } = await daemon.post('/api/memory/remember', { content: `Orama holds entry ${n}` })
    ids.push(String(id))
  }
  await until(() => raw.prepare('SELECT count(*) FROM memory_vectors').pluck().get() === memories)
  const evidence = [{ sourceKind: 'memory', sourceId: ids[0], quote: 'Orama' }]
  const payload = { name: 'Orama', type: 'tool' }
  await daemon.post('/api/ontology/operations', {
    operations: [{ operation: 'create_entity', payload, reason: 'r', confidence: 1, evidence }],
  })
  await daemon.stop('SIGTERM')
  raw.prepare("UPDATE meta SET value = CAST(value AS INTEGER) + 100000 WHERE key = 'change'").run()
  await end()
  // Without a snapshot the indexes are rebuilt from the planted rows.
  rmSync(workspacePaths(filled.workspace).snapshot, { force: true })
})

test.after.always(() => rmSync(filled.workspace, { recursive: true, force: true }))

for (const [name, work] of Object.entries(works) as [RepairName, Work][])
  test.serial(
    `${name}, killed at several steps, completes in the end without duplicate or partial work (operations.md 5)`,
    async t => {
      const workspace = temporaryWorkspace(t)
      cpSync(filled.workspace, workspace, { recursive: true })
      const raw = rawOf(t, workspace)
      const ids = damage.someMemories(raw, 0, memories)
      work.plant?.(raw, ids)
      for (let round = 0; round < kills; round++) {
        const daemon = await startDamaged(t, workspace, { work, ids, round })
        const done = repair(daemon, name, work).catch(() => undefined)
        await Promise.race([done, changesOf(raw, 1 + 2 * round)])
        await daemon.stop('SIGKILL')
        await done
      }
      const cut = raw.prepare("SELECT count(*) FROM repair_runs WHERE outcome = 'running'").pluck().get()
      const daemon = await startDamaged(t, workspace, { work, ids, round: kills })
      const reply = await repair(daemon, name, work)
      t.true(reply.success, JSON.stringify(reply))
      // Damage planted behind the position of an operation is fixed by the next one.
      if (work.before) await repair(daemon, name, work)
      const dry = await daemon.post(`/api/repair/${name}`, bodyOf(name, wishes, true))
      t.is(dry.affected, 0, String(dry.message))
      const runs = raw.prepare('SELECT outcome, count(*) FROM repair_runs GROUP BY outcome').raw().all()
      t.false(Object.hasOwn(Object.fromEntries(runs as [string, number][]), 'running'))
      await daemon.stop('SIGTERM')
      for (const query of [...work.none, 'SELECT count(*) FROM pragma_foreign_key_check'])
        t.is(raw.prepare(query).pluck().get(), 0, query)
      t.is(raw.pragma('integrity_check', { simple: true }), 'ok')
      t.log(`runs: ${JSON.stringify(runs)}, the last kill left ${cut}`)
    },
  )

test.serial(
  'a full disk refuses a repair before its start and during it; nothing is lost, and it continues with room (operations.md 5)',
  whereLimits(async t => {
    const workspace = temporaryWorkspace(t)
    cpSync(filled.workspace, workspace, { recursive: true })
    const { daemon, raw } = await start(t, workspace)
    const names = ['requeue-dead', 'clean-orphans', 'deduplicate', 'prune-generic-entities'] as const
    for (const name of names) works[name].plant?.(raw, damage.someMemories(raw, 0, memories))
    const planted = () => names.map(name => raw.prepare(works[name].none[0]!).pluck().get())
    const before = planted()
    limitFiles(daemon.pid, '0')
    for (const name of names) {
      t.is((await repair(daemon, name, works[name])).code, 'insufficient_storage', name)
      t.true(
        Number((await daemon.post(`/api/repair/${name}`, bodyOf(name, wishes, true))).affected) > 0,
        name,
      )
    }
    t.deepEqual(planted(), before)
    limitFiles(daemon.pid, 'unlimited')
    await until(async () => (await daemon.get('/health/ready')).ready === true)
    const cut = repair(daemon, 'clean-orphans', works['clean-orphans'])
    await changesOf(raw, 2)
    limitFiles(daemon.pid, '0')
    t.is((await cut).code, 'insufficient_storage')
    limitFiles(daemon.pid, 'unlimited')
    await until(async () => (await daemon.get('/health/ready')).ready === true)
    for (const name of names) t.true((await repair(daemon, name, works[name])).success, name)
    await daemon.stop('SIGTERM')
    for (const name of names)
      for (const query of works[name].none) t.is(raw.prepare(query).pluck().get(), 0, query)
    t.is(raw.pragma('integrity_check', { simple: true }), 'ok')
  }),
)

const wishes = { semantic: false, all: false }

/** The reply of a repair, or the reason for its refusal. */
type RepairResult = RepairReply & { code?: string }

/**
 * Calls the repair until it is done, like the command, and again while the index is being filled, as the
 * reply asks.
 */
async function repair(daemon: KillableDaemon, name: RepairName, { body }: Work): Promise<RepairResult> {
  for (let next: Record<string, unknown> = { ...bodyOf(name, wishes, false), ...body }; ; ) {
    const reply = (await daemon.post(`/api/repair/${name}`, next)) as unknown as RepairResult
    const following = nextBody(next, reply)
    const isFilled = reply.details?.state !== 'rebuilding'
    if (!following && isFilled) return reply
    if (!isFilled) await sleep(50)
    next = following ?? next
  }
}

/** Waits until the repair has written its progress `count` times; its start counts as the first. */
async function changesOf(raw: Database, count: number): Promise<void> {
  const state = raw
    .prepare(
      `SELECT json_array((SELECT count(*) FROM repair_runs),
        (SELECT json_group_array(place || counts || status) FROM repair_operations),
        (SELECT count(*) FROM memories WHERE is_deleted = 1), (SELECT count(*) FROM ontology_operations),
        (SELECT count(*) FROM memory_vectors), (SELECT count(*) FROM jobs WHERE status = 'dead'))`,
    )
    .pluck()
  let last = state.get()
  for (let seen = 0; seen < count && raw.open; await sleep(1)) {
    const now = state.get()
    if (now !== last) seen++
    last = now
  }
}

async function startDamaged(
  t: ExecutionContext,
  workspace: string,
  { work, ids, round }: { work: Work; ids: readonly string[]; round: number },
): Promise<KillableDaemon> {
  work.before?.(rawOf(t, workspace), ids)
  const { daemon, raw } = await start(t, workspace)
  await until(async () => (await daemon.get('/api/diagnostics/index?refresh=true')).state === 'ready')
  work.live?.(raw, ids, round)
  return daemon
}

function rawOf(t: Scope, workspace: string): Database {
  return openRaw(t, workspacePaths(workspace).database)
}

/** Starts a daemon with a slow provider. */
async function start(t: Scope, workspace: string): Promise<{ daemon: KillableDaemon; raw: Database }> {
  const provider = await startHttpFake(t, async (request, response) => {
    await sleep(5)
    sendJson(response, 200, openaiReply(request, dimensions))
  })
  const embedding = { provider: 'openai', model: 'm', baseUrl: `${provider.url}/v1`, dimensions }
  const settings = { embedding, repair: { cooldownMs: 0, callsPerHour: 10_000 } }
  writeFileSync(join(workspace, 'agent.yaml'), stringify(settings))
  return { daemon: await startKillable(t, workspace), raw: rawOf(t, workspace) }
}
