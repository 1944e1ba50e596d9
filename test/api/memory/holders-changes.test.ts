import test, { type ExecutionContext } from 'ava'
import { openRaw } from '../../helpers/store.js'
import { startTeam, type Team } from '../../helpers/team.js'

const text = 'the staging cluster is rebuilt on Sundays'
const reason = 'because'

type Headers = { authorization: string }
type Save = { agentId?: string; project?: string; scope?: string; visibility?: 'global' | 'private' }

/** Starts a team in which an admin saved the same text in several places, so that all hold one row. */
async function startWithHolders(t: ExecutionContext, places: readonly Save[], fields: object = {}) {
  const team = await startTeam(t)
  const ids = new Set<string>()
  for (const place of places) {
    const { body } = await team.call('POST /api/memory/remember', {
      body: { content: text, ...fields, ...place },
      headers: team.admin,
    })
    ids.add(body.id)
  }
  t.is(ids.size, 1)
  const [id] = ids as unknown as [string]
  return { ...team, id, of: (project: string) => team.token({ role: 'agent', scope: { project } }) }
}

const web = { project: 'web' }
const api = { project: 'api' }

const outcome = ({ status, body }: { status: number; body: { code?: string; status?: string } }) => [
  status,
  body.code ?? body.status,
]
const forget = ({ call }: Team, id: string, headers: Headers, query: Record<string, string | number> = {}) =>
  call('DELETE /api/memory/:id', { params: { id }, query: { reason, ...query }, headers })
const read = ({ call }: Team, id: string, headers: Headers, query: Record<string, string | number> = {}) =>
  call('GET /api/memory/:id', { params: { id }, query, headers })
const found = async ({ call }: Team, headers: Headers, fields: object = {}) => {
  const { body } = await call('POST /api/memory/recall', {
    body: { query: 'staging cluster', ...fields },
    headers,
  })
  return body.results.map(({ id }) => id)
}

test('a token confined to a project sees a memory held by that project as that project’s (rules.md#holders)', async t => {
  const team = await startWithHolders(t, [web, api])
  t.deepEqual(outcome(await read(team, team.id, team.of('other'))), [404, 'not_found'])
  const { body } = await read(team, team.id, team.of('api'))
  t.is(body.project, 'api')
  t.deepEqual(
    body.holders.map(({ project }) => project),
    ['api'],
  )
  t.deepEqual(await found(team, team.of('api')), [team.id])
  const recalled = await team.call('POST /api/memory/recall', {
    body: { query: 'staging' },
    headers: team.of('api'),
  })
  t.is(recalled.body.results[0]?.project, 'api')
  const list = await team.call('GET /api/memories', { headers: team.of('api') })
  t.deepEqual([list.body.stats.total, list.body.memories.length], [1, 1])
  const events = await team.call('GET /api/memory/:id/history', {
    params: { id: team.id },
    headers: team.of('web'),
  })
  t.is(events.body.count, 1)
})

test('forgetting removes a memory for all of its holders if the credential covers them', async t => {
  const team = await startWithHolders(t, [web, api])
  t.like((await forget(team, team.id, team.admin)).body, { status: 'deleted', newVersion: 2 })
  for (const project of ['web', 'api'])
    t.deepEqual(outcome(await read(team, team.id, team.of(project))), [404, 'not_found'])
  t.deepEqual(await found(team, team.admin), [])
})

test('forgetting a memory with other holders reports it as deleted, and the others keep it (rules.md#holders)', async t => {
  const team = await startWithHolders(t, [web, api])
  const reply = await forget(team, team.id, team.of('api'))
  t.like(reply, { status: 200, body: { status: 'deleted', currentVersion: 1, newVersion: 1 } })
  t.deepEqual(outcome(await read(team, team.id, team.of('api'))), [404, 'not_found'])
  t.deepEqual(outcome(await forget(team, team.id, team.of('api'))), [403, 'scope_violation'])
  t.deepEqual(await found(team, team.admin, api), [])
  t.deepEqual(await found(team, team.of('web')), [team.id])
  t.is((await read(team, team.id, team.of('web'))).body.version, 1)
})

test('when the first holder forgets a memory, the next one becomes first', async t => {
  const team = await startWithHolders(t, [web, { ...api, agentId: 'codex' }], { idempotencyKey: 'k' })
  await forget(team, team.id, team.of('web'))
  const { body } = await read(team, team.id, team.admin)
  t.like(body, { agent_id: 'codex', project: 'api', is_deleted: 0, version: 1, idempotency_key: null })
  t.is(body.holders.length, 1)
  t.deepEqual(await found(team, team.admin, web), [])
  t.deepEqual(await found(team, team.admin, { agentId: 'codex', ...api }), [team.id])
  const save = (headers: Headers, place: Save) =>
    team.call('POST /api/memory/remember', { body: { content: text, ...place }, headers })
  t.like((await save(team.admin, web)).body, { deduped: true, id: team.id })
  t.deepEqual(await found(team, team.of('web')), [team.id])
})

