import test, { type ExecutionContext } from 'ava'
import { z } from 'zod'
import { inferenceSettings } from '../../../../../src/contract/settings.js'
import { createInference } from '../../../../../src/daemon/ground/inference/create-inference.js'
import type {
  Inference,
  InferenceFault,
  Question,
} from '../../../../../src/daemon/ground/inference/inference.js'
import { openEntry } from '../../../../../src/daemon/platform/inference/ledger.js'
import { manualClock, until } from '../../../../helpers/embedding-fakes.js'
import {
  anthropicAnswer,
  endless,
  failing,
  flooding,
  ledgerDeps,
  type ModelBehaviour,
  openaiAnswer,
  silent,
  startModel,
} from '../../../../helpers/model-fakes.js'

const schema = z.object({ reasoning: z.string(), colour: z.string().max(20) })
const answer = { reasoning: 'it says so', colour: 'red' }
const question: Question<z.infer<typeof schema>> = {
  use: 'reranking',
  instructions: 'Name the colour.',
  input: 'the crane is SECRETWORD red',
  name: 'answer',
  schema,
  maxOutputTokens: 100,
  deadlineMs: 300_000,
  maxTokensPerDay: 10_000,
}

/** Opens a model behind a fake server, with its own clock and ledger. */
async function open(t: ExecutionContext, behaviour: ModelBehaviour, given: Record<string, unknown> = {}) {
  const { clock, advance } = manualClock()
  const { store, ...deps } = ledgerDeps(t, clock)
  const model = await startModel(t, behaviour)
  const settings = inferenceSettings.parse({
    provider: 'openai',
    model: 'm',
    baseUrl: `${model.url}/v1`,
    ...given,
  })
  const inference = createInference({
    settings,
    resolveSecret: async () => ' sk-KEY\n',
    openEntry: question => openEntry({ store, ...deps }, question),
    clock,
  })
  t.teardown(() => inference.close())
  const today = async () => (await store.tables.inferenceUsage.of('2026-01-01'))[0]
  return { inference, model, advance, today }
}

async function faultOf(t: ExecutionContext, inference: Inference, asked = question): Promise<InferenceFault> {
  return (await t.throwsAsync(inference.ask(asked), { name: 'InferenceFault' })) as unknown as InferenceFault
}

test('OpenAI requests carry the schema, and replies are validated', async t => {
  const { inference, model } = await open(t, openaiAnswer(answer), { apiKey: 'env:KEY' })
  const { value, spent } = await inference.ask(question)
  t.deepEqual(value, answer)
  t.like(spent, { calls: 1, inputTokens: 100, outputTokens: 20, tokenCoverage: 'provider_reported' })
  const [request] = model.requests
  t.is(request?.path, '/v1/chat/completions')
  t.is(request?.headers.authorization, 'Bearer sk-KEY')
  const body = JSON.parse(request?.body ?? '')
  t.like(body, { model: 'm', stream: false, max_tokens: 100 })
  t.deepEqual(body.response_format.json_schema.schema, {
    type: 'object',
    properties: { reasoning: { type: 'string' }, colour: { type: 'string' } },
    required: ['reasoning', 'colour'],
    additionalProperties: false,
  })
})

test('Anthropic requests carry the schema as a tool input', async t => {
  const usage = { input_tokens: 10, output_tokens: 5, cache_read_input_tokens: 90 }
  const { inference, model } = await open(t, anthropicAnswer(answer, usage), {
    provider: 'anthropic',
    apiKey: 'KEY',
    rates: { input: 1, output: 2, cacheRead: 0.1 },
  })
  const { value, spent } = await inference.ask(question)
  t.deepEqual(value, answer)
  t.like(spent, { inputTokens: 100, outputTokens: 5, cacheReadTokens: 90, costCoverage: 'configured_rate' })
  t.is(spent.cost?.toFixed(9), ((10 * 1 + 90 * 0.1 + 5 * 2) / 1e6).toFixed(9))
  const [request] = model.requests
  t.is(request?.path, '/v1/messages')
  t.is(request?.headers['x-api-key'], 'sk-KEY')
  t.is(request?.headers.authorization, undefined)
  t.like(JSON.parse(request?.body ?? ''), { max_tokens: 100, tool_choice: { type: 'tool', name: 'answer' } })
})

