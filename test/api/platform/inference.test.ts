import { readFileSync, writeFileSync } from 'node:fs'
import test from 'ava'
import { stringify } from 'yaml'
import { z } from 'zod'
import type { Question } from '../../../src/daemon/ground/inference/inference.js'
import { startDaemon, type TestDaemon } from '../../helpers/daemon.js'
import { until } from '../../helpers/daemon-process.js'
import { failing, openaiAnswer, startModel } from '../../helpers/model-fakes.js'
import { openRaw } from '../../helpers/store.js'

const answer = { colour: 'red' }
const question: Question<typeof answer> = {
  use: 'reranking',
  instructions: 'Name the colour.',
  input: 'the crane is SECRETWORD red',
  name: 'answer',
  schema: z.object({ colour: z.string() }),
  maxOutputTokens: 100,
  deadlineMs: 60_000,
  maxTokensPerDay: 10_000,
}

const status = async ({ call }: Pick<TestDaemon, 'call'>) => (await call('GET /api/inference/status')).body

function eventsOf(t: Parameters<typeof openRaw>[0], { paths }: TestDaemon, event: string) {
  const rows = openRaw(t, paths.database)
    .prepare('SELECT properties FROM telemetry_events WHERE event = ? ORDER BY at, id')
    .all(event) as { properties: string }[]
  return rows.map(({ properties }) => JSON.parse(properties) as Record<string, unknown>)
}

test('without a provider the status is off, and everything is zero', async t => {
  const daemon = await startDaemon(t)
  t.like(await status(daemon), {
    provider: 'none',
    model: null,
    address: null,
    state: 'off',
    available: false,
    key: 'none',
    checkedAt: null,
    rates: null,
    inFlight: 0,
  })
})

test('missing settings are reported, and no request is sent', async t => {
  const inference = { provider: 'anthropic', model: 'm', apiKey: 'env:NOT_SET' }
  const daemon = await startDaemon(t, { settings: { inference } })
  t.like(await status(daemon), { state: 'incomplete', available: false, key: 'missing' })
  t.like(
    await daemon.daemon
      .inference()
      .ask(question)
      .catch(error => error),
    {
      kind: 'unauthorized',
      message: 'inference.apiKey is "env:NOT_SET", which is not set',
    },
  )
})

test('the status shows today’s requests, their cost and the provider’s state', async t => {
  const model = await startModel(t, openaiAnswer(answer))
  const inference = {
    provider: 'openai',
    model: 'm',
    baseUrl: `${model.url}/v1`,
    apiKey: 'env:KEY',
    rates: { input: 1, output: 10 },
  }
  const daemon = await startDaemon(t, { settings: { inference }, environment: { KEY: 'sk-123' } })
  await daemon.daemon.inference().ask(question)
  const told = await status(daemon)
  t.like(told, { state: 'ready', available: true, key: 'set', address: model.url, maxConcurrent: 2 })
  const [rerank] = told.uses.filter(({ use }) => use === 'reranking')
  t.like(rerank, { enabled: false, maxTokensPerDay: 200_000 })
  t.deepEqual(rerank?.today, {
    calls: 1,
    failures: 0,
    inputTokens: 100,
    outputTokens: 20,
    countedTokens: 120,
    cost: 0.0003,
  })
  model.behave(failing(401))
  await t.throwsAsync(daemon.daemon.inference().ask(question))
  t.like(await status(daemon), {
    state: 'failing',
    error: `${model.url}/v1/chat/completions refused the key (401): check inference.apiKey`,
  })
  t.notRegex(JSON.stringify(await status(daemon)), /sk-123/)
})

test('each request records an event with tokens, time and coverage, and without text (rules.md 6)', async t => {
  const model = await startModel(t, openaiAnswer(answer))
  const inference = { provider: 'openai', model: 'm', baseUrl: `${model.url}/v1` }
  const daemon = await startDaemon(t, { settings: { inference } })
  await daemon.daemon.inference().ask(question)
  model.behave(failing(500))
  await t.throwsAsync(daemon.daemon.inference().ask({ ...question, hasFallback: true }))
  const [done, failed] = eventsOf(t, daemon, 'llm.generate')
  t.like(done, {
    use: 'reranking',
    outcome: 'ok',
    inputTokens: 100,
    outputTokens: 20,
    tokenCoverage: 'provider_reported',
    cost: 0,
    costCoverage: 'local_zero_cost',
  })
  t.true(Number.isInteger(done?.durationMs))
  t.like(failed, { outcome: 'error', inputTokens: 0, tokenCoverage: 'unavailable' })
  t.deepEqual(eventsOf(t, daemon, 'inference.route'), [{ use: 'reranking' }, { use: 'reranking' }])
  t.deepEqual(
    eventsOf(t, daemon, 'inference.execute').map(({ outcome, reason, requests }) => [
      outcome,
      reason,
      requests,
    ]),
    [
      ['ok', null, 1],
      ['error', 'unreachable', 1],
    ],
  )
  t.deepEqual(eventsOf(t, daemon, 'inference.fallback'), [{ use: 'reranking', reason: 'unreachable' }])
  t.notRegex(readFileSync(daemon.paths.telemetryEvents, 'utf8'), /SECRETWORD|Name the colour|127\.0\.0\.1/)
})

test('with telemetry disabled nothing is recorded, but the daily limit still counts', async t => {
  const model = await startModel(t, openaiAnswer(answer))
  const settings = {
    inference: { provider: 'openai', model: 'm', baseUrl: `${model.url}/v1` },
    memory: { pipelineV2: { telemetryEnabled: false } },
  }
  const daemon = await startDaemon(t, { settings })
  await daemon.daemon.inference().ask(question)
  t.deepEqual(eventsOf(t, daemon, 'llm.generate'), [])
  t.is((await status(daemon)).uses.find(({ use }) => use === 'reranking')?.today.countedTokens, 120)
})

test('today’s usage survives a restart', async t => {
  const model = await startModel(t, openaiAnswer(answer))
  const settings = { inference: { provider: 'openai', model: 'm', baseUrl: `${model.url}/v1` } }
  const first = await startDaemon(t, { settings })
  await first.daemon.inference().ask(question)
  await first.stop()
  const second = await startDaemon(t, { settings, workspace: first.paths.root })
  const limited = { ...question, maxTokensPerDay: 200 }
  t.like(
    await second.daemon
      .inference()
      .ask(limited)
      .catch(error => error),
    { kind: 'spent' },
  )
})

test('changed settings apply from the next request', async t => {
  const model = await startModel(t, openaiAnswer(answer))
  const daemon = await startDaemon(t)
  const inference = { provider: 'openai', model: 'm2', baseUrl: `${model.url}/v1` }
  writeFileSync(daemon.paths.settings, stringify({ embedding: { provider: 'none' }, inference }))
  await until(async () => ((await status(daemon)).state === 'ready' ? true : undefined))
  await daemon.daemon.inference().ask(question)
  t.is(model.asked()[0]?.model, 'm2')
})
