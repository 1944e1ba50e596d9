import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ExecutionContext } from 'ava'
import type { Address, Request } from '../../src/contract/api.js'
import { capture } from './captures.js'
import { ended } from './commands.js'
import { connect, synchronise } from './connectors.js'
import type { TestDaemon } from './daemon.js'
import { openaiReply, sendJson, startHttpFake } from './embedding-fakes.js'
import { harnessHook } from './harness-hook.js'
import { startSession, submitPrompt } from './hooks.js'
import { imports } from './import-requests.js'
import { askCode } from './indexed-project.js'
import { ontology } from './ontology-requests.js'
import { operations } from './operations-requests.js'
import { settledDocument } from './read-documents.js'
import { putSkill } from './skills.js'
import { guilds, repositories, vault } from './source-requests.js'
import { askTasks } from './tasks.js'

const dimensions = 8
const transcript = readFileSync(new URL('../fixtures/transcripts/claude-code.jsonl', import.meta.url), 'utf8')
const [since, until] = ['2020-01-01T00:00:00.000Z', '2040-01-01T00:00:00.000Z']

/** Settings with vectors from a provider that the test starts. */
export async function settingsWithVectors(t: ExecutionContext): Promise<Record<string, unknown>> {
  const provider = await startHttpFake(t, (request, response) =>
    sendJson(response, 200, openaiReply(request, dimensions)),
  )
  return { embedding: { provider: 'openai', model: 'm', baseUrl: `${provider.url}/v1`, dimensions } }
}

/**
 * Calls every route that works with the store, with every filter it supports.
 * @returns the called addresses. @throws Error for a failure where a success is expected.
 */
export async function callEveryRoute(t: ExecutionContext, daemon: TestDaemon): Promise<Set<string>> {
  const asked = new Set<string>()
  const call = async <A extends Address>(address: A, request: Parameters<typeof daemon.call<A>>[1] = {}) => {
    asked.add(address)
    const reply = await daemon.call(address, request)
    if (reply.status >= 500 && ![501, 502].includes(reply.status))
      throw new Error(`${address} answered ${reply.status}`)
    return reply
  }
  const own: TestDaemon = { ...daemon, call: call as TestDaemon['call'] }
  await call('POST /api/cross-agent/messages', { body: { content: 'hello', broadcast: true } })
  const ids = await changes(own)
  await reads(own, ids)
  await hooks(own)
  await credentials(own)
  await secrets(own)
  await agents(own)
  await plugins(own)
  await askCode(t, own)
  await knowledge(t, own)
  await transfers(daemon, asked)
  await skills(own)
  await askTasks(own, asked)
  await operations(own, asked)
  return asked
}

type Body<A extends Address> = NonNullable<Request<A>['body']>

async function changes({ call }: TestDaemon): Promise<string[]> {
  const save = async (content: string, fields: Partial<Body<'POST /api/memory/remember'>> = {}) =>
    (await call('POST /api/memory/remember', { body: { content, ...fields } })).body.id
  const full = { tags: 'a,b', who: 'ada', project: '/shop', createdAt: since, sourceType: 'chat' }
  const one = await save('the harbour crane lifts containers', {
    ...full,
    idempotencyKey: 'k',
    sourceId: 's',
  })
  const two = await save('the harbour crane is painted red', { structured: { hints: ['which colour'] } })
  await save('mine alone', { agentId: 'maya', visibility: 'private', scope: 'lab' })
  await save('the harbour crane is painted blue', { supersedes: two, reason: 'painted again' })
  const ids = [one, await save('to be changed'), await save('to be replaced'), await save('to be forgotten')]
  const [, changed = '', replaced = '', forgotten = ''] = ids
  const reason = 'a test'
  await call('PATCH /api/memory/:id', {
    params: { id: changed },
    body: { reason, tags: 'c', importance: 0.4 },
  })
  await call('POST /api/memory/modify', { body: { reason, patches: [{ id: changed, pinned: true }] } })
  const replacement = { params: { id: replaced }, body: { reason, supersededBy: one } }
  await call('POST /api/memories/:id/supersede', replacement)
  await call('DELETE /api/memory/:id', { params: { id: forgotten }, body: { reason } })
  await call('POST /api/memory/:id/recover', { params: { id: forgotten }, body: { reason } })
  await call('POST /api/memories/:id/tombstone', { params: { id: forgotten }, body: { reason } })
  await call('GET /api/memories/removals')
  await call('POST /api/memory/recover', { body: { ids: [forgotten], reason } })
  await call('POST /api/memory/harnessb-native-note', { body: { content: 'a note of the harness' } })
  return ids
}

