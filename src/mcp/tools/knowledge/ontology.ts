import { ClientError } from '../../../client/http/client-error.js'
import type { Reply } from '../../../contract/api.js'
import * as contract from '../../../contract/mcp/knowledge.js'
import { labelOf } from '../../../lib/text/labels.js'
import { label, oneLine } from '../../../lib/text/one-line.js'
import { type Tool, tool } from '../../tool/tool.js'

type Explanation = Reply<'GET /api/ontology/claims/explain'>
type Version = Explanation['versions'][number]

const maxText = 300

const explainClaim = tool({
  name: 'service_explain_claim',
  title: 'Explain a fact',
  description:
    'Show the evidence of a fact: values, quotes, premises. Trust it only if integrity.status is verified.',
  tier: 'extra',
  effect: 'reads',
  input: contract.explainClaimInput,
  output: contract.explainClaimOutput,
  remedies: {
    not_found: 'No fact has these names; find it with memory_search.',
    evidence_mismatch: 'Do not use this fact; tell the user that its sources do not support it.',
    forbidden: 'Do not use this fact: you have no access to its sources.',
  },
  run: async (call, input) => {
    const found = await call('GET /api/ontology/claims/explain', { query: input })
    if (found.integrity.status === 'broken') throw mismatch(found)
    return { text: textOf(found), data: found }
  },
})

/**
 * Creates the error for quotes that do not occur in their sources; a fact with such quotes is not returned at
 * all (mcp.md 4.9).
 */
function mismatch({ claim, integrity }: Explanation): ClientError {
  const sources = integrity.problems.flatMap(({ sourceId }) => sourceId ?? []).join(', ')
  const name = `${label(claim.entity)} > ${label(claim.key)}`
  return new ClientError(`quotes for ${name} do not occur in their sources: ${sources}`, {
    code: 'evidence_mismatch',
  })
}

function textOf({ claim, versions, contradictions, premises, integrity, truncated }: Explanation): string {
  const path = [claim.entity, claim.aspect, claim.group, claim.key].map(part => label(part)).join(' > ')
  const others = contradictions.map(({ value }) => valueText(value)).join('; ')
  return [
    `${path} (integrity: ${integrity.status})`,
    ...versions.flatMap(linesOf),
    ...(others === '' ? [] : [`contradicted by: ${others}`]),
    ...premises.map(
      one => `derived from ${label(one.entity)} > ${label(one.claim)}: ${valueText(one.value)}`,
    ),
    ...(truncated ? ['More exist; the result is limited.'] : []),
  ].join('\n')
}

function linesOf({ value, status, recordedAt, evidence }: Version): string[] {
  const quotes = evidence.flatMap(({ quote, sourceKind, sourceId, state }) =>
    quote === null
      ? []
      : [
          `   "${oneLine(quote, maxText)}" (${labelOf('evidenceSource', sourceKind)} ${label(sourceId ?? '')}, ${labelOf('evidenceState', state)})`,
        ],
  )
  return [`- ${valueText(value)} [${status}, since ${recordedAt}]`, ...quotes]
}

function valueText(value: string | null): string {
  return value === null ? '(no readable source)' : oneLine(value, maxText)
}

/** Tools on the knowledge graph (mcp.md 4.9). */
export const ontologyTools: readonly Tool[] = [explainClaim]
