import { dirname } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { pino } from 'pino'
import { settings } from '../../../../../src/contract/settings.js'
import { createRetentionWorker } from '../../../../../src/daemon/operations/retention/domain.js'
import { workspacePaths } from '../../../../../src/lib/workspace/paths.js'
import { until } from '../../../../helpers/daemon-process.js'
import { manualTime } from '../../../../helpers/manual-time.js'
import { openRaw, openTestStore } from '../../../../helpers/store.js'

const hourMs = 3_600_000

/** Opens a worker on a store; an old dead job shows whether a sweep ran. */
function openRetention(t: ExecutionContext, { frozen = false } = {}) {
  const { store, file } = openTestStore(t)
  const raw = openRaw(t, file)
  const time = manualTime()
  const state = { frozen }
  const start = () => {
    const worker = createRetentionWorker(
      {
        store,
        paths: workspacePaths(dirname(file)),
        index: { remove: () => undefined } as never,
        clock: time.clock,
        newId: () => 'unused',
        log: pino({ level: 'silent' }),
        configuration: () => ({
          settings: settings.parse({ memory: { pipelineV2: { mutationsFrozen: state.frozen } } }),
          problems: [],
        }),
      },
      time.timers,
    )
    t.teardown(worker.close)
    worker.start()
    return worker
  }
  const plant = () =>
    raw
      .prepare(
        "INSERT INTO jobs VALUES ('old', 'test', 'm', 'dead', 1, 1, NULL, '2020', NULL, '2020', '2020', NULL, '{}', NULL, NULL)",
      )
      .run()
  const planted = () => raw.prepare('SELECT 1 FROM jobs').all().length
  return {
    store,
    raw,
    time,
    state,
    start,
    plant,
    planted,
    /** Waits for a sweep at the current manual time. */
    swept: () =>
      until(async () => {
        const last = await store.tables.meta.lastDone('retention')
        return planted() === 0 && last === time.clock().toISOString() ? last : undefined
      }),
  }
}

test('a first start sweeps at once, then every 6 hours (rules.md 1.4)', async t => {
  const { start, plant, swept, time } = openRetention(t)
  plant()
  start()
  t.is(await swept(), time.clock().toISOString())
  plant()
  time.advance(6 * hourMs)
  t.is(await swept(), time.clock().toISOString())
})

test('the 6 hours continue across restarts (rules.md 1.4)', async t => {
  const { start, plant, planted, swept, time } = openRetention(t)
  plant()
  const first = start()
  await swept()
  await first.close()
  plant()
  time.advance(6 * hourMs - 1)
  const second = start()
  await second.close()
  t.is(planted(), 1)
  time.advance(1)
  start()
  t.is(await swept(), time.clock().toISOString())
})

test('a clock set back does not delay the sweep for long', async t => {
  const { start, plant, swept, time, store } = openRetention(t)
  await store.tables.meta.noteDone(
    'retention',
    new Date(time.clock().getTime() + 365 * 24 * hourMs).toISOString(),
  )
  plant()
  start()
  t.is(await swept(), time.clock().toISOString())
})

test('nothing is swept while writes are frozen (rules.md 0.9)', async t => {
  const { start, plant, planted, swept, time, state } = openRetention(t, { frozen: true })
  plant()
  const frozen = start()
  await frozen.close()
  t.is(planted(), 1)
  state.frozen = false
  start()
  t.is(await swept(), time.clock().toISOString())
})

test('a failed sweep is retried after a minute', async t => {
  const { start, plant, swept, time, raw, store } = openRetention(t)
  plant()
  raw.exec("CREATE TRIGGER broken BEFORE DELETE ON jobs BEGIN SELECT RAISE(ABORT, 'broken'); END")
  const failed = start()
  await failed.close()
  t.is(await store.tables.meta.lastDone('retention'), undefined)
  raw.exec('DROP TRIGGER broken')
  start()
  time.advance(60_000)
  t.is(await swept(), time.clock().toISOString())
})
