import type { ImportFileRow } from '../../../../store/tables/knowledge/import-files.js'
import type { ImportRow } from '../../../../store/tables/knowledge/imports.js'
import { nameKeyOf } from '../../../../store/tables/sessions/sessions.js'
import type { NewSummaryNode } from '../../../../store/tables/sessions/summary-nodes.js'
import type { TranscriptRow } from '../../../../store/tables/sessions/transcripts.js'
import type { Tables } from '../../../../store/tables/tables.js'
import type { Verdict } from '../../../sessions/capture/judge-chunks.js'
import { removeBody } from '../../../sessions/capture/remove-body.js'
import { type CapturedSession, headNode, transcriptOf } from '../../../sessions/capture/show-capture.js'
import {
  type StagedChunks,
  showChunks,
  stageChunks,
  stageMessages,
} from '../../../sessions/capture/stage-capture.js'
import { addLeftOut, type LeftOut } from '../../../sessions/transcripts/transcript-message.js'
import { putWork } from '../../../sessions/work/record-work.js'
import type { Adapter } from '../forms/adapter.js'
import { requestReview } from '../registry/registry.js'
import { type AcceptedRecord, type Batch, type JudgedBatch, judgeBatch } from './judge-batch.js'
import { type Lease, loadLeased, type WorkDeps } from './lease.js'
import { settleBodies, type VisibleBody } from './settle-bodies.js'

export interface BatchWork {
  lease: Lease
  adapter: Adapter
  file: ImportFileRow
  /** Waits until all earlier batches are indexed. */
  indexed(): Promise<void>
}

/** A conversation whose messages are stored but not visible yet. */
interface StagedConversation {
  accepted: AcceptedRecord
  chunks: StagedChunks
  row: TranscriptRow
  node: NewSummaryNode
}

/** A conversation of the batch is not stored any more as it was when the batch was judged. */
class OutdatedBatch extends Error {}

/**
 * Imports a batch, judged again each time that another daemon of the database stored one of its conversations
 * meanwhile.
 * @returns the bodies to index, see `indexBodies`
 * @throws LeaseLost, or the reason of the lease's signal; nothing of the batch is visible then
 */
export async function commitBatch(deps: WorkDeps, work: BatchWork, batch: Batch): Promise<VisibleBody[]> {
  for (;;)
    try {
      return await commitOnce(deps, work, batch)
    } catch (error) {
      if (!(error instanceof OutdatedBatch)) throw error
      await work.indexed()
      await settleBodies(deps, work.lease.id)
    }
}

/**
 * Stores new messages invisibly, then in one transaction makes them visible, counts them, and advances the
 * file's offset.
 * @throws OutdatedBatch
 */
async function commitOnce(
  deps: WorkDeps,
  { lease, adapter, file, indexed }: BatchWork,
  batch: Batch,
): Promise<VisibleBody[]> {
  const judged = await judgeBatch(deps, { lease, adapter }, batch.records)
  const plans = judged.accepted.map(({ plan }) => plan)
  const replaced = plans.flatMap(plan => plan.replaced ?? [])
  const bodyIds = [...plans.map(({ bodyId }) => bodyId), ...replaced]
  // Wait until earlier notes about a body are processed, because writing to it again notes it again.
  if (plans.some(({ relation }) => relation !== 'first')) await indexed()
  await deps.store.write({ until: 'executed' }, ({ importRecords }) =>
    importRecords.noteBodies(lease.id, bodyIds),
  )
  const staged: StagedConversation[] = []
  for (const accepted of judged.accepted) staged.push(await stage(deps, lease, accepted))
  lease.signal.throwIfAborted()
  await deps.store.transaction(async tables => {
    const job = await loadLeased(tables, lease)
    await assertAsJudged(tables, staged)
    const { toolUse } = deps.configuration().settings.capture
    for (const conversation of staged) {
      await showConversation(deps, tables, conversation)
      const { work = [] } = conversation.accepted.conversation
      if (work.length > 0 && toolUse !== 'off') await putWork(tables, work, conversation.row, toolUse)
    }
    await keepFingerprints(deps, tables, { lease, file }, staged)
    await count(deps, tables, { job, file, batch, judged })
  })
  for (const bodyId of replaced) await removeBody(deps, bodyId)
  await deps.store.write({ until: 'executed' }, ({ importRecords }) => importRecords.dropBodies(replaced))
  return staged.map(({ accepted, chunks }) => ({ bodyId: accepted.plan.bodyId, from: chunks.from }))
}

