import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { newRecoveryCode } from '../../src/lib/keys/recovery-code.js'
import type { TestDaemon } from './daemon.js'
import { askStream } from './streams.js'
import { importFromProgram } from './transfer.js'

/** Diagnostics routes that report on one agent. */
export const scopedDiagnostics = [
  'GET /api/diagnostics',
  'GET /api/diagnostics/workloads',
  'GET /api/diagnostics/transcript-capture',
  'GET /api/diagnostics/memory-content-safety',
  'GET /api/diagnostics/database/schema',
] as const

/** Calls every route for diagnostics and maintenance of the daemon. */
export async function operations(daemon: TestDaemon, asked: Set<string>): Promise<void> {
  await git(daemon)
  await sync(daemon)
  await updates(daemon)
  await diagnostics(daemon)
  await backup(daemon)
  await importFromProgram(daemon)
  await daemon.call('GET /api/memories', { query: { unusedDays: '180', current: 'true' } })
  await daemon.call('GET /api/sessions/:key/work', { params: { key: 's1' } })
  await daemon.call('GET /api/sessions/work', { query: { file: '/shop/server.ts' } })
  for (const address of ['usage', 'days', 'latency', 'errors', 'memory-safety'] as const)
    await daemon.call(`GET /api/analytics/${address}`)
  for (const query of [{}, { agentId: 'default', project: 'p' }])
    await daemon.call('GET /api/analytics/continuity', { query })
  await daemon.call('GET /api/analytics/continuity/latest', { query: { agentId: 'default' } })
  await daemon.call('GET /api/logs')
  for (const query of [
    {},
    { event: 'recall.outcome', since: '2020-01-01T00:00:00Z', until: '2040-01-01T00:00:00Z' },
  ])
    await daemon.call('GET /api/telemetry/events', { query })
  await daemon.call('GET /api/telemetry/health')
  for (const query of [{}, { since: new Date().toISOString() }])
    await daemon.call('GET /api/telemetry/stats', { query })
  await fetch(`${daemon.url}/api/telemetry/export`)
  asked.add('GET /api/telemetry/export')
  await recallRecords(daemon, asked)
  await askStream(daemon, 'GET /api/memories/stream', asked, '/api/memories/stream?last=50')
  await daemon.call('GET /metrics')
  const { body } = await daemon.call('GET /api/memories', { query: { limit: 1 } })
  const { entities } = (await daemon.call('GET /api/ontology/entities')).body
  for (const id of [body.memories[0]?.id, entities[0]?.id, 's', 'nothing'])
    for (const address of ['GET /api/timeline/:id', 'GET /api/timeline/:id/export'] as const)
      await daemon.call(address, { params: { id: id ?? 'nothing' } })
  await items(daemon)
  await repairs(daemon)
  await projects(daemon)
}

/** Searches with every filter, and opens what is found. */
async function items({ call }: TestDaemon): Promise<void> {
  const times = { since: '2020-01-01T00:00:00.000Z', until: '2040-01-01T00:00:00.000Z' }
  for (const fields of [{}, { project: '/shop' }, { who: 'ada', ...times }, { agentId: 'maya' }] as const)
    for (const query of ['harbour crane', 'Orion']) {
      const { body } = await call('POST /api/search', { body: { query, limit: 100, ...fields } })
      for (const { id } of body.items) await call('GET /api/items/:id', { params: { id } })
    }
  for (const id of ['session:s#0', 'code:src/main.ts:main', 'a#1', 'nothing'])
    await call('GET /api/items/:id', { params: { id } })
}

async function recallRecords({ call, url }: TestDaemon, asked: Set<string>): Promise<void> {
  const query = {
    agent_id: 'default',
    session_key: 's',
    route: '/api/memory/recall',
    since: '2020-01-01T00:00:00Z',
    until: '2040-01-01T00:00:00Z',
    no_hits: false,
  }
  for (const each of [{}, query]) await call('GET /api/telemetry/memory-search', { query: each })
  await fetch(`${url}/api/telemetry/memory-search/export`)
  asked.add('GET /api/telemetry/memory-search/export')
  for (const each of [{}, { ...query, limit: 1 }, { ids: ['x'] }])
    await call('POST /api/telemetry/memory-search/replay', { body: each })
  await call('DELETE /api/telemetry/memory-search', { query })
}

