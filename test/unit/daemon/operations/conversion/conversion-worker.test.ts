import { dirname } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { pino } from 'pino'
import {
  conversionOf,
  createConversionWorker,
  settleConversion,
} from '../../../../../src/daemon/operations/conversion/conversion-worker.js'
import { LoopBudget } from '../../../../../src/lib/concurrency/loop-budget.js'
import { workspacePaths } from '../../../../../src/lib/workspace/paths.js'
import { openStore } from '../../../../../src/store/sqlite/database.js'
import type { Store } from '../../../../../src/store/store.js'
import { until } from '../../../../helpers/daemon-process.js'
import { manualTime } from '../../../../helpers/manual-time.js'
import { olderFile } from '../../../../helpers/older-file.js'
import { openTestStore } from '../../../../helpers/store.js'

function startWorker(t: ExecutionContext, store: Store, file: string) {
  const time = manualTime()
  const deps = {
    store,
    paths: workspacePaths(dirname(dirname(file))),
    clock: time.clock,
    log: pino({ level: 'silent' }),
    budget: new LoopBudget(),
    integrity: { problems: () => [] as string[], note: () => undefined, found: () => undefined },
  } as unknown as Parameters<typeof createConversionWorker>[0]
  const worker = createConversionWorker(deps, time.timers)
  t.teardown(() => worker.close())
  return { deps, time, worker }
}

test('a failing conversion is tried three times and reports the reason (operations.md 6.3)', async t => {
  const file = olderFile(t)
  const whole = openStore(file, new Date('2026-01-01T00:00:00Z'))
  t.teardown(() => whole.close())
  let triedTimes = 0
  const store: Store = {
    ...whole,
    file: {
      ...whole.file,
      convert: async () => {
        triedTimes++
        throw new Error('disk I/O error')
      },
    },
  }
  const { deps, time, worker } = startWorker(t, store, file)
  await settleConversion(deps)
  worker.start()
  await until(async () => {
    time.advance(60_000)
    return (await conversionOf(deps)).state === 'failed' || undefined
  })
  t.like(await conversionOf(deps), { state: 'failed', attempts: 3, lastError: 'disk I/O error' })
  await settleConversion(deps)
  t.is((await conversionOf(deps)).state, 'failed', 'a restart does not try again')
  t.is(triedTimes, 3)
})

test('empty pages are released if there are many (operations.md 6.3)', async t => {
  const { store, file } = openTestStore(t)
  const { deps, worker } = startWorker(t, store, file)
  await store.tables.meta.noteConversion('x'.repeat(12_000_000))
  await store.tables.meta.noteConversion(JSON.stringify(await fresh(t)))
  const { count, free } = store.file.pages()
  t.true(free > 2048)
  worker.start()
  await until(() => store.file.pages().free === 0 || undefined)
  t.true(store.file.pages().count <= count - free)
  t.is((await conversionOf(deps)).state, 'not_required')
})

async function fresh(t: ExecutionContext) {
  return conversionOf({ store: openTestStore(t).store })
}
