import { pino } from 'pino'
import { settings } from '../../src/contract/settings.js'
import { createEventRecorder } from '../../src/daemon/ground/recording/record-event.js'
import { catchUp } from '../../src/daemon/operations/telemetry/stats/catch-up.js'
import { workspacePaths } from '../../src/lib/workspace/paths.js'
import { openStore } from '../../src/store/sqlite/database.js'
import { temporaryWorkspace } from '../daemon/workspace.js'
import { cpuMs, percentile } from '../index/measure.js'

const rounds = 60
const warmUps = 20
const recallsTogether = 100

/**
 * Returns the median processor milliseconds for the events of one recall, noted, written and counted without
 * other work. Two runs of a whole daemon on a busy machine differ by several times that.
 */
export async function recordingAlone(): Promise<number> {
  const { folder, remove } = temporaryWorkspace()
  const paths = workspacePaths(folder)
  const store = openStore(paths.database, new Date())
  const configuration = { settings: settings.parse({}), problems: [] }
  const telemetry = createEventRecorder({
    store,
    paths,
    configuration: () => configuration,
    environment: {},
    clock: () => new Date(),
    log: pino({ level: 'silent' }),
  })
  const spent: number[] = []
  for (let round = 0; round < rounds; round++) {
    const before = cpuMs()
    for (let recall = 0; recall < recallsTogether; recall++) {
      const surface = 'explicit_api'
      telemetry.note({ event: 'recall.attempted', properties: { surface } })
      telemetry.note({
        event: 'recall.performed',
        properties: { surface, type: 'keyword', results: 10, latencyMs: 5 + (recall % 40), truncated: true },
      })
      telemetry.note({
        event: 'recall.outcome',
        properties: { surface, result: 'truncated', delivery: 'returned' },
      })
    }
    await telemetry.flush()
    await catchUp({ store })
    if (round >= warmUps) spent.push((cpuMs() - before) / recallsTogether)
  }
  await telemetry.close()
  await store.close()
  remove()
  return percentile(spent, 0.5)
}
