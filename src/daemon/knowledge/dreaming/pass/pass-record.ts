import {
  type CoverageWord,
  coverageWords,
  type EventProperties,
} from '../../../../contract/operations/telemetry/telemetry-events.js'
import type { DreamPassRow } from '../../../../store/tables/knowledge/dream-passes.js'
import type { NewEvent } from '../../../../store/tables/operations/telemetry.js'
import { recordEvent, writeEvent } from '../../../ground/recording/record-event.js'
import { noteFrontier } from '../evidence/frontier.js'
import type { Counts, Pass, PassDeps } from './pass.js'

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
  let event: NewEvent | undefined
  await deps.store.transaction(async tables => {
    const end = { outcome, outcome_code: code, counts: JSON.stringify(counts), ended_at }
    await tables.dreamPasses.update(id, end)
    if (outcome === 'completed') {
      await tables.meta.noteDone('dreaming', ended_at)
      await noteFrontier(tables.meta, 'dream-seen', pass.isShadow, String(await tables.meta.lastChange()))
    }
    const row = await tables.dreamPasses.find(id)
    const properties = { ...toldOf(pass, row), outcome, outcomeCode: code, durationMs }
    event = await recordEvent(deps, tables, { event: 'dreaming.pass', properties })
  })
  await writeEvent(deps, event)
}

type Told = Omit<EventProperties<'dreaming.pass'>, 'outcome' | 'outcomeCode' | 'durationMs'>

function toldOf(pass: Pass, row: DreamPassRow | undefined): Told {
  const { counts, budget, isShadow, reader, deps } = pass
  const { provider, model } = deps.configuration().settings.inference
  const isByRules = reader.name === 'deterministic'
  return {
    mode: isShadow ? 'shadow' : 'controlled-write',
    reader: isByRules ? 'deterministic' : 'provider',
    provider: isByRules ? 'none' : provider,
    model: isByRules ? null : toldModel(model),
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

/** The name of a model as providers give them; whatever else the settings hold, a path for one, is not told. */
function toldModel(model: string | undefined): string | null {
  if (model === undefined) return null
  return /^[a-z0-9][\w.:-]{0,39}(?:\/[a-z0-9][\w.:-]{0,38})?$/iu.test(model) ? model : 'other'
}

/** What most of a pass was about: one kind of texts, several, or none but what waited to be looked at again. */
function workloadOf(counts: Counts): Told['workloadClass'] {
  const kinds = (['memories', 'conversations', 'artifacts'] as const).filter(kind => counts.get(kind) > 0)
  if (kinds.length > 1) return 'mixed'
  return kinds[0] ?? 'reviews'
}

/** Where the cost comes from: a pass that asked no model cost nothing. */
function coverageOf(row: Pick<DreamPassRow, 'calls' | 'cost_coverage'> | undefined): CoverageWord {
  if (!row || row.calls === 0) return 'local_zero_cost'
  return coverageWords.find(word => word === row.cost_coverage) ?? 'unavailable'
}
