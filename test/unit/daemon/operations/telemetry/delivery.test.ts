import { dirname } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { pino } from 'pino'
import { settings } from '../../../../../src/contract/settings.js'
import { createEventRecorder } from '../../../../../src/daemon/ground/recording/record-event.js'
import {
  backOffMs,
  Delivery,
  maxUnsent,
  type PostResult,
  payloadOf,
} from '../../../../../src/daemon/operations/telemetry/delivery.js'
import { workspacePaths } from '../../../../../src/lib/workspace/paths.js'
import { until } from '../../../../helpers/daemon-process.js'
import { manualTime } from '../../../../helpers/manual-time.js'
import { openTestStore } from '../../../../helpers/store.js'

const minute = 60_000
const attempted = { event: 'recall.attempted', properties: { surface: 'tool_call' } } as const

interface SentRequest {
  url: string
  batch: string
  events: { event: string; properties: Record<string, unknown> }[]
}

/** Opens a delivery that records its requests and returns the answer set in `state`. */
function open(t: ExecutionContext, given: { url?: string } = {}) {
  const { store, file } = openTestStore(t)
  const time = manualTime()
  const state = { url: given.url, enabled: true, answer: { end: 'taken' } as PostResult, wallMs: 0 }
  const sent: SentRequest[] = []
  const deps = {
    store,
    log: pino({ level: 'silent' }),
    clock: () => new Date(time.clock().getTime() + state.wallMs),
    paths: workspacePaths(dirname(file)),
    environment: {},
    configuration: () => ({
      settings: settings.parse({
        telemetry: { delivery: { url: state.url } },
        memory: { pipelineV2: { telemetryEnabled: state.enabled } },
      }),
      problems: [],
    }),
  }
  const telemetry = createEventRecorder(deps)
  const delivery = new Delivery(
    { ...deps, telemetry },
    {
      timers: time.timers,
      now: () => time.clock().getTime(),
      random: () => 1,
      post: async (url, body) => {
        sent.push({ url: String(url), ...JSON.parse(body) })
        return state.answer
      },
    },
  )
  t.teardown(() => delivery.close())
  const armed = () => until(() => time.waits().length === 1)
  return {
    store,
    time,
    state,
    sent,
    telemetry,
    delivery,
    /** Applies the settings like a start does. */
    look: async () => {
      delivery.look()
      await armed()
    },
    /** Runs the next attempt to its end. */
    turn: async (ms = minute) => {
      time.advance(ms)
      await armed()
    },
  }
}

test('nothing is sent without an address, nor events recorded before one was set (telemetry.md 8)', async t => {
  const { state, sent, telemetry, delivery, look, turn, time, store } = open(t)
  telemetry.note(attempted)
  delivery.look()
  time.advance(10 * minute)
  t.like(await delivery.state(), { isConfigured: false, unsent: 0 })
  t.deepEqual(sent, [])
  state.url = 'https://example.org/events'
  await look()
  await turn()
  t.deepEqual(sent, [], 'what was there before stays here')
  telemetry.note({ event: 'inference.route', properties: { use: 'dreaming' } })
  await turn()
  t.deepEqual(
    sent.map(({ url, events }) => [url, events.map(({ event }) => event)]),
    [['https://example.org/events', ['inference.route']]],
  )
  // Events recorded while no address is set are never sent.
  delete state.url
  delivery.look()
  await until(async () => (await store.tables.meta.placeOf('telemetry-delivery')) === '{}')
  telemetry.note(attempted)
  state.url = 'https://example.org/events'
  await look()
  await turn()
  t.is(sent.length, 1)
})