async function reads({ call }: TestDaemon, ids: readonly string[]): Promise<void> {
  const [id = ''] = ids
  const filters = [
    { type: 'fact' },
    { tags: 'a' },
    { who: 'ada' },
    { pinned: true },
    { importance_min: 0.1 },
    { since, until },
    { project: '/shop' },
    { scope: 'lab' },
    { agentId: 'maya' },
  ] as const
  const query = 'harbour crane'
  for (const filter of [{}, ...filters]) {
    await call('GET /memory/search', { query: filter })
    await call('GET /memory/search', { query: { q: query, ...filter } })
    await call('GET /memory/search', { query: { distinct: 'who', ...filter } })
    await call('GET /memory/search', { query: { q: query, distinct: 'who', ...filter } })
    await call('GET /api/memory/search', { query: { q: query, ...filter } })
    await call('POST /api/memory/recall', { body: { query, sessionKey: 's1', ...filter } as never })
    if (!('pinned' in filter || 'importance_min' in filter))
      await call('POST /api/memory/forget', { body: { mode: 'preview', ...filter } as never })
  }
  for (const mode of ['auto', 'timeline', 'filter'] as const)
    await call('POST /api/memory/recall', { body: { query, time: { start: since, end: until, mode } } })
  await call('POST /api/memory/recall', {
    body: { query, sessionId: 's1', aggregate: true, saveAggregate: true },
  })
  await call('POST /api/memory/recall', { body: { query, sessionKey: 's1', trial: true } })
  const group = { query, readPolicy: 'group', policyGroup: 'team' }
  await call('POST /api/memory/recall', { body: group as never })
  await call('POST /api/memory/:id/judgement', { params: { id }, body: { judgement: 'up' } })
  await call('POST /api/memory/feedback', { body: { sessionKey: 's1', feedback: { [id]: 0.5 } } as never })
  await call('POST /api/memory/forget', { body: { mode: 'preview', query } })
  await call('POST /api/memory/forget', { body: { mode: 'preview', source_type: 'chat' } })
  await call('POST /api/memory/forget', { body: { mode: 'execute', ids: [ids[1] ?? ''], reason: 'a test' } })
  const narrowed = { tags: 'ops', project: '/shop', heldBy: 'maya', safety: 'clean', since, until }
  for (const list of [{}, { type: 'fact' }, { agentId: 'maya' }, narrowed]) {
    await call('GET /api/memories', { query: list })
    await call('GET /api/memories/counts', { query: list })
  }
  await call('GET /api/memory/:id', { params: { id } })
  await call('GET /api/memory/:id/history', { params: { id } })
  await call('GET /api/memory/:id/lineage', { params: { id } })
  await call('GET /memory/similar', { query: { id } })
  await call('GET /api/embeddings', { query: { vectors: true } })
  for (const address of ['GET /api/embeddings/status', 'GET /api/status', 'GET /health/ready'] as const)
    await call(address)
  await call('GET /api/inference/status')
  for (const address of ['GET /openapi.json', 'GET /docs', 'POST /api/embedding/pull'] as const)
    await call(address)
}

