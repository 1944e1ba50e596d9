import type { Reply } from '../../../contract/api.js'
import { countOf } from '../../../lib/text/count-of.js'

type Stats = Reply<'GET /api/telemetry/stats'>

/** The statistics of events in a few lines; what never happened is left out. */
export function statsFields(stats: Stats): [string, string][] {
  const { llm, embedding, dreaming, sessions, recall, pipelineOperations } = stats
  const { attempted, returned, delivered } = recall.outcomes
  const types = recall.byType.map(({ type, calls }) => `${type} ${calls}`).join(', ')
  const fields: [string, number, string][] = [
    ['recalls', recall.calls, `${recall.calls} (${types}), ${times(recall)}`],
    ['looked for', attempted, `${attempted}, handed back ${returned}, put to use ${delivered}`],
    [
      'model',
      llm.calls,
      `${failing(llm)}, ${tokensAndCost(llm.totalInputTokens, llm.totalOutputTokens, llm.totalCost)}, ${times(llm)}`,
    ],
    [
      'vectors',
      embedding.calls,
      `${countOf(embedding.calls, 'call')}, ${embedding.totalTokens} tokens by estimate`,
    ],
    ['dreaming', dreaming.calls, dreamingText(dreaming)],
    ['sessions', sessions.ended, `${sessions.ended} ended`],
    ['background', pipelineOperations.total, backgroundText(stats)],
  ]
  const told = fields.filter(([, count]) => count > 0).map(([name, , text]): [string, string] => [name, text])
  return [['counted', `${countOf(stats.totalEvents, 'event')} since ${stats.countedFrom}`], ...told]
}

function failing({ calls, errors }: Stats['llm']): string {
  return `${countOf(calls, 'request')}${errors > 0 ? `, ${errors} failed` : ''}`
}

function times({ p50, p95 }: { p50: number | null; p95: number | null }): string {
  return p50 === null ? 'no times' : `half within ${p50} ms, 95 % within ${p95} ms`
}

function tokensAndCost(input: number, output: number, cost: number): string {
  return `${input} tokens in, ${output} out, $${cost.toFixed(4)}`
}

function dreamingText({ calls, claimsChanged, tokensInput, tokensOutput, cost }: Stats['dreaming']): string {
  const passes = countOf(calls, 'pass', 'passes')
  return `${passes}, ${countOf(claimsChanged, 'claim')} changed, ${tokensAndCost(tokensInput, tokensOutput, cost)}`
}

function backgroundText({ pipelineOperations: { total, incidents }, pipelineErrorsByStage }: Stats): string {
  const stages = Object.entries(pipelineErrorsByStage).map(([stage, count]) => `${stage} ${count}`)
  const failed = incidents > 0 ? `, ${incidents} failed (${stages.join(', ')})` : ', none failed'
  return `${countOf(total, 'operation')}${failed}`
}