test('only documented properties are sent, and no local ones (telemetry.md 8)', t => {
  const row = (id: number, event: string, properties: object) => ({
    id,
    event,
    at: '2026-03-01T12:00:00.000Z',
    properties: JSON.stringify(properties),
  })
  const { body, events, lastId } = payloadOf([
    row(1, 'recall.attempted', { surface: 'tool_call' }),
    row(2, 'recall.attempted', { surface: 'tool_call', query: 'marked' }),
    row(3, 'something.else', { text: 'marked' }),
  ])
  t.is(events, 1)
  t.is(lastId, 3)
  t.like(JSON.parse(body), { version: 1, events: [{ event: 'recall.attempted' }] })
  t.notRegex(body, /marked/u)
  const one = [row(1, 'recall.attempted', { surface: 'tool_call' })]
  t.is(payloadOf(one).body, payloadOf(one).body)
  const many = Array.from({ length: 5000 }, (_, id) =>
    row(id + 1, 'recall.attempted', { surface: 'tool_call' }),
  )
  const some = payloadOf(many)
  t.true(some.body.length < 300 * 1024)
  t.is(some.lastId, some.events)
})

test('a failing address is retried with longer waits, nothing is lost, and health reports it (telemetry.md 8)', async t => {
  const { state, sent, telemetry, delivery, look, turn, time } = open(t, { url: 'https://example.org/' })
  await look()
  state.answer = { end: 'failed', askedMs: 0 }
  telemetry.note(attempted)
  await turn()
  t.deepEqual(time.waits(), [5000])
  t.like(await delivery.state(), { unsent: 1, failures: 1, consecutiveFailures: 1, isBackingOff: true })
  // Waiting does not depend on the system clock.
  state.wallMs = -10 * 365 * 24 * 60 * minute
  await turn(5000)
  t.deepEqual(time.waits(), [10_000])
  state.wallMs = -state.wallMs
  state.answer = { end: 'failed', askedMs: 15 * minute }
  await turn(10_000)
  t.deepEqual(time.waits(), [15 * minute])
  t.is((await delivery.state()).consecutiveFailures, 3)
  state.answer = { end: 'taken' }
  await turn(15 * minute)
  t.deepEqual(time.waits(), [minute])
  t.like(await delivery.state(), { unsent: 0, successes: 1, consecutiveFailures: 0, isBackingOff: false })
  t.is(sent.length, 4)
  t.is(new Set(sent.map(({ batch }) => batch)).size, 1, 'the same events are the same batch')
})

test('refused events are dropped and counted, and later ones are sent (telemetry.md 8)', async t => {
  const { state, sent, telemetry, delivery, look, turn } = open(t, { url: 'https://example.org/' })
  await look()
  state.answer = { end: 'refused' }
  telemetry.note(attempted)
  await turn()
  t.like(await delivery.state(), { unsent: 0, dropped: 1, failures: 1 })
  state.answer = { end: 'taken' }
  telemetry.note(attempted)
  await turn()
  t.is(sent.length, 2)
  t.is((await delivery.state()).consecutiveFailures, 0)
})

test('beyond the limit the oldest events are dropped and counted (telemetry.md 8)', async t => {
  const { state, store, delivery, look, turn } = open(t, { url: 'https://example.org/' })
  await look()
  state.answer = { end: 'failed', askedMs: 0 }
  const at = '2026-01-01T00:00:00.000Z'
  const properties = JSON.stringify(attempted.properties)
  await store.write({ until: 'committed' }, async ({ telemetry }) => {
    for (let n = 0; n < maxUnsent + 25; n++) await telemetry.add({ event: attempted.event, at, properties })
  })
  await turn()
  t.like(await delivery.state(), { unsent: maxUnsent, dropped: 25 })
})

test('nothing is sent while telemetry is off (telemetry.md 8)', async t => {
  const { state, sent, telemetry, look, delivery, time } = open(t, { url: 'https://example.org/' })
  await look()
  telemetry.note(attempted)
  await telemetry.flush()
  state.enabled = false
  time.advance(10 * minute)
  t.deepEqual(sent, [])
  t.like(await delivery.state(), { isConfigured: true, unsent: 0 })
})

test('waits double up to an hour, with jitter (telemetry.md 8)', t => {
  const most = [1, 2, 3, 11, 500].map(failures => backOffMs(failures, 0, () => 1))
  t.deepEqual(most, [5000, 10_000, 20_000, 3_600_000, 3_600_000])
  t.is(
    backOffMs(1, 0, () => 0),
    2500,
  )
  t.is(
    backOffMs(1, 10 * 3_600_000, () => 0),
    3_600_000,
  )
})
