import type { Reply } from '../../../contract/api.js'
import { countOf } from '../../../lib/text/count-of.js'

type Stats = Reply<'GET /api/telemetry/stats'>

/** Formats the event statistics in a few lines; events that never occurred are omitted. */
export function statsFields(stats: Stats): [string, string][] {
  const { llm, embedding, dreaming, sessions, recall, pipelineOperations } = stats
  const { attempted, returned, delivered } = recall.outcomes
  const types = recall.byType.map(({ type, calls }) => `${type} ${calls}`).join(', ')
  const fields: [string, number, string][] = [
    ['recalls', recall.calls, `${recall.calls} (${types}), ${times(recall)}`],
    ['outcomes', attempted, `${attempted} attempted, ${returned} returned, ${delivered} delivered`],
    [
      'model',
      llm.calls,
      `${failing(llm)}, ${tokensAndCost(llm.totalInputTokens, llm.totalOutputTokens, llm.totalCost)}, ${times(llm)}`,
    ],
    [
      'vectors',
      embedding.calls,
      `${countOf(embedding.calls, 'call')}, ${embedding.totalTokens} tokens (estimated)`,
    ],
    ['dreaming', dreaming.calls, dreamingText(dreaming)],
    ['sessions', sessions.ended, `${sessions.ended} ended`],
    ['background', pipelineOperations.total, backgroundText(stats)],
  ]
  const shown = fields
    .filter(([, count]) => count > 0)
    .map(([name, , text]): [string, string] => [name, text])
  return [['total', `${countOf(stats.totalEvents, 'event')} since ${stats.countedFrom}`], ...shown]
}

function failing({ calls, errors }: Stats['llm']): string {
  return `${countOf(calls, 'request')}${errors > 0 ? `, ${errors} failed` : ''}`
}

function times({ p50, p95 }: { p50: number | null; p95: number | null }): string {
  return p50 === null ? 'no timings' : `p50 ${p50} ms, p95 ${p95} ms`
}

function tokensAndCost(input: number, output: number, cost: number): string {
  return `${input} tokens in, ${output} out, $${cost.toFixed(4)}`
}

function dreamingText({ calls, claimsChanged, tokensInput, tokensOutput, cost }: Stats['dreaming']): string {
  const runs = countOf(calls, 'run')
  return `${runs}, ${countOf(claimsChanged, 'fact')} changed, ${tokensAndCost(tokensInput, tokensOutput, cost)}`
}

function backgroundText({ pipelineOperations: { total, incidents }, pipelineErrorsByStage }: Stats): string {
  const stages = Object.entries(pipelineErrorsByStage).map(([stage, count]) => `${stage} ${count}`)
  const failed = incidents > 0 ? `, ${incidents} failed (${stages.join(', ')})` : ', none failed'
  return `${countOf(total, 'operation')}${failed}`
}
