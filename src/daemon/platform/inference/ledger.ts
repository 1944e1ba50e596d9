import type { InferenceUse } from '../../../contract/ground/inference.js'
import type { EventProperties } from '../../../contract/operations/telemetry/telemetry-events.js'
import type { Ground } from '../../ground/ground.js'
import { sumOf } from '../../ground/inference/accounting.js'
import {
  InferenceFault,
  type ModelUsage,
  type Question,
  type QuestionRecord,
  type RequestRecord,
} from '../../ground/inference/inference.js'
import { noteEvents } from '../../ground/recording/record-event.js'
import type { TelemetryEvent } from '../../ground/telemetry/event-recorder.js'

export type LedgerDeps = Pick<
  Ground,
  'store' | 'configuration' | 'environment' | 'clock' | 'paths' | 'log' | 'sessionCosts'
>

/** Records one question: its events (rules.md 6) and its part of the daily counts (inference.md#limits). */
export function openEntry(deps: LedgerDeps, question: Question<unknown>): QuestionRecord {
  const { use, maxTokensPerDay, hasFallback, asker } = question
  const day = deps.clock().toISOString().slice(0, 10)
  const requests: RequestRecord[] = []
  const events: TelemetryEvent[] = [{ event: 'inference.route', properties: { use } }]
  const spent = (): ModelUsage | undefined => {
    const known = requests.flatMap(request => request.spent ?? [])
    return known.length > 0 ? known.reduce(sumOf) : undefined
  }
  return {
    reserve: async tokens => {
      const { store, clock } = deps
      const reserved = await store.write({ until: 'committed' }, async ({ inferenceUsage }) => {
        await inferenceUsage.forgetOld(clock().toISOString())
        return inferenceUsage.reserve(day, use, tokens, maxTokensPerDay)
      })
      if (!reserved)
        throw new InferenceFault(
          'spent',
          `the daily limit of ${maxTokensPerDay} tokens for ${use} is used up, or too few are left; it resets at 00:00 UTC`,
        )
    },
    sent: request => {
      requests.push(request)
      events.push({ event: 'llm.generate', properties: requestProperties(use, request) })
    },
    fellBack: () => {
      events.push({ event: 'inference.fallback', properties: { use, reason: 'schema_refused' } })
    },
    spent,
    end: async ({ durationMs, fault }) => {
      const cost = spent()
      if (cost && asker?.sessionKey)
        deps.sessionCosts.add({ agentId: asker.agentId, sessionKey: asker.sessionKey }, cost)
      const outcome = fault === undefined ? 'ok' : fault === 'cancelled' ? 'cancelled' : 'error'
      const reason = fault instanceof InferenceFault ? fault.kind : null
      events.push({
        event: 'inference.execute',
        properties: { use, outcome, reason, requests: requests.length, durationMs: rounded(durationMs) },
      })
      if (fault !== undefined && hasFallback)
        events.push({ event: 'inference.fallback', properties: { use, reason: reason ?? 'cancelled' } })
      await noteEvents(deps, events, async ({ inferenceUsage }) => {
        for (const request of requests) await inferenceUsage.add(day, use, changeBy(request))
      })
    },
  }
}

/** The effect of a request on the counts: real tokens replace the reserved ones. */
function changeBy({ outcome, reserved, spent, isFree }: RequestRecord) {
  const { inputTokens = 0, outputTokens = 0, cost } = spent ?? {}
  return {
    calls: 1,
    failures: outcome === 'ok' ? 0 : 1,
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    counted_tokens: spent ? inputTokens + outputTokens - reserved : isFree ? -reserved : 0,
    cost: cost ?? 0,
    unpriced_calls: (spent ? cost === null : !isFree) ? 1 : 0,
  }
}

/** Counts and fixed words only: no text, model name or key. */
function requestProperties(
  use: InferenceUse,
  { outcome, durationMs, spent, isFree }: RequestRecord,
): EventProperties<'llm.generate'> {
  return {
    use,
    outcome,
    inputTokens: spent?.inputTokens ?? (isFree ? 0 : null),
    outputTokens: spent?.outputTokens ?? (isFree ? 0 : null),
    cacheReadTokens: spent?.cacheReadTokens ?? null,
    cacheWriteTokens: spent?.cacheWriteTokens ?? null,
    durationMs: rounded(durationMs),
    cost: spent?.cost ?? (isFree ? 0 : null),
    tokenCoverage: spent?.tokenCoverage ?? 'unavailable',
    costCoverage: spent?.costCoverage ?? 'unavailable',
  }
}

function rounded(ms: number): number {
  return Math.round(ms)
}
