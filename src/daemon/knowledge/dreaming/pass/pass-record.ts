import type { RecordedEvent } from '../../../ground/events/event.js'
import { recordEvent, writeEvent } from '../../../ground/telemetry/record-event.js'
import { noteFrontier } from '../evidence/frontier.js'
import type { Pass, PassDeps } from './pass.js'

/** Passes are told of for so long. */
const keptMs = 30 * 86_400_000

/** Writes down that a pass begins. @returns its id. */
export async function beginPass(
  { store, clock, newId }: PassDeps,
  { jobId, mode, reader }: { jobId: string; mode: string; reader: string },
): Promise<string> {
  const id = newId()
  const now = clock()
  const row = {
    id,
    job_id: jobId,
    mode,
    reader,
    outcome: 'running',
    counts: '{}',
    started_at: now.toISOString(),
  }
  await store.transaction(async ({ dreamPasses }) => {
    await dreamPasses.insert({ ...row, calls: 0, tokens_input: 0, tokens_output: 0, cost: 0 })
    await dreamPasses.dropBefore(new Date(now.getTime() - keptMs).toISOString())
  })
  return id
}

export interface PassEnd {
  outcome: 'completed' | 'stopped' | 'failed'
  code: string | null
  durationMs: number
}

/** Writes down how a pass ended, with the event that counts it (knowledge.md#telemetry), in one transaction. */
export async function endPass(pass: Pass, { outcome, code, durationMs }: PassEnd): Promise<void> {
  const { deps, id, counts } = pass
  const ended_at = deps.clock().toISOString()
  const told: { event: RecordedEvent | undefined } = { event: undefined }
  await deps.store.transaction(async tables => {
    const end = { outcome, outcome_code: code, counts: JSON.stringify(counts), ended_at }
    await tables.dreamPasses.update(id, end)
    if (outcome === 'completed') {
      await tables.meta.noteDone('dreaming', ended_at)
      await noteFrontier(tables.meta, 'dream-seen', pass.isShadow, String(await tables.meta.lastChange()))
    }
    const row = await tables.dreamPasses.find(id)
    told.event = await recordEvent(deps, tables, {
      event: 'dreaming.pass',
      properties: {
        mode: pass.isShadow ? 'shadow' : 'controlled-write',
        reader: pass.reader.name === 'deterministic' ? 'deterministic' : 'provider',
        outcome,
        outcomeCode: code,
        durationMs,
        toolCalls: row?.calls ?? 0,
        tokensInput: row?.tokens_input ?? 0,
        tokensOutput: row?.tokens_output ?? 0,
        cost: row ? row.cost : null,
        coverage: coverageOf(row),
        artifactsConsidered: counts.get('pieces'),
        ...Object.fromEntries(
          [
            'memoriesCreated',
            'memoriesSuperseded',
            'memoriesRetired',
            'claimsChanged',
            'relationshipsChanged',
            'provenanceLinksChanged',
          ].map(name => [name, counts.get(name)]),
        ),
      },
    })
  })
  await writeEvent(deps, told.event)
}

/** Where the cost comes from: a pass that asked no model cost nothing. */
function coverageOf(row: { calls: number; cost_coverage: string | null } | undefined): string {
  if (!row || row.calls === 0) return 'local_zero_cost'
  return row.cost_coverage ?? 'unavailable'
}
