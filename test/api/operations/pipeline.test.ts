import { readFileSync, writeFileSync } from 'node:fs'
import test from 'ava'
import { startDaemon, temporaryWorkspace } from '../../helpers/daemon.js'
import { until } from '../../helpers/daemon-process.js'
import { openaiAnswer, silent, startModel } from '../../helpers/model-fakes.js'
import { readText } from '../../helpers/read-documents.js'

test('a pause cancels model requests, reports their outcome, and is written to agent.yaml (operations.md 6.2)', async t => {
  const model = await startModel(t, silent)
  const inference = { provider: 'openai', model: 'm', baseUrl: `${model.url}/v1` }
  const workspace = temporaryWorkspace(t)
  const settings = { inference, dreaming: { useProvider: true } }
  const { call, remember, paths, stop } = await startDaemon(t, { settings, workspace })
  const text = readFileSync(paths.settings, 'utf8')
  writeFileSync(paths.settings, `# mine\n${text}`)
  await remember('The shop keeps its orders in Postgres 16.', { project: 'shop' })
  t.deepEqual((await call('POST /api/pipeline/resume')).body, {
    success: true,
    changed: false,
    paused: false,
    file: paths.settings,
    mode: 'controlled-write',
  })
  await call('POST /api/dream/trigger')
  await until(() => model.requests.length > 0 || undefined)
  t.deepEqual((await call('GET /api/pipeline/status')).body.workers.dreaming, {
    running: true,
    inFlight: 1,
    maxInFlight: 1,
  })
  const paused = await call('POST /api/pipeline/pause')
  t.is(paused.status, 200)
  t.deepEqual(paused.body, {
    success: true,
    changed: true,
    paused: true,
    file: paths.settings,
    mode: 'paused',
    // The pass and its model request.
    quiescence: { activeAtStart: 2, aborted: 2, remaining: 0, timedOut: false },
  })
  t.like((await call('GET /api/inference/status')).body, { inFlight: 0, waiting: 0 })
  t.regex(readFileSync(paths.settings, 'utf8'), /^# mine\n[\s\S]*paused: true/u)
  t.like((await call('POST /api/pipeline/pause')).body, {
    changed: false,
    quiescence: { activeAtStart: 0, remaining: 0 },
  })
  t.is((await call('POST /api/dream/trigger')).status, 409)
  await stop()

  const again = await startDaemon(t, {
    workspace,
    settings: { ...settings, memory: { pipelineV2: { paused: true } } },
  })
  t.is((await again.call('GET /api/pipeline/status')).body.mode, 'paused')
  // Throws unless the text is read completely.
  await readText(again, 'The harbour crane lifts forty containers an hour.')
  t.is(model.requests.length, 1, 'no request was sent in between')
  model.behave(openaiAnswer({ findings: [] }))
  t.like((await again.call('POST /api/pipeline/resume')).body, { changed: true, mode: 'controlled-write' })
  await until(() => model.requests.length > 1 || undefined)
})

test('the status shows workers, queues, failures and the most restrictive mode (operations.md 6.1)', async t => {
  const { call, daemon } = await startDaemon(t)
  const { store, newId } = daemon
  const now = new Date().toISOString()
  const job = (kind: string, subject: string) => ({
    id: newId(),
    kind,
    subject,
    maxAttempts: 1,
    payload: '{}',
  })
  // Without a sentence model no worker takes it.
  await store.tables.jobs.enqueue(job('embed', 'kept'), now)
  await store.tables.jobs.addGivenUp([job('document_ingest', 'gone')], 'no luck', now)
  const { body } = await call('GET /api/pipeline/status')
  t.like(body, {
    mode: 'controlled-write',
    databaseMaintenance: { vacuumConversion: { state: 'not_required', attempts: 0, lastError: null } },
    queues: {
      memory: { pending: 1, leased: 0, completed: 0, dead: 0 },
      document: { pending: 0, leased: 0, completed: 0, failed: 0, dead: 1 },
    },
    errorSummary: { total: 0, byStage: {} },
  })
  t.deepEqual(Object.keys(body.queues).sort(), [
    'capture',
    'document',
    'import',
    'memory',
    'source',
    'summary',
  ])
  t.like(body.workers.document, { running: true, inFlight: 0, maxInFlight: 8 })
  t.is(body.latency.document?.count, 0)
  daemon.changeSettings({ 'memory.pipelineV2.mutationsFrozen': true })
  const paused = await call('POST /api/pipeline/pause')
  t.like(paused.body, { changed: true, paused: true, mode: 'frozen' }, 'the more restrictive mode is shown')
  writeFileSync(daemon.paths.settings, 'memory: [')
  t.is((await call('POST /api/pipeline/resume')).status, 409, 'an invalid file stays unchanged')
  t.is(readFileSync(daemon.paths.settings, 'utf8'), 'memory: [')
})