test('removed holders appear in the history for readers who may know them', async t => {
  const team = await startWithHolders(t, [web, api])
  await forget(team, team.id, team.of('api'))
  const events = async (headers: Headers) => {
    const { body } = await team.call('GET /api/memory/:id/history', { params: { id: team.id }, headers })
    return body.history.map(({ event, metadata, reason }) => [
      event,
      (metadata as { held?: string } | null)?.held,
      reason,
    ])
  }
  t.deepEqual(await events(team.admin), [
    ['created', undefined, 'explicit save'],
    ['modified', 'added', 'saved again'],
    ['modified', 'removed', reason],
  ])
  t.is((await events(team.of('web'))).length, 1)
})

test('the protection of a memory also applies to its other holders (rules.md 4.7)', async t => {
  const team = await startWithHolders(t, [web, api], { pinned: true })
  t.deepEqual(outcome(await forget(team, team.id, team.of('api'))), [409, 'pinned_requires_force'])
  t.deepEqual(outcome(await forget(team, team.id, team.of('api'), { if_version: 7 })), [
    409,
    'version_conflict',
  ])
  t.deepEqual(await found(team, team.of('api')), [team.id])
})

test('changing a memory that others hold too is 403 on every route (rules.md#holders)', async t => {
  const team = await startWithHolders(t, [web, api])
  const headers = team.of('web')
  const params = { id: team.id }
  const newer = await team.call('POST /api/memory/remember', { body: { content: 'newer' }, headers })
  const refused = [
    await team.call('PATCH /api/memory/:id', { params, body: { pinned: true, reason }, headers }),
    await team.call('POST /api/memories/:id/supersede', {
      params,
      body: { supersededBy: newer.body.id, reason },
      headers,
    }),
    await team.call('POST /api/memory/remember', {
      body: { content: 'newest', supersedes: team.id },
      headers,
    }),
  ]
  for (const reply of refused) t.deepEqual(outcome(reply), [403, 'scope_violation'])
  const { body } = await team.call('POST /api/memory/modify', {
    body: { patches: [{ ...params, pinned: true }], reason },
    headers,
  })
  t.is(body.results[0]?.status, 'scope_violation')
  await forget(team, team.id, team.admin)
  const recovered = await team.call('POST /api/memory/:id/recover', { params, body: { reason }, headers })
  t.deepEqual(outcome(recovered), [403, 'scope_violation'])
})

test('a key bound to an agent can remove its own hold, and change only what no other agent holds', async t => {
  const team = await startWithHolders(t, [{ agentId: 'claude' }, { agentId: 'codex' }])
  const { headers } = await team.key({ agentId: 'codex' })
  const patch = () =>
    team.call('PATCH /api/memory/:id', {
      params: { id: team.id },
      body: { importance: 0.1, reason },
      headers,
    })
  t.deepEqual(outcome(await patch()), [403, 'scope_violation'])
  await forget(team, team.id, (await team.key({ agentId: 'claude' })).headers)
  t.deepEqual(outcome(await patch()), [200, 'updated'])
  t.deepEqual(outcome(await forget(team, team.id, headers)), [200, 'deleted'])
  t.deepEqual(outcome(await read(team, team.id, team.admin)), [404, 'not_found'])
})

test('an agent that cannot see the first holder can let go of a memory but not change it', async t => {
  const team = await startWithHolders(t, [{ agentId: 'claude' }, { agentId: 'codex' }])
  openRaw(t, team.paths.database).prepare("UPDATE agents SET read_policy = 'isolated'").run()
  const agent = { agentId: 'codex' }
  const patched = await team.call('PATCH /api/memory/:id', {
    params: { id: team.id },
    query: agent,
    body: { importance: 0.1, reason },
    headers: team.admin,
  })
  t.deepEqual(outcome(patched), [403, 'scope_violation'])
  t.deepEqual(outcome(await forget(team, team.id, team.admin, agent)), [200, 'deleted'])
  t.deepEqual(outcome(await read(team, team.id, team.admin, agent)), [404, 'not_found'])
  t.is((await read(team, team.id, team.admin, { agentId: 'claude' })).status, 200)
})