async function sync(daemon: TestDaemon): Promise<void> {
  const { call, paths, remember } = daemon
  const folder = `${paths.root}-sync`
  mkdirSync(folder, { recursive: true })
  const place = { address: folder, name: 'one' }
  await call('GET /api/sync')
  const { recoveryCode } = (await call('POST /api/sync/init', { body: place })).body
  await remember('The tern flies over the folder of the sync.')
  await call('POST /api/sync/run', { body: {} })
  await call('GET /api/sync')
  await call('POST /api/sync/approve', { body: { code: '00000-00000' } })
  await call('POST /api/sync/revoke', { body: { device: 'two' } })
  for (const paused of [true, false]) await call('POST /api/sync/pause', { body: { paused } })
  for (const segment of readdirSync(folder, { recursive: true }))
    if (String(segment).endsWith('.seg')) rmSync(join(folder, String(segment)))
  await call('POST /api/sync/run', { body: {} })
  await call('POST /api/sync/leave', { body: {} })
  await call('POST /api/sync/recover', { body: { ...place, code: recoveryCode } })
  await call('POST /api/sync/run', { body: {} })
  await call('POST /api/sync/leave', { body: {} })
  await call('POST /api/sync/join', { body: place })
  await call('POST /api/sync/leave', { body: {} })
  rmSync(folder, { recursive: true })
  const params = { box: 'main' }
  const query = { name: `${'0'.repeat(32)}/rings/000001-00.ring` }
  await call('GET /api/sync/relay/:box', { params })
  await call('PUT /api/sync/relay/:box/file', { params, query, bytes: Buffer.from('{}') })
  await call('GET /api/sync/relay/:box/file', { params, query })
  await call('DELETE /api/sync/relay/:box/file', { params, query })
}

async function git({ call }: TestDaemon): Promise<void> {
  await call('POST /api/git/init', { body: { dryRun: true } })
  for (const address of ['GET /api/git/status', 'GET /api/git/config'] as const) await call(address)
  for (const name of ['pull', 'push', 'sync'] as const) await call(`POST /api/git/${name}`)
  await call('POST /api/git/config', { body: {} })
  const { version: waiting } = (await call('GET /api/git/settings')).body
  await call('POST /api/git/settings', { body: { decision: 'refuse', version: waiting } })
  const { text, version } = (await call('GET /api/settings')).body
  await call('POST /api/settings', { body: { text, version } })
  await call('GET /api/pipeline/status')
  for (const name of ['pause', 'resume'] as const) await call(`POST /api/pipeline/${name}`)
}

async function updates({ call }: TestDaemon): Promise<void> {
  for (const address of ['GET /api/update/check', 'GET /api/update/config', 'POST /api/update/run'] as const)
    await call(address)
  await call('POST /api/update/config', { body: {} })
}

async function diagnostics({ call }: TestDaemon): Promise<void> {
  for (const address of scopedDiagnostics) await call(address, { query: { agentId: 'default' } })
  await call('GET /api/diagnostics/:domain', { params: { domain: 'composite' } })
  await call('GET /api/diagnostics/database/tables/:table/sample', { params: { table: 'memories' } })
}

async function backup({ call, paths }: TestDaemon): Promise<void> {
  const { body } = await call('POST /api/backup', { body: {} })
  const params = { id: body.id }
  await call('GET /api/backup')
  await call('GET /api/storage')
  for (const body of [{}, { to: 'NO_SUCH_SECRET' }]) await call('POST /api/storage/check', { body })
  for (const to of ['sqlite', 'NO_SUCH_SECRET'])
    await call('POST /api/storage/move', { body: { to, dryRun: true } })
  await call('POST /api/storage/confirm', { body: { dryRun: true } })
  await call('GET /api/workspace-key')
  await call('POST /api/workspace-key', { body: { code: newRecoveryCode() } })
  await call('POST /api/workspace-key/identity', { body: {} })
  await call('POST /api/backup/:id/verify', { params })
  await call('POST /api/backup/:id/restore', { params, body: { dryRun: true } })
  const file = `${paths.root}/backups/${body.id}.tar.gz`
  await call('POST /api/backup/verify', { body: { file } })
  await call('POST /api/backup/restore', { body: { file, dryRun: true } })
  await call('POST /api/backup/undo', { body: {} })
}

async function projects({ call }: TestDaemon): Promise<void> {
  for (const project of ['routes-a', 'routes-b'])
    await call('POST /api/memory/remember', { body: { content: `of ${project}`, project } })
  for (const query of [{}, { project: 'routes-a', history: true }]) await call('GET /api/projects', { query })
  await call('PATCH /api/projects', { body: { project: 'routes-a', name: 'routes-c' } })
  const { body } = await call('POST /api/projects/join', { body: { from: 'routes-a', into: 'routes-b' } })
  await call('POST /api/projects/undo', { body: { id: body.id ?? '' } })
  await call('POST /api/projects/split', { body: { project: 'routes-b', part: 'routes-a', dryRun: true } })
  await call('POST /api/projects/adopt', { body: { dryRun: true } })
  await call('DELETE /api/projects', { body: { project: 'routes-b', dryRun: true } })
}

async function repairs({ call }: TestDaemon): Promise<void> {
  for (const address of [
    'GET /api/repair',
    'GET /api/repair/embedding-gaps',
    'GET /api/repair/dedup-stats',
  ] as const)
    await call(address)
  for (const dryRun of [true, false])
    for (const name of [
      'requeue-dead',
      'release-leases',
      'retention-sweep',
      're-embed',
      're-embed-migration',
      'clean-orphans',
      'resync-vectors',
      'relink-entities',
      'prune-generic-entities',
    ] as const)
      await call(`POST /api/repair/${name}`, { body: { dryRun } })
  await call('POST /api/repair/deduplicate', { body: { semanticEnabled: true } })
  await call('POST /api/repair/check-fts', { body: { repair: true } })
}
