import { dayMs } from '../../../lib/time/time.js'
import type { Ground } from '../ground.js'
import { placeOf } from '../index/artifact-entries.js'
import { LateWriter } from '../telemetry/late-writer.js'
import type { RecallRecorder, RecordedRecall } from '../telemetry/recorded-recall.js'

/** Records are kept for so long, and so many of them (telemetry.md 5). */
export const recallRecordDays = 30
export const maxRecallRecords = 5000

/** Recalls are recorded where the settings ask for it, unless the environment of the process opts out. */
export function recallsAreRecorded({
  configuration,
  environment,
}: Pick<Ground, 'configuration' | 'environment'>): boolean {
  return (
    configuration().settings.telemetry.memorySearchQaEnabled && environment.SERVICE_TELEMETRY_OPTOUT !== '1'
  )
}

/** Takes recalls and writes them down once they are answered. */
export function createRecallRecorder(deps: Pick<Ground, 'store' | 'clock' | 'log'>): RecallRecorder {
  return new LateWriter({
    intervalMs: 1000,
    // They hold texts: what waits stays within some MiB.
    maxWaiting: 200,
    maxTogether: 20,
    write: recalls => writeRecalls(deps, recalls),
    onFault: error => deps.log.warn({ err: error }, 'recalls not recorded'),
  })
}

/** What was forgotten since it was given is written without its text. */
async function writeRecalls(
  { store, clock }: Pick<Ground, 'store' | 'clock'>,
  recalls: readonly RecordedRecall[],
): Promise<void> {
  const before = new Date(clock().getTime() - recallRecordDays * dayMs).toISOString()
  const given = [...new Set(recalls.flatMap(({ results }) => results.map(({ row_id }) => row_id)))]
  const places = given.filter(id => id.includes('#')).map(placeOf)
  await store.write({ until: 'committed' }, async ({ recallRecords }) => {
    const keepable = await recallRecords.keepable(
      given,
      places.map(({ artifact_id, chunk }) => [artifact_id, chunk] as const),
    )
    for (const { record, results } of recalls)
      await recallRecords.add(
        record,
        results.map(result => (keepable.has(result.row_id) ? result : { ...result, content: null })),
      )
    await recallRecords.purge(before, maxRecallRecords, 2 * recalls.length)
  })
}
