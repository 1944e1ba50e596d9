import test from 'ava'
import { pino } from 'pino'
import {
  EventRecorder,
  type RecordedEvent,
} from '../../../../../src/daemon/ground/telemetry/event-recorder.js'

const event = { event: 'recall.attempted', properties: { surface: 'explicit_api' } } as const
const executed = (durationMs: number) =>
  ({
    event: 'inference.execute',
    properties: { use: 'dreaming', outcome: 'ok', reason: null, requests: 1, durationMs },
  }) as const

function recorderOf(isEnabled = true) {
  const state = { fails: false, written: [] as RecordedEvent[] }
  const recorder = new EventRecorder({
    isEnabled: () => isEnabled,
    clock: () => new Date('2026-01-31T09:00:00Z'),
    log: pino({ level: 'silent' }),
    timers: { after: () => () => undefined, every: () => () => undefined },
    write: async events => {
      if (state.fails) throw new Error('the disk is full')
      state.written.push(...events)
    },
  })
  return { recorder, state }
}

test('events are written in batches, in order', async t => {
  const { recorder, state } = recorderOf()
  for (let at = 0; at < 1200; at++) recorder.note(executed(at))
  t.is(recorder.waiting, 1200)
  await recorder.flush()
  t.is(recorder.waiting, 0)
  t.deepEqual(
    state.written.map(({ properties }) => properties),
    Array.from({ length: 1200 }, (_, at) => executed(at).properties),
  )
})

test('events wait in a bounded queue while the disk fails', async t => {
  const { recorder, state } = recorderOf()
  state.fails = true
  for (let at = 0; at < 5010; at++) recorder.note(event)
  await recorder.flush()
  t.is(recorder.waiting, 5000)
  t.is(recorder.dropped, 10)
  state.fails = false
  await recorder.close()
  t.is(state.written.length, 5000)
})

test('nothing is recorded if telemetry is off', async t => {
  const { recorder } = recorderOf(false)
  recorder.note(event)
  t.is(recorder.waiting, 0)
})

test('counted events that differ only in numbers become one event', async t => {
  const { recorder, state } = recorderOf()
  for (const durationMs of [3, 4]) recorder.count(executed(durationMs))
  recorder.count({ ...executed(5), properties: { ...executed(5).properties, outcome: 'error' } })
  t.is(recorder.waiting, 0)
  await recorder.flush()
  t.deepEqual(
    state.written.map(({ properties }) => properties),
    [
      { use: 'dreaming', outcome: 'ok', reason: null, requests: 2, durationMs: 7 },
      { use: 'dreaming', outcome: 'error', reason: null, requests: 1, durationMs: 5 },
    ],
  )
})