/** Within one daemon captures and imports wait for each other. @throws OutdatedBatch */
async function assertAsJudged(
  { transcripts, nodes }: Tables,
  staged: readonly StagedConversation[],
): Promise<void> {
  if (nodes.own === null || staged.length === 0) return
  const names = staged.map(({ row }) => ({ agentId: row.agent_id, sessionKey: row.session_key }))
  const stored = new Map((await transcripts.ofSessions(names)).map(row => [nameKeyOf(row), row]))
  for (const { row, accepted } of staged) {
    const { extended, replaced } = accepted.plan
    const now = stored.get(nameKeyOf(row))
    const isSame = now?.body_id === (extended?.body_id ?? replaced ?? undefined)
    if (!isSame || (extended && now?.messages !== extended.messages)) throw new OutdatedBatch()
  }
}

async function stage(deps: WorkDeps, lease: Lease, accepted: AcceptedRecord): Promise<StagedConversation> {
  const { plan, conversation } = accepted
  const now = deps.clock().toISOString()
  const verdict: Verdict = { status: 'clean', reasons: new Set() }
  await stageMessages(deps, plan, lease.signal)
  const chunks = await stageChunks(deps, plan, verdict, lease.signal)
  const capture: CapturedSession = {
    id: accepted.captureId,
    agent_id: lease.agentId,
    session_key: conversation.sessionKey,
    harness: plan.extended?.harness ?? conversation.harness,
    project: plan.extended ? plan.extended.project : conversation.project,
    captured_at: conversation.capturedAt ?? now,
  }
  const row = transcriptOf({ capture, plan, verdict }, now)
  return { accepted, chunks, row, node: await headNode(deps, plan, row) }
}

async function showConversation(
  deps: Pick<WorkDeps, 'store'>,
  tables: Tables,
  { chunks, row, node }: StagedConversation,
): Promise<void> {
  await showChunks(deps, tables, row.body_id, chunks)
  await tables.transcripts.show(row)
  await tables.summaryNodes.keep(node)
}

function keepFingerprints(
  { clock }: WorkDeps,
  { importRecords }: Tables,
  { lease, file }: { lease: Lease; file: ImportFileRow },
  staged: readonly StagedConversation[],
): Promise<void> {
  const imported_at = clock().toISOString()
  return importRecords.putFingerprints(
    staged.map(({ accepted: { identity, contentHash, line, conversation } }) => ({
      agent_id: lease.agentId,
      identity,
      content_hash: contentHash,
      job_id: lease.id,
      file_id: file.file_id,
      line,
      session_key: conversation.sessionKey,
      messages: conversation.messages.length,
      imported_at,
    })),
  )
}

interface CommittedBatch {
  job: ImportRow
  file: ImportFileRow
  batch: Batch
  judged: JudgedBatch
}

async function count(
  deps: WorkDeps,
  tables: Tables,
  { job, file, batch, judged }: CommittedBatch,
): Promise<void> {
  const { accepted, duplicates, refused } = judged
  const updated_at = deps.clock().toISOString()
  const leftOut = JSON.parse(job.left_out) as LeftOut
  addLeftOut(leftOut, judged.leftOut)
  const before = (await tables.importFiles.find(file.job_id, file.file_id)) ?? file
  const counts = ({
    imported,
    duplicate,
    rejected,
  }: Pick<ImportRow, 'imported' | 'duplicate' | 'rejected'>) => ({
    imported: imported + accepted.length,
    duplicate: duplicate + duplicates,
    rejected: rejected + refused.length,
  })
  await tables.importRecords.addRejections(
    refused.map(({ line, reason, message }, at) => ({
      job_id: job.id,
      number: job.rejected + at + 1,
      file_id: file.file_id,
      line,
      reason,
      message,
    })),
  )
  await tables.importFiles.update(file, {
    ...counts(before),
    taken_bytes: batch.place.bytes,
    taken_number: batch.place.number,
    updated_at,
  })
  await tables.imports.update(job.id, {
    ...counts(job),
    messages: job.messages + accepted.reduce((sum, { plan }) => sum + plan.added.length, 0),
    left_out: JSON.stringify(leftOut),
    batches: job.batches + 1,
    attempts: 0,
    updated_at,
  })
  if (accepted.length > 0) await requestReview(deps, tables, job)
}