test('a server that refuses schemas is asked once more in plain text, and always so afterwards', async t => {
  const { inference, model } = await open(t, (request, response) => {
    const refuses = 'response_format' in JSON.parse(request.body)
    const words = `Sure!\n\`\`\`json\n${JSON.stringify(answer)}\n\`\`\``
    return (refuses ? failing(400) : openaiAnswer(words))(request, response)
  })
  t.deepEqual((await inference.ask(question)).value, answer)
  t.deepEqual((await inference.ask(question)).value, answer)
  t.deepEqual(
    model.asked().map(({ hasForm }) => hasForm),
    [true, false, false],
  )
  t.regex(model.asked()[1]?.instructions ?? '', /"colour"/)
})

const noAnswers: readonly [string, ModelBehaviour, string][] = [
  ['text that is not JSON', openaiAnswer('the colour is nice'), 'malformed'],
  ['JSON of another shape', openaiAnswer({ colour: 7 }), 'malformed'],
  ['more than the schema allows', openaiAnswer({ ...answer, colour: 'x'.repeat(21) }), 'malformed'],
  ['a truncated reply', openaiAnswer('{"reasoning": "it', { finish: 'length' }), 'cut'],
  ['a refusal', openaiAnswer('', { refusal: 'I will not' }), 'declined'],
  ['a content filter', openaiAnswer('', { finish: 'content_filter' }), 'declined'],
  ['a reply without a choice', (_, response) => void response.end('{"hello": 1}'), 'malformed'],
  ['an HTML page', (_, response) => void response.end('<html>'), 'malformed'],
  ['an oversized reply', flooding, 'malformed'],
  ['a refused key', failing(401), 'unauthorized'],
  ['an unknown model', failing(404), 'unknown_model'],
  ['a rate limit', failing(429, { 'retry-after': '30' }), 'limited'],
  ['an overload', failing(529), 'unreachable'],
  ['a refused request', failing(413), 'refused'],
  [
    'a redirect',
    (_, response) => void response.writeHead(307, { location: 'http://127.0.0.1:1/' }).end(),
    'unreachable',
  ],
  ['a broken connection', (_, response) => void response.destroy(), 'unreachable'],
]
for (const [what, behaviour, kind] of noAnswers)
  test(`${what} is a fault whose message contains no prompt, reply or key`, async t => {
    const { inference } = await open(t, behaviour, { apiKey: 'KEY' })
    const fault = await faultOf(t, inference)
    t.is(fault.kind, kind as typeof fault.kind)
    t.notRegex(fault.message, /SECRETWORD|sk-KEY|I will not|Name the colour/)
  })

for (const [what, behaviour] of [
  ['silence', silent],
  ['an endless stream', endless],
] as const)
  test(`${what} ends at the deadline, and its possible cost stays counted`, async t => {
    const { inference, today } = await open(t, behaviour)
    t.is((await faultOf(t, inference, { ...question, deadlineMs: 100 })).kind, 'late')
    t.like(await today(), { calls: 1, failures: 1, input_tokens: 0, unpriced_calls: 1 })
    t.true(Number((await today())?.counted_tokens) > question.maxOutputTokens)
    t.is(inference.state().inFlight, 0)
  })

test('a cancelled request is aborted and does not count against the provider', async t => {
  const { inference, model } = await open(t, silent)
  const leaving = new AbortController()
  const asked = inference.ask({ ...question, signal: leaving.signal })
  await until(() => model.requests.length === 1)
  leaving.abort(new Error('left'))
  await t.throwsAsync(asked, { message: 'left' })
  t.like(inference.state(), { inFlight: 0, error: undefined, checkedAt: null })
})

test('closing aborts running requests', async t => {
  const { inference, model } = await open(t, silent)
  const asked = t.throwsAsync(inference.ask(question), { name: 'InferenceFault' })
  await until(() => model.requests.length === 1)
  await inference.close()
  t.regex((await asked)?.message ?? '', /model settings have changed/)
})

test('a failing provider is paused, then tried again with one question', async t => {
  const { inference, model, advance } = await open(t, failing(500))
  for (let count = 0; count < 3; count++) t.is((await faultOf(t, inference)).kind, 'unreachable')
  t.is(inference.state().breaker.state, 'open')
  for (let count = 0; count < 5; count++) t.is((await faultOf(t, inference)).kind, 'paused')
  t.is(model.requests.length, 3)
  model.behave(openaiAnswer(answer))
  advance(1000)
  t.deepEqual((await inference.ask(question)).value, answer)
  t.like(inference.state(), { error: undefined, breaker: { state: 'closed', remainingMs: 0 } })
})

