import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import { stringify } from 'yaml'
import { workspacePaths } from '../../src/lib/workspace/paths.js'
import { temporaryWorkspace } from '../helpers/daemon.js'
import { until } from '../helpers/daemon-process.js'
import { type KillableDaemon, startKillable } from '../helpers/killable-daemon.js'
import { killsOr } from '../helpers/kills.js'
import { openaiAnswer, silent, startModel } from '../helpers/model-fakes.js'
import { openRaw } from '../helpers/store.js'

const kills = killsOr(3)
const memories = 10 * kills
/** Maximum milliseconds between the request for a pass and the kill. */
const withinMs = 250

interface Use {
  use: string
  today: { countedTokens: number }
}

test('kills -9 during passes lose nothing: every memory is read exactly once, and every attention ends (knowledge.md#dreaming)', async t => {
  const workspace = temporaryWorkspace(t)
  for (let round = 0; round < kills; round++) await killedRound(t, workspace, round)
  const daemon = await startKillable(t, workspace)
  await until(async () => {
    await daemon.post('/api/dream/trigger')
    const { jobId, queue } = await daemon.get('/api/dream/status')
    return jobId === null && Object.keys(queue as object).length === 0 ? true : undefined
  })
  await daemon.stop('SIGTERM')
  const raw = openRaw(t, workspacePaths(workspace).database)
  const count = (text: string) => raw.prepare(text).pluck().get()
  const saved = count("SELECT count(*) FROM memories WHERE content LIKE 'We use Tool%'")
  t.is(count("SELECT count(*) FROM entity_links WHERE status = 'current'"), saved)
  t.is(count("SELECT count(*) FROM claim_versions WHERE status = 'current'"), saved)
  const twice = `SELECT count(*) FROM (SELECT 1 FROM ontology_operations o JOIN evidence_spans s ON s.operation_id = o.id
    WHERE o.status <> 'rejected' GROUP BY o.operation, o.payload, s.source_id HAVING count(*) > 1)`
  t.is(count(twice), 0, 'no operation was requested twice for the same evidence')
  const half = `SELECT count(*) FROM claim_versions v
    WHERE NOT EXISTS (SELECT 1 FROM evidence_spans s WHERE s.subject_id = v.id)`
  t.is(count(half), 0, 'no operation was partially applied')
  t.is(count("SELECT count(*) FROM attentions WHERE state = 'waiting'"), 0)
  t.is(count("SELECT count(*) FROM attentions WHERE state = 'done' AND kind = 'review_due'"), kills)
  t.is(count("SELECT count(*) FROM ontology_proposals WHERE status = 'pending'"), kills)
  t.is(count('SELECT count(*) FROM dream_passes WHERE ended_at IS NULL'), 0)
  t.is(count('PRAGMA integrity_check'), 'ok')
})

test('a kill -9 during a model call loses only that call: the next daemon repeats it and writes once (knowledge.md#dreaming)', async t => {
  const workspace = temporaryWorkspace(t)
  const model = await startModel(t, silent)
  const inference = { provider: 'openai', model: 'm', baseUrl: `${model.url}/v1` }
  const settings = { inference, dreaming: { useProvider: true } }
  writeFileSync(join(workspace, 'agent.yaml'), stringify(settings))
  const first = await startKillable(t, workspace)
  await remember(first, { content: 'The shop keeps its orders in Postgres', project: 'shop' })
  await first.post('/api/dream/trigger')
  await until(() => model.requests.length > 0)
  await first.stop('SIGKILL')
  const quote = 'The shop keeps its orders in Postgres'
  const said = { reasoning: 'r', text: 1, quote, operation: 'assert_claim', entity: 'shop', confidence: 0.95 }
  const slot = { aspect: 'storage', claim: 'database', value: 'Postgres', validFrom: null, validUntil: null }
  model.behave(openaiAnswer({ findings: [{ ...said, ...slot }] }))
  const second = await startKillable(t, workspace)
  await second.post('/api/dream/trigger')
  await until(async () => (await second.get('/api/dream/status')).jobId === null || undefined)
  const { passes } = (await second.get('/api/dream/status')) as { passes: { outcome: string }[] }
  t.deepEqual(passes.map(({ outcome }) => outcome).sort(), ['completed', 'interrupted'])
  const { uses } = (await second.get('/api/inference/status')) as { uses: Use[] }
  const spent = uses.find(({ use }) => use === 'dreaming')?.today.countedTokens ?? 0
  t.true(spent > 120, `an interrupted call counts at its maximum cost: ${spent}`)
  await second.stop('SIGTERM')
  const raw = openRaw(t, workspacePaths(workspace).database)
  const values = raw.prepare('SELECT value, status FROM claim_versions').all()
  t.deepEqual(values, [{ value: 'Postgres', status: 'current' }])
  t.is(raw.prepare('SELECT count(*) FROM dream_passes WHERE ended_at IS NULL').pluck().get(), 0)
})

/** Saves some memories and one for review, starts a pass, and kills the daemon in the middle of it. */
async function killedRound(t: ExecutionContext, workspace: string, round: number): Promise<void> {
  const daemon = await startKillable(t, workspace)
  for (let number = 0; number < memories / kills; number++) {
    const name = `${round}x${number}`
    await remember(daemon, { content: `We use Tool${name} for purpose${name}`, project: 'shop' })
  }
  await remember(daemon, { content: `the trial number ${round} ends`, reviewAfter: '2026-01-01T00:00:00Z' })
  await daemon.post('/api/dream/trigger')
  await sleep(Math.random() * withinMs)
  await daemon.stop('SIGKILL')
}

async function remember({ post }: KillableDaemon, body: object): Promise<void> {
  const { id } = await post('/api/memory/remember', body)
  if (!id) throw new Error('a memory was not saved')
}
