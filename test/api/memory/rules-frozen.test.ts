import test from 'ava'
import { endpoints } from '../../../src/contract/api.js'
import type { EndpointShape } from '../../../src/contract/ground/endpoint.js'
import { startDaemon } from '../../helpers/daemon.js'

const settings = { memory: { pipelineV2: { mutationsFrozen: true } } }
const all = endpoints as readonly EndpointShape[]

/** A request for every writing endpoint, listed here independently of `mutates` in the contract. */
const bodies: Readonly<Record<string, object>> = {
  'POST /api/import/from': { from: 'mem0', paths: ['/tmp/none.db'] },
  'POST /api/import/undo': { from: 'mem0' },
  'PATCH /api/projects': { project: 'p', name: 'q' },
  'POST /api/projects/join': { from: 'p', into: 'q' },
  'POST /api/projects/split': { project: 'p', part: 'q' },
  'POST /api/projects/undo': { id: 'x' },
  'POST /api/projects/adopt': {},
  'DELETE /api/projects': { project: 'p' },
  'POST /api/memory/remember': { content: 'new' },
  'POST /api/memory/feedback': { session_key: 's', ratings: { x: 1 } },
  'POST /api/memory/harnessb-native-note': { content: 'new' },
  'POST /api/memory/:id/recover': { reason: 'r' },
  'POST /api/memory/recover': { ids: ['x'], reason: 'r' },
  'POST /api/memory/:id/judgement': { judgement: 'up' },
  'PATCH /api/memory/:id': { reason: 'r', pinned: true },
  'DELETE /api/memory/:id': { reason: 'r' },
  'POST /api/memory/modify': { reason: 'r', patches: [{ id: 'x', pinned: true }] },
  'POST /api/memories/:id/tombstone': { reason: 'r' },
  'POST /api/hooks/remember': { harness: 'codex', content: 'new' },
  'POST /api/hooks/compaction-complete': { harness: 'codex', summary: 'new' },
  'POST /api/synthesis/trigger': {},
  'POST /api/memories/:id/supersede': { reason: 'r', supersededBy: 'x' },
  'POST /api/agents': { name: 'x' },
  'PATCH /api/agents/:name': { read_policy: 'shared' },
  'DELETE /api/agents/:name': {},
  'POST /api/documents': { source_type: 'text', content: 'new' },
  'DELETE /api/documents/:id': {},
  'POST /api/connectors/:id/sync': {},
  'POST /api/connectors/:id/sync/full': {},
  'POST /api/sources/import': { paths: ['/nowhere/a.md'] },
  'POST /api/sources/:sourceId/snapshot/import': {},
  'POST /api/sources/notevault': { path: '/nowhere' },
  'POST /api/sources/coderepo': { repos: ['octo/site'] },
  'POST /api/sources/chatguild': { guildIds: ['123456789012345678'], tokenRef: 'TOKEN' },
  'POST /api/sources/:sourceId/sync': {},
  'POST /api/sources/:sourceId/resume': {},
  'DELETE /api/sources/:sourceId': {},
  'POST /api/ontology/operations': {
    operations: [
      { operation: 'create_entity', payload: { name: 'x', type: 'thing' }, reason: 'r', confidence: 1 },
    ],
  },
  'POST /api/dream/trigger': {},
  'POST /api/ontology/proposals/:id/apply': { reason: 'r' },
  'POST /api/ontology/proposals/:id/reject': { reason: 'r' },
  'POST /api/ontology/review': { decisions: [{ id: 'x', decision: 'keep' }] },
  'POST /api/ontology/undo': {},
  'POST /api/sources/imports': {},
  'PUT /api/sources/imports/:jobId/files/:fileId': {},
  'PATCH /api/sources/imports/:jobId/files/:fileId': {},
  'POST /api/sources/imports/:jobId/files/:fileId/finalize': {},
  'POST /api/sources/imports/:jobId/files/:fileId/reset': {},
  'POST /api/sources/imports/:jobId/start': {},
  'POST /api/sources/imports/:jobId/resume': {},
  'POST /api/sources/imports/:jobId/retry': {},
  'POST /api/repair/requeue-dead': {},
  'POST /api/repair/release-leases': {},
  'POST /api/repair/check-fts': { repair: true },
  'POST /api/repair/retention-sweep': {},
  'POST /api/repair/re-embed': {},
  'POST /api/repair/re-embed-migration': {},
  'POST /api/repair/clean-orphans': {},
  'POST /api/repair/resync-vectors': {},
  'POST /api/repair/deduplicate': {},
  'POST /api/repair/relink-entities': {},
  'POST /api/repair/prune-generic-entities': { dryRun: false },
  'POST /api/code/index': { project: '/nowhere' },
  'POST /api/code/clear': { project: '/nowhere', confirm: true },
  'POST /api/harnesses/sessions': {},
  'POST /api/sync/run': {},
  'POST /api/cross-agent/messages': { content: 'new', to_agent_id: 'x' },
  'POST /api/cross-agent/messages/:messageId/retry': {},
}

const uploadHeaders = {
  'upload-length': '2',
  'upload-offset': '0',
  'upload-checksum': '0'.repeat(64),
}

test('every endpoint that writes, aliases included, is 503 while frozen (rules.md 0.9 and 7; rules.md#kill-switch)', async t => {
  const first = await startDaemon(t)
  const id = await first.remember('before the frost')
  await first.call('PATCH /api/plugins/:id', {
    params: { id: 'service.codeindex' },
    body: { enabled: true },
  })
  await first.stop()
  const { url, call } = await startDaemon(t, { workspace: first.paths.root, settings })
  for (const { method, path, aliases = [], mutates } of all) {
    const body = bodies[`${method} ${path}`]
    if (mutates !== true && !body) continue
    t.truthy(body, `${method} ${path} has no request in this test`)
    for (const address of [path, ...aliases]) {
      const response = await fetch(
        `${url}${address.replace(':id', id).replace(/:\w+/gu, 'x')}?reason=r&confirm=true`,
        {
          method,
          headers: { 'content-type': 'application/json', ...uploadHeaders },
          body: JSON.stringify(body),
        },
      )
      t.is(response.status, 503, address)
      t.is(((await response.json()) as { code: string }).code, 'mutations_frozen', address)
    }
  }
  t.like((await call('GET /api/memory/:id', { params: { id } })).body, { version: 1, pinned: 0 })
  t.is((await call('GET /api/memories')).body.stats.total, 1)
  t.is((await call('GET /api/memory/:id/history', { params: { id } })).body.count, 1)
})

test('API keys can be created and revoked while frozen, because they are not memory writes (rules.md#kill-switch)', async t => {
  const { call } = await startDaemon(t, { settings })
  const created = await call('POST /api/auth/keys', { body: { name: 'ci' } })
  t.is(created.status, 201)
  const revoked = await call('DELETE /api/auth/keys/:idOrPrefix', { params: { idOrPrefix: created.body.id } })
  t.is(revoked.status, 200)
})