test('a private hold of an agent stays when the others forget', async t => {
  const team = await startWithHolders(t, [
    { agentId: 'claude' },
    { agentId: 'codex', visibility: 'private' },
    { agentId: 'gemini', visibility: 'private' },
  ])
  t.deepEqual(outcome(await forget(team, team.id, team.admin, { agentId: 'claude' })), [200, 'deleted'])
  t.is((await read(team, team.id, team.admin, { agentId: 'claude' })).status, 404)
  for (const agentId of ['codex', 'gemini']) {
    const { body } = await read(team, team.id, team.admin, { agentId })
    t.like(body, { agent_id: agentId, visibility: 'private' })
    t.is(body.holders.length, 1)
    t.deepEqual(await found(team, team.admin, { agentId }), [team.id])
  }
  const again = await team.call('POST /api/memory/remember', { body: { content: text }, headers: team.admin })
  t.false(again.body.deduped)
})

test('recovering a memory restores its holders (rules.md 4.5)', async t => {
  const team = await startWithHolders(t, [web, { ...api, agentId: 'codex' }])
  await forget(team, team.id, team.admin)
  await team.call('POST /api/memory/:id/recover', {
    params: { id: team.id },
    body: { reason },
    headers: team.admin,
  })
  t.deepEqual(await found(team, team.of('api')), [team.id])
  t.deepEqual(await found(team, team.admin, { agentId: 'codex' }), [team.id])
  t.is((await read(team, team.id, team.admin)).body.holders.length, 2)
})

test('forgetting in one project or scope affects only that project or scope (rules.md 4.8)', async t => {
  const team = await startWithHolders(t, [{ ...web, scope: 'team' }, api])
  const forgetting = async (body: object) => {
    const { body: reply } = await team.call('POST /api/memory/forget', {
      body: { mode: 'execute', reason, ...body } as never,
      headers: team.admin,
    })
    return 'results' in reply ? reply.results.map(({ status }) => status) : []
  }
  t.deepEqual(await forgetting({ type: 'fact', scope: 'other' }), [])
  t.deepEqual(await forgetting({ type: 'fact', scope: 'team' }), ['deleted'])
  t.deepEqual(await found(team, team.admin, { ...web, scope: 'team' }), [])
  t.deepEqual(await found(team, team.admin, api), [team.id])
  t.deepEqual(await forgetting({ ids: [team.id], project: 'web' }), ['not_found'])
  t.deepEqual(await found(team, team.admin, api), [team.id])
  t.deepEqual(await forgetting({ ids: [team.id] }), ['deleted'])
  t.deepEqual(await found(team, team.admin, api), [])
})

test('a superseded memory is superseded for all of its holders', async t => {
  const team = await startWithHolders(t, [web, api])
  const newer = await team.call('POST /api/memory/remember', {
    body: { content: 'the staging cluster is rebuilt on Mondays', supersedes: team.id },
    headers: team.admin,
  })
  t.is(newer.status, 200)
  const { body } = await team.call('POST /api/memory/recall', {
    body: { query: 'staging cluster' },
    headers: team.of('api'),
  })
  t.like(body.results[0], { id: team.id, currentness: 'superseded' })
  const start = await team.call('POST /api/hooks/session-start', {
    body: { harness: 'codex', project: 'api' },
    headers: team.admin,
  })
  t.false('memories' in start.body && start.body.memories.some(({ id }) => id === team.id))
})

test('a replacement must be held in every scope that holds the replaced memory (rules.md#supersede-and-tombstone)', async t => {
  const team = await startWithHolders(t, [{}, { scope: 'team' }])
  const save = async (content: string, place: Save) =>
    (await team.call('POST /api/memory/remember', { body: { content, ...place }, headers: team.admin })).body
      .id
  const loose = await save('rebuilt on Mondays', {})
  const supersede = async () =>
    outcome(
      await team.call('POST /api/memories/:id/supersede', {
        params: { id: team.id },
        body: { supersededBy: loose, reason },
        headers: team.admin,
      }),
    )
  t.deepEqual(await supersede(), [404, 'not_found'])
  const byASave = await team.call('POST /api/memory/remember', {
    body: { content: 'rebuilt on Fridays', supersedes: team.id },
    headers: team.admin,
  })
  t.is(byASave.status, 404)
  t.is(await save('rebuilt on Mondays', { scope: 'team' }), loose)
  t.deepEqual(await supersede(), [200, 'superseded'])
  t.deepEqual(await found(team, team.admin, { scope: 'team' }), [team.id, loose])
})

test('a summary is removed from holders who let go of its source, and stays with the others', async t => {
  const team = await startWithHolders(t, [web, api])
  const recall = (project: string) =>
    team.call('POST /api/memory/recall', {
      body: { query: 'staging cluster', project, aggregate: true, saveAggregate: true },
      headers: team.admin,
    })
  await recall('web')
  await recall('api')
  const summaries = async (headers: Headers) => {
    const { body } = await team.call('GET /api/memories', { headers })
    return body.memories.filter(({ source_type }) => source_type === 'recall-aggregate').length
  }
  t.deepEqual([await summaries(team.of('web')), await summaries(team.of('api'))], [1, 1])
  await forget(team, team.id, team.of('api'))
  t.deepEqual([await summaries(team.of('web')), await summaries(team.of('api'))], [1, 0])
})

