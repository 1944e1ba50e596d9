import {
  type CoverageWord,
  coverageWords,
  type EventProperties,
} from '../../../../contract/operations/telemetry/telemetry-events.js'
import type { DreamPassRow } from '../../../../store/tables/knowledge/dream-passes.js'
import type { NewEvent } from '../../../../store/tables/operations/telemetry.js'
import { recordEvent, writeEvent } from '../../../ground/recording/record-event.js'
import { noteFrontier } from '../evidence/evidence.js'
import type { Counts, DreamingPass, DreamingPassDeps } from './pass.js'

/** Records of passes are deleted after this time. */
const recordLifetimeMs = 30 * 86_400_000

/**
 * Records the start of a pass.
 * @returns its id
 */
export async function beginPass(
  { store, clock, newId }: DreamingPassDeps,
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
    await dreamPasses.dropBefore(new Date(now.getTime() - recordLifetimeMs).toISOString())
  })
  return id
}

export interface DreamingPassEnd {
  outcome: 'completed' | 'stopped' | 'failed'
  code: string | null
  durationMs: number
}

/** Records the end of a pass and its telemetry event (knowledge.md#telemetry) in one transaction. */
export async function endPass(
  pass: DreamingPass,
  { outcome, code, durationMs }: DreamingPassEnd,
): Promise<void> {
  const { deps, id, counts } = pass
  const ended_at = deps.clock().toISOString()
  let event: NewEvent | undefined
  await deps.store.transaction(async tables => {
    const end = { outcome, outcome_code: code, counts: JSON.stringify(counts), ended_at }
    await tables.dreamPasses.update(id, end)
    if (outcome === 'completed') {
      await tables.meta.noteDone('dreaming', ended_at)
      await noteFrontier(tables.meta, 'dream-seen', pass.isShadow, String(await tables.meta.lastChange()))
    }
    const row = await tables.dreamPasses.find(id)
    const properties = { ...propertiesOf(pass, row), outcome, outcomeCode: code, durationMs }
    event = await recordEvent(deps, tables, { event: 'dreaming.pass', properties })
  })
  await writeEvent(deps, event)
}

type PassProperties = Omit<EventProperties<'dreaming.pass'>, 'outcome' | 'outcomeCode' | 'durationMs'>

function propertiesOf(pass: DreamingPass, row: DreamPassRow | undefined): PassProperties {
  const { counts, budget, isShadow, reader, deps } = pass
  const { provider, model } = deps.configuration().settings.inference
  const isByRules = reader.name === 'deterministic'
  return {
    mode: isShadow ? 'shadow' : 'controlled-write',
    reader: isByRules ? 'deterministic' : 'provider',
    provider: isByRules ? 'none' : provider,
    model: isByRules ? null : reportedModel(model),
    workloadClass: workloadOf(counts),
    toolCalls: row?.calls ?? 0,
    tokensInput: row?.tokens_input ?? 0,
    tokensOutput: row?.tokens_output ?? 0,
    ...budget.told(),
    cost: row ? row.cost : null,
    coverage: coverageOf(row),
    artifactsConsidered: counts.get('pieces'),
    memoriesCreated: counts.get('memoriesCreated'),
    memoriesUpdated: counts.get('memoriesUpdated'),
    memoriesSuperseded: counts.get('memoriesSuperseded'),
    memoriesRetired: counts.get('memoriesRetired'),
    claimsChanged: counts.get('claimsChanged'),
    relationshipsChanged: counts.get('relationshipsChanged'),
    provenanceLinksChanged: counts.get('provenanceLinksChanged'),
  }
}

/**
 * Reports model names in the usual form only; anything else in the settings, such as a path, is reported as
 * "other".
 */
function reportedModel(model: string | undefined): string | null {
  if (model === undefined) return null
  return /^[a-z0-9][\w.:-]{0,39}(?:\/[a-z0-9][\w.:-]{0,38})?$/iu.test(model) ? model : 'other'
}

/** Classifies a pass by its texts: one kind, several, or none besides reviews. */
function workloadOf(counts: Counts): PassProperties['workloadClass'] {
  const kinds = (['memories', 'conversations', 'artifacts'] as const).filter(kind => counts.get(kind) > 0)
  if (kinds.length > 1) return 'mixed'
  return kinds[0] ?? 'reviews'
}

/** Returns the source of the cost; a pass without model calls cost nothing. */
function coverageOf(row: Pick<DreamPassRow, 'calls' | 'cost_coverage'> | undefined): CoverageWord {
  if (!row || row.calls === 0) return 'local_zero_cost'
  return coverageWords.find(word => word === row.cost_coverage) ?? 'unavailable'
}