async function knowledge(t: ExecutionContext, daemon: TestDaemon): Promise<void> {
  const { call } = daemon
  const documents = [
    { source_type: 'text', content: '# Cranes\n\nthe harbour crane of the manual', title: 'Manual' },
    { source_type: 'text', content: 'the harbour crane of the manual', project: '/shop', agentId: 'maya' },
    { source_type: 'file', url: '/elsewhere/notes.md', content: 'notes on the harbour crane' },
    { source_type: 'file', url: '/elsewhere/notes.md', content: 'other notes on the harbour crane' },
    { source_type: 'url', url: 'http://127.0.0.1:1/' },
    { source_type: 'url', url: 'http://127.0.0.1:1/' },
  ] as const
  const ids: string[] = []
  for (const body of documents) {
    const { id } = (await call('POST /api/documents', { body })).body
    await settledDocument({ call }, id)
    ids.push(id)
  }
  const [id = ''] = ids
  for (const query of [{}, { status: 'done' }, { status: 'deleted' }, { agentId: 'maya' }, { offset: 1 }])
    await call('GET /api/documents', { query })
  await call('GET /api/documents/:id/chunks', { params: { id } })
  const body = { query: 'harbour crane' }
  await call('POST /api/memory/recall', { body })
  await call('POST /api/memory/recall', { body: { ...body, type: 'document_chunk' } })
  await call('GET /api/memories', { query: { type: 'document_chunk' } })
  for (const filter of [
    {},
    { sourceId: id },
    { project: '/shop' },
    { agentId: 'maya' },
    { kind: 'document' },
  ])
    await call('POST /api/sources/search', { body: { ...body, ...filter } })
  for (const duplicateMode of ['skip', 'reimport', 'replace'] as const)
    await call('POST /api/sources/import', {
      body: { paths: [join(import.meta.dirname, 'imports.ts')], duplicateMode },
    })
  const [source] = (await call('GET /api/sources')).body.sources
  const params = { sourceId: source?.id ?? '' }
  const snapshot = await call('GET /api/sources/:sourceId/snapshot', { params })
  await call('POST /api/sources/:sourceId/snapshot/import', { params, body: snapshot.body as never })
  // Without a screen the dialogs open no window.
  for (const address of ['POST /api/sources/pick-files', 'POST /api/sources/pick-directory'] as const)
    await call(address, { body: { title: 'a\nb' } })
  for (const one of ids.slice(0, 3))
    await call('DELETE /api/documents/:id', { params: { id: one }, query: { reason: 'a test' } })
  await connectors(daemon)
  await vault(t, daemon)
  await repositories(daemon)
  await guilds(daemon)
  await ontology(daemon)
  await imports(daemon)
}

/** An existing folder with a few files. */
async function connectors(daemon: TestDaemon): Promise<void> {
  const { call } = daemon
  const rootPath = join(import.meta.dirname, '..', 'fixtures')
  const id = await connect(daemon, rootPath, { patterns: ['transcripts/codex-{rollout,events-only}.jsonl'] })
  const params = { id }
  await synchronise(daemon, id)
  await synchronise(daemon, id, { full: true })
  await call('GET /api/connectors')
  await call('GET /api/connectors/:id/health', { params })
  await call('DELETE /api/connectors/:id', { params, query: { cascade: true } })
}

async function hooks(daemon: TestDaemon): Promise<void> {
  const { call } = daemon
  const session = { harness: 'claude-code', sessionKey: 's1', project: '/shop' }
  await startSession(daemon, { ...session, runtimePath: 'plugin' })
  await startSession(daemon, { sessionKey: 's2', agentId: 'maya' })
  await submitPrompt(daemon, 'which colour has the harbour crane', { sessionKey: 's1' })
  await call('POST /api/hooks/recall', { body: { ...session, query: 'harbour crane' } })
  await call('POST /api/hooks/remember', { body: { ...session, content: 'the crane was moved' } })
  await call('POST /api/hooks/notifications', { body: { ...session, hook: 'user-prompt-submit' } })
  await call('POST /api/hooks/subagent-start', { body: session })
  await call('POST /api/hooks/pre-compaction', { body: session })
  for (const summary of ['the crane was painted', 'the crane was moved'])
    await call('POST /api/hooks/compaction-complete', { body: { ...session, summary } })
  await call('POST /api/hooks/session-checkpoint-extract', { body: { ...session, transcript } })
  const native = { session_id: 's3', cwd: '/', hook_event_name: 'SessionStart' }
  await harnessHook(daemon, 'claude-code/session-start', native)
  await capture(daemon, { ...session, transcript })
  await capture(daemon, { ...session, transcript: `${transcript}${transcript}`, reason: 'clear' })
  for (const query of [{}, { project: '/shop' }]) {
    for (const path of ['', '/blackbox', '/activity', '/capture'] as const)
      await call(`GET /api/sessions${path}`, { query })
    await call('GET /api/sessions/summaries', { query })
    await call('POST /api/sessions/preview', { body: { ...query, diff: true } })
    await call('POST /api/sessions/preview', { body: { ...query, event: 'subagent', sessionKey: 's1' } })
    await call('POST /api/sessions/search', { body: { query: 'crane', ...query } })
    await call('POST /api/sessions/search', { body: { query: 'crane', sessionKey: 's1', ...query } })
  }
  const params = { key: 's1' }
  await call('GET /api/sessions/:key', { params })
  for (const part of ['blackbox', 'transcript', 'turns'] as const)
    await call(`GET /api/sessions/:key/${part}`, { params })
  await call('POST /api/sessions/:key/bypass', { params, body: { enabled: true } })
  const summaries = await call('GET /api/sessions/summaries', { query: { sessionKey: 's1', since, until } })
  const [node] = (summaries.body as unknown as { summaries?: { id: string }[] }).summaries ?? []
  await call('POST /api/sessions/summaries/expand', {
    body: { id: node?.id ?? 'n', includeTranscript: true },
  })
  await call('GET /api/hooks/synthesis/config')
  await call('POST /api/hooks/synthesis', { body: {} })
  await call('POST /api/hooks/synthesis/complete', { body: { content: '# Memory' } as never })
  await call('POST /api/synthesis/trigger')
}

