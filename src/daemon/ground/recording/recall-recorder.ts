import { dayMs } from '../../../lib/time/time.js'
import type { Ground } from '../ground.js'
import { parseChunkEntryId } from '../index/artifact-entries.js'
import { LateWriter, type RecallRecorder, type RecordedRecall } from '../telemetry/late-writer.js'

/** Retention of records by age and number (telemetry.md 5). */
export const recallRecordDays = 30
export const maxRecallRecords = 5000

/** True if the settings record recalls, and the environment does not opt out. */
export function recallsAreRecorded({
  configuration,
  environment,
}: Pick<Ground, 'configuration' | 'environment'>): boolean {
  return (
    configuration().settings.telemetry.memorySearchQaEnabled && environment.SERVICE_TELEMETRY_OPTOUT !== '1'
  )
}

/** Creates a recorder that writes recalls after they are answered. */
export function createRecallRecorder(deps: Pick<Ground, 'store' | 'clock' | 'log'>): RecallRecorder {
  return new LateWriter({
    intervalMs: 1000,
    // Records contain texts; this limit keeps the queue within a few MiB.
    maxWaiting: 200,
    maxTogether: 20,
    write: recalls => writeRecalls(deps, recalls),
    onFault: error => deps.log.warn({ err: error }, 'recalls not recorded'),
  })
}

/** Records memories forgotten since the recall without their text. */
async function writeRecalls(
  { store, clock }: Pick<Ground, 'store' | 'clock'>,
  recalls: readonly RecordedRecall[],
): Promise<void> {
  const before = new Date(clock().getTime() - recallRecordDays * dayMs).toISOString()
  const given = [...new Set(recalls.flatMap(({ results }) => results.map(({ row_id }) => row_id)))]
  const places = given.filter(id => id.includes('#')).map(parseChunkEntryId)
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