test('a provider too slow for one use is still asked by the others', async t => {
  const { inference, model, advance } = await open(t, silent)
  for (let count = 0; count < 3; count++)
    t.is((await faultOf(t, inference, { ...question, deadlineMs: 30 })).kind, 'late')
  t.is((await faultOf(t, inference)).kind, 'paused')
  model.behave(openaiAnswer(answer))
  t.deepEqual((await inference.ask({ ...question, use: 'dreaming' })).value, answer)
  advance(1000)
  t.deepEqual((await inference.ask(question)).value, answer)
})

test('the retry-after of a provider is respected', async t => {
  const { inference, advance } = await open(t, failing(429, { 'retry-after': '30' }))
  await faultOf(t, inference)
  advance(29_000)
  t.is((await faultOf(t, inference)).kind, 'paused')
  advance(1_000)
  t.is((await faultOf(t, inference)).kind, 'limited')
})

test('concurrent questions are limited as configured, and a full queue refuses more', async t => {
  const { inference, model } = await open(t, silent, { maxConcurrent: 2 })
  const leaving = new AbortController()
  const asked = Array.from({ length: 34 }, () =>
    inference.ask({ ...question, signal: leaving.signal }).catch(() => undefined),
  )
  await until(() => model.requests.length === 2 && inference.state().waiting === 32)
  t.is((await faultOf(t, inference)).kind, 'busy')
  leaving.abort()
  await Promise.all(asked)
  t.is(model.requests.length, 2)
  t.like(inference.state(), { inFlight: 0, waiting: 0 })
})

test('the daily limit is enforced and resets the next day', async t => {
  const { inference, model, advance, today } = await open(t, openaiAnswer(answer))
  const limited = { ...question, maxTokensPerDay: 400 }
  await inference.ask(limited)
  t.like(await today(), { calls: 1, failures: 0, input_tokens: 100, output_tokens: 20, counted_tokens: 120 })
  await inference.ask(limited)
  t.is((await faultOf(t, inference, limited)).kind, 'spent')
  t.is(model.requests.length, 2)
  advance(86_400_000)
  t.deepEqual((await inference.ask(limited)).value, answer)
})

test('a missing or refusing server spends nothing of the daily limit', async t => {
  const { inference, today } = await open(t, failing(500))
  await faultOf(t, inference)
  t.like(await today(), { calls: 1, failures: 1, counted_tokens: 0, unpriced_calls: 0 })
})

test('missing token counts are estimated, and a local model is free', async t => {
  const { inference } = await open(t, openaiAnswer(answer, { usage: null }))
  const { spent } = await inference.ask(question)
  t.like(spent, { tokenCoverage: 'locally_estimated', cost: 0, costCoverage: 'local_zero_cost' })
  t.true(spent.inputTokens > 10 && spent.outputTokens > 5)
  t.is(spent.cacheReadTokens, null)
})

test('impossible token counts are replaced by estimates', async t => {
  const { inference } = await open(
    t,
    openaiAnswer(answer, { usage: { prompt_tokens: -5, completion_tokens: 1e30 } }),
  )
  t.is((await inference.ask(question)).spent.tokenCoverage, 'locally_estimated')
})

test('a price named by the provider is used', async t => {
  const usage = { prompt_tokens: 1, completion_tokens: 1, cost: 0.25 }
  const { inference } = await open(t, openaiAnswer(answer, { usage }), { rates: { input: 1, output: 1 } })
  t.like((await inference.ask(question)).spent, { cost: 0.25, costCoverage: 'provider_reported' })
})

const incomplete: readonly [string, Record<string, unknown>, RegExp][] = [
  ['no provider', { provider: 'none' }, /inference\.provider is none/],
  ['no model', { model: undefined }, /inference\.model is not set/],
  ['no key although one is needed', { baseUrl: undefined }, /inference\.apiKey is not set/],
  ['a password in the address', { baseUrl: 'http://me:pass@127.0.0.1/v1' }, /must not contain a user name/],
  [
    'a key over an unencrypted connection',
    { baseUrl: 'http://example.com/v1', apiKey: 'KEY' },
    /must use https/,
  ],
]
for (const [what, given, message] of incomplete)
  test(`with ${what} nothing is sent, and the fault says what to do`, async t => {
    const { inference, model } = await open(t, silent, given)
    const fault = await faultOf(t, inference)
    t.regex(fault.message, message)
    t.notRegex(fault.message, /me:pass/)
    t.is(model.requests.length, 0)
  })
