import { everyFewMs } from '../../../../lib/concurrency/every-few-ms.js'
import type { ArtifactRow } from '../../../../store/tables/knowledge/source-artifacts.js'
import type { SourceChunkRow } from '../../../../store/tables/knowledge/source-chunks.js'
import { isFrozen } from '../../../ground/settings/pipeline-mode.js'
import type { Daemon } from '../../../platform/daemon/daemon.js'
import { createOnePassWork, type Worker } from '../../../platform/jobs/worker.js'
import { scanTextsInSlices } from '../../../safety/late-scan.js'
import { policyVersion, verdictColumns } from '../../../safety/verdict-columns.js'
import { transactionChunks } from './write-artifact.js'

type Deps = Pick<Daemon, 'store' | 'artifactIndex' | 'clock' | 'configuration' | 'log'>

const batchSize = 20

/**
 * Creates the work that rescans, after a start, artifacts scanned under another version of the safety policy.
 */
export function createRejudging(deps: Deps): Worker {
  return createOnePassWork({
    run: signal => rejudgeArtifacts(deps, signal),
    onError: error => deps.log.warn({ err: error }, 'safety of artifacts not checked again'),
  })
}

async function rejudgeArtifacts(deps: Deps, signal: AbortSignal): Promise<void> {
  for (;;) {
    const rows = await deps.store.tables.sourceArtifacts.outdated(policyVersion, batchSize)
    if (rows.length === 0) return
    for (const row of rows) {
      if (signal.aborted || isFrozen(deps)) return
      await rejudge(deps, row)
    }
  }
}

/** Writes the policy version of the row last: after a stop in between, this artifact is scanned again. */
async function rejudge({ store, artifactIndex, clock }: Deps, row: ArtifactRow): Promise<void> {
  const breathe = everyFewMs()
  const names = JSON.parse(row.names) as string[]
  const text = (await store.tables.sourceArtifacts.textOf(row.id)) ?? ''
  const verdict = await scanTextsInSlices([row.title ?? '', ...names, text], breathe)
  const judged: { chunk: SourceChunkRow; status: string }[] = []
  for (let from = 0; ; from += transactionChunks) {
    const chunks = await store.tables.sourceChunks.of(row.id, from, transactionChunks)
    for (const chunk of chunks.filter(({ removed }) => removed === 0)) {
      const texts = [row.title ?? '', chunk.heading ?? '', ...(chunk.chunk === 0 ? names : []), chunk.text]
      const { status } = verdict.status === 'clean' ? verdict : await scanTextsInSlices(texts, breathe)
      judged.push({ chunk, status })
    }
    if (chunks.length < transactionChunks) break
  }
  const isAcross = verdict.status !== 'clean' && judged.every(({ status }) => status === 'clean')
  const changed = judged
    .map(({ chunk, status }) => ({ chunk, status: isAcross ? verdict.status : status }))
    .filter(({ chunk, status }) => chunk.safety_status !== status)
  const first = await store.write({ until: 'committed' }, async tables => {
    const change = changed.length > 0 ? await tables.meta.nextChanges(changed.length) : 0
    for (const [place, { chunk, status }] of changed.entries())
      await tables.sourceChunks.judge(chunk, status, change + place)
    await tables.sourceArtifacts.change(row.id, verdictColumns(verdict, clock().toISOString()))
    return change
  })
  if (changed.length > 0)
    await artifactIndex.apply(
      await store.tables.sourceChunks.changedBetween(first, first + changed.length - 1),
    )
}