/** Saves a text with its source, then in another place. @returns a check of what readers see of the source */
async function startWithSource(t: ExecutionContext, first: Save, other: Save) {
  const { call, url, admin: headers, token, daemon } = await startTeam(t)
  const content = 'the pump is behind the second door'
  const told = { sourcePath: '/CANARY', sourceId: 'CANARY', idempotencyKey: 'CANARY', runtimePath: 'CANARY' }
  const { id } = (
    await call('POST /api/memory/remember', {
      body: { content, ...first, ...told },
      headers: { ...headers, 'x-service-session-key': 'CANARY' },
    })
  ).body
  await call('POST /api/memory/remember', { body: { content, ...other }, headers })
  const made = { provider: 'openai', model: 'letters', vector: new Float32Array([1, 0]) }
  await daemon.store.transaction(async ({ vectors, memories }) => {
    await vectors.put([{ memoryId: id, ...made }], new Date().toISOString())
    await memories.setEmbeddingModel(id, made.model, 100)
  })
  /** Returns the routes that show the source to a reader. */
  const tellingTo = async (headers: Headers & Record<string, string>) => {
    const recalled = await call('POST /api/memory/recall', { body: { query: content }, headers })
    t.is(recalled.body.results.length, 1)
    const exported = await call('GET /api/embeddings', { headers })
    t.is(exported.body.count, 1)
    const replies = {
      record: await call('GET /api/memory/:id', { params: { id }, headers }),
      history: await call('GET /api/memory/:id/history', { params: { id }, headers }),
      timeline: await call('GET /api/timeline/:id', { params: { id }, headers }),
      recall: recalled,
      vectors: exported,
      start: await call('POST /api/hooks/session-start', { body: { harness: 'x' }, headers }),
    }
    const names = Object.entries(replies).filter(([, { body }]) => JSON.stringify(body).includes('CANARY'))
    return names.map(([name]) => name)
  }
  const exportTo = async (headers: Headers & Record<string, string>) =>
    (await fetch(`${url}/api/export`, { headers })).text()
  return { call, id, headers, token, tellingTo, exportTo }
}

const telling = ['record', 'history', 'timeline', 'recall', 'vectors', 'start']

test('a memory’s source is shown only to readers who may know who saved it first (rules.md#holders)', async t => {
  const { call, id, token, tellingTo } = await startWithSource(t, api, web)
  const of = (scope: { project: string }) => token({ role: 'operator', scope })
  t.deepEqual(await tellingTo(of(api)), telling)
  t.deepEqual(await tellingTo(of(web)), [])
  const { status } = await call('DELETE /api/memory/:id', {
    params: { id },
    query: { reason },
    headers: of(api),
  })
  t.is(status, 200)
  t.deepEqual(await tellingTo(of(web)), [], 'also after the other holder forgot it')
})

test('an agent that reads only its own memories does not see where a shared one came from (rules.md#holders)', async t => {
  const { call, id, headers, tellingTo, exportTo } = await startWithSource(
    t,
    { agentId: 'ada' },
    { agentId: 'bob' },
  )
  await call('PATCH /api/agents/:name', {
    params: { name: 'bob' },
    body: { read_policy: 'isolated' },
    headers,
  })
  const of = (agent: string) => ({ ...headers, 'x-service-agent-id': agent })
  t.deepEqual(await tellingTo(of('ada')), telling)
  t.true((await exportTo(of('ada'))).includes('CANARY'))
  for (const when of ['beside the other', 'alone']) {
    t.deepEqual(await tellingTo(of('bob')), [], when)
    const file = await exportTo(of('bob'))
    t.true(file.includes(id))
    t.false(file.includes('CANARY'), when)
    await call('DELETE /api/agents/:name', { params: { name: 'ada' }, headers })
  }
})

test('after parallel saves and forgets a row has exactly the remaining holders', async t => {
  const team = await startWithHolders(t, [web])
  const projects = Array.from({ length: 20 }, (_, n) => `p${n}`)
  const save = (project: string) =>
    team.call('POST /api/memory/remember', { body: { content: text, project }, headers: team.admin })
  await Promise.all(projects.map(save))
  await Promise.all([
    ...projects.slice(0, 10).map(project => forget(team, team.id, team.of(project))),
    ...projects.slice(10).map(save),
  ])
  const { body } = await read(team, team.id, team.admin)
  t.deepEqual(body.holders.map(({ project }) => project).sort(), [...projects.slice(10), 'web'])
  const raw = openRaw(t, team.paths.database)
  t.deepEqual(raw.prepare('SELECT further_holders AS n FROM memories').get(), { n: 10 })
})