async function credentials({ call }: TestDaemon): Promise<void> {
  const { body: key } = await call('POST /api/auth/keys', { body: { name: 'key', role: 'agent' } as never })
  await call('GET /api/auth/whoami', { headers: { authorization: `Bearer ${key.key}` } })
  await call('GET /api/auth/keys')
  await call('POST /api/auth/token', { body: { role: 'agent', sub: 'ada' } as never })
  await call('POST /api/auth/login', { body: { username: 'a', password: 'b' } })
  await call('POST /api/auth/login/sso')
  await call('POST /api/auth/login/saml')
  await call('DELETE /api/auth/keys/:idOrPrefix', { params: { idOrPrefix: String(key.id) } })
}

async function secrets(daemon: TestDaemon): Promise<void> {
  const { call } = daemon
  const passphrase = 'a long passphrase'
  const params = { name: 'KEY' }
  await call('POST /api/secrets/:name', { params, body: { value: 'value' } })
  await call('GET /api/secrets')
  await commands(daemon)
  await call('GET /api/secrets/store/status')
  await call('POST /api/secrets/store/export', { body: { passphrase } })
  await call('POST /api/secrets/store/import', { body: { entries: [{ name: 'KEY', value: 'value' }] } })
  await call('POST /api/secrets/store/rotate')
  await call('POST /api/secrets/store/protect', { body: { source: 'keyfile' } })
  await call('POST /api/secrets/store/unlock', { body: { passphrase } })
  await call('DELETE /api/secrets/:name', { params })
  // No password manager is connected, so each call fails with that reason.
  await call('GET /api/secrets/vaulta/status')
  await call('POST /api/secrets/vaulta/connect', { body: { session: 'none' } })
  await call('POST /api/secrets/vaulta/provider', { body: { provider: 'local' } })
  await call('GET /api/secrets/vaulta/folders')
  await call('POST /api/secrets/vaulta/migrate', { body: {} })
  await call('DELETE /api/secrets/vaulta/connect')
  await call('GET /api/secrets/vaultb/status')
  await call('POST /api/secrets/vaultb/connect', { body: { token: 'none' } })
  await call('GET /api/secrets/vaultb/vaults')
  await call('POST /api/secrets/vaultb/import', { body: { vaults: ['none'] } })
  await call('DELETE /api/secrets/vaultb/connect')
}

async function agents({ call }: TestDaemon): Promise<void> {
  const save = (content: string, agentId: string) =>
    call('POST /api/memory/remember', { body: { content, agentId } })
  await call('POST /api/agents', { body: { name: 'noor', read_policy: 'group', policy_group: 'team' } })
  await save('what noor alone keeps', 'noor')
  await save('what both keep', 'noor')
  await save('what both keep', 'maya')
  await call('GET /api/agents')
  await call('GET /api/memories', { query: { agentId: 'noor' } })
  await call('POST /api/memory/recall', { body: { query: 'keeps', agentId: 'noor', readPolicy: 'group' } })
  await startSession({ call }, { agentId: 'noor', sessionKey: 's4' })
  await messages({ call })
  const params = { name: 'noor' }
  await call('GET /api/agents/:name', { params, query: { counts: true } })
  await call('PATCH /api/agents/:name', { params, body: { read_policy: 'shared' } })
  await call('DELETE /api/agents/:name', { params })
  await call('DELETE /api/agents/:name', { params: { name: 'maya' }, query: { purge: true } })
}

