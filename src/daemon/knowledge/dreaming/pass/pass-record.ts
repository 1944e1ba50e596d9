import {
  type CoverageWord,
  coverageWords,
  type EventProperties,
} from '../../../../contract/operations/telemetry/telemetry-events.js'
import type { DreamPassRow } from '../../../../store/tables/knowledge/dreaming.js'
import type { NewEvent } from '../../../../store/tables/operations/telemetry.js'
import { weakerCost } from '../../../ground/inference/accounting.js'
import type { CostCoverage } from '../../../ground/inference/inference.js'
import { recordEvent, writeEvent } from '../../../ground/recording/record-event.js'
import type { Daemon } from '../../../platform/daemon/daemon.js'
import { noteFrontier } from '../evidence/evidence.js'
import type { ModelCall, PassBudget, PassTokens } from '../reader.js'
import type { Counts, DreamingPass, DreamingPassDeps } from './pass.js'

/** Records of passes are deleted after this time. */
const recordLifetimeMs = 30 * 86_400_000

/** Limits of model calls per pass, in number and time, because the lease of its job must not run out. */
const maxCalls = 20
const askingMs = 60_000

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

/**
 * Returns the tokens used by passes of this day (UTC). Each question is counted before it is asked, so an
 * interrupted one counts with its maximum (inference.md#limits).
 */
export async function spentToday({ store, clock }: Pick<Daemon, 'store' | 'clock'>): Promise<number> {
  const today = await store.tables.inferenceUsage.of(clock().toISOString().slice(0, 10))
  return today.find(({ purpose }) => purpose === 'dreaming')?.counted_tokens ?? 0
}

/** Returns the budget of a pass (knowledge.md#dreaming); each call is recorded before the next. */
export async function budgetOf(
  deps: Pick<Daemon, 'store' | 'clock' | 'configuration'>,
  passId: string,
): Promise<PassBudget & { told(): PassTokens }> {
  const { maxTokensPerPass, maxTokensPerDay } = deps.configuration().settings.dreaming
  const started = performance.now()
  const spent: { coverage?: CostCoverage } = {}
  const tokens = createPassTokens()
  const left = {
    tokens: Math.min(maxTokensPerPass, Math.max(0, maxTokensPerDay - (await spentToday(deps)))),
    calls: maxCalls,
  }
  return {
    tokensLeft: () => left.tokens,
    callsLeft: () => (performance.now() - started > askingMs ? 0 : left.calls),
    told: tokens.told,
    spend: async call => {
      const { inputTokens, outputTokens, cost, costCoverage } = call
      tokens.add(call)
      left.tokens = Math.max(0, left.tokens - inputTokens - outputTokens)
      left.calls = Math.max(0, left.calls - 1)
      spent.coverage = spent.coverage ? weakerCost(spent.coverage, costCoverage) : costCoverage
      const spending = {
        tokens_input: inputTokens,
        tokens_output: outputTokens,
        cost,
        cost_coverage: spent.coverage,
      }
      await deps.store.transaction(({ dreamPasses }) => dreamPasses.spend(passId, spending))
    },
  }
}

/**
 * Counts cache use: a read is a hit; a write without a read is a miss; anything else is unknown, because the
 * provider may have no cache (telemetry.md 4).
 */
function createPassTokens(): { add(call: ModelCall): void; told(): PassTokens } {
  const told: PassTokens = {
    tokensCacheRead: null,
    tokensCacheWrite: null,
    tokenCoverage: 'unavailable',
    cacheRequests: 0,
    cacheHits: 0,
    cacheMisses: 0,
    cacheUnknown: 0,
    cacheWrites: 0,
  }
  return {
    told: () => ({ ...told }),
    add: ({ cacheReadTokens: read, cacheWriteTokens: written, counted }) => {
      told.tokensCacheRead = read === null ? told.tokensCacheRead : (told.tokensCacheRead ?? 0) + read
      told.tokensCacheWrite =
        written === null ? told.tokensCacheWrite : (told.tokensCacheWrite ?? 0) + written
      // One estimated count makes the total an estimate.
      told.tokenCoverage = told.tokenCoverage === 'locally_estimated' ? told.tokenCoverage : counted
      told.cacheRequests++
      if (read) told.cacheHits++
      else if (written) told.cacheMisses++
      else told.cacheUnknown++
      if (written) told.cacheWrites++
    },
  }
}