async function messages({ call }: Pick<TestDaemon, 'call'>): Promise<void> {
  const content = 'hello'
  const send = (body: Partial<Body<'POST /api/cross-agent/messages'>>) =>
    call('POST /api/cross-agent/messages', { body: { content, ...body } as never })
  const { body: sent } = await send({ to_session_key: 's4', from_session_key: 's4', from_agent_id: 'maya' })
  await send({ to_agent_id: 'noor' })
  await send({ broadcast: true })
  // A private address, so that nothing leaves this machine.
  const { body: relay } = await send({
    via: 'acp',
    acp_base_url: 'http://127.0.0.1:9',
    acp_target_agent_name: 'x',
  })
  const all = { since, unread_only: true, include_broadcast: false, session_key: 's4' }
  for (const query of [{}, { include_sent: true }, all])
    await call('GET /api/cross-agent/messages', { query: { agent_id: 'noor', ...query } })
  for (const query of [{}, { include_self: true, project: '/shop' }, { session_key: 's4' }])
    await call('GET /api/cross-agent/presence', { query: { agent_id: 'noor', ...query } })
  const params = { messageId: sent.id }
  await call('POST /api/cross-agent/messages/:messageId/ack', { params, body: { agent_id: 'noor' } })
  await call('POST /api/cross-agent/messages/:messageId/retry', { params: { messageId: relay.id } })
}

async function commands(daemon: TestDaemon): Promise<void> {
  const { call } = daemon
  const command = 'exit 0'
  await call('POST /api/secrets/:name/exec', { params: { name: 'KEY' }, body: { command } })
  const { body } = await call('POST /api/secrets/exec', { body: { command, secrets: { KEY: 'KEY' } } })
  const params = { jobId: body.id }
  await ended(daemon, body.id)
  await call('GET /api/secrets/exec/:jobId/output', { params })
  await call('DELETE /api/secrets/exec/:jobId', { params })
}

async function plugins({ call }: TestDaemon): Promise<void> {
  const params = { id: 'service.codeindex' }
  await call('GET /api/plugins')
  await call('GET /api/plugins/prompt-contributions')
  await call('GET /api/plugins/audit', { query: { pluginId: params.id, since, until } })
  await call('GET /api/plugins/:id', { params })
  await call('GET /api/plugins/:id/diagnostics', { params })
  await call('PATCH /api/plugins/:id', { params, body: { enabled: true } })
}

async function transfers({ url }: TestDaemon, asked: Set<string>): Promise<void> {
  const exported = async (query: string) => (await fetch(`${url}/api/export?${query}`)).text()
  for (const query of ['agentId=maya', 'tags=a', 'scope=lab', 'project=/shop', `since=${since}`])
    await exported(query)
  const all = await exported('deleted=true')
  // Imports existing rows, and the same rows under other ids.
  for (const body of [
    all,
    all.replace(/"id":"(\w{8})/gu, '"id":"ffffffff').replace(/"memoryId":"\w{8}/gu, '"memoryId":"ffffffff'),
  ])
    await fetch(`${url}/api/import`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-ndjson' },
      body,
    })
  for (const address of [
    'GET /api/export',
    'POST /api/import',
    'POST /api/hooks/harness/:harness/:hook',
    'GET /api/sources/imports/export/transcripts',
  ])
    asked.add(address)
}

async function skills({ call, paths }: TestDaemon): Promise<void> {
  putSkill(paths, 'tidy')
  const params = { name: 'tidy' }
  for (const path of ['skills', 'harnesses', 'harnesses/connections'] as const) await call(`GET /api/${path}`)
  await call('GET /api/skills/:name', { params })
  await call('GET /api/skills/search', { query: { q: 'tidy' } })
  // The skill is already installed, so no program runs.
  await call('POST /api/skills/install', { body: params })
  await call('POST /api/skills/:name/usage', { params, body: { success: true, latencyMs: 5 } })
  for (const query of [{}, { since }, { agent_id: 'ed' }]) await call('GET /api/skills/analytics', { query })
  await call('DELETE /api/skills/:name', { params })
  await call('POST /api/harnesses/regenerate')
  for (const deed of ['connect', 'sessions'] as const)
    await call(`POST /api/harnesses/${deed}`, { body: { harness: 'codex', dryRun: true } })
}
