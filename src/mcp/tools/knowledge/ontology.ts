import { ClientError } from '../../../client/http/client-error.js'
import type { Reply } from '../../../contract/api.js'
import * as contract from '../../../contract/mcp/knowledge.js'
import { label, oneLine } from '../../../lib/text/one-line.js'
import { type Tool, tool } from '../../tool/tool.js'

type Explanation = Reply<'GET /api/ontology/claims/explain'>
type Version = Explanation['versions'][number]

const maxText = 300

const explainClaim = tool({
  name: 'service_explain_claim',
  title: 'Explain a claim',
  description:
    'Why something is held to be so: values, quotes, contradictions, premises. Believe it only if integrity.status is verified.',
  tier: 'extra',
  effect: 'reads',
  input: contract.explainClaimInput,
  output: contract.explainClaimOutput,
  remedies: {
    not_found: 'Nothing is known under these names; look for it with memory_search.',
    evidence_mismatch: 'Do not use this claim; tell the user that its sources do not say it.',
    forbidden: 'This claim rests on what you may not read: do not use it.',
  },
  run: async (call, input) => {
    const found = await call('GET /api/ontology/claims/explain', { query: input })
    if (found.integrity.status === 'broken') throw mismatch(found)
    return { text: textOf(found), data: found }
  },
})

/** A source that does not say what it is quoted for is an error, no answer with a flaw (mcp.md 4.9). */
function mismatch({ claim, integrity }: Explanation): ClientError {
  const sources = integrity.problems.flatMap(({ sourceId }) => sourceId ?? []).join(', ')
  const name = `${label(claim.entity)} > ${label(claim.key)}`
  return new ClientError(`the sources of ${name} do not say what they are quoted for: ${sources}`, {
    code: 'evidence_mismatch',
  })
}

function textOf({ claim, versions, contradictions, premises, integrity, truncated }: Explanation): string {
  const path = [claim.entity, claim.aspect, claim.group, claim.key].map(part => label(part)).join(' > ')
  const others = contradictions.map(({ value }) => said(value)).join('; ')
  return [
    `${path} (integrity: ${integrity.status})`,
    ...versions.flatMap(linesOf),
    ...(others === '' ? [] : [`contradicted by: ${others}`]),
    ...premises.map(one => `rests on ${label(one.entity)} > ${label(one.claim)}: ${said(one.value)}`),
    ...(truncated ? ['There is more than the limits let through.'] : []),
  ].join('\n')
}

function linesOf({ value, status, recordedAt, evidence }: Version): string[] {
  const quotes = evidence.flatMap(({ quote, sourceKind, sourceId, state }) =>
    quote === null
      ? []
      : [`   "${oneLine(quote, maxText)}" (${sourceKind} ${label(sourceId ?? '')}, ${state})`],
  )
  return [`- ${said(value)} [${status}, since ${recordedAt}]`, ...quotes]
}

function said(value: string | null): string {
  return value === null ? '(no source may be read any more)' : oneLine(value, maxText)
}

/** Tools over what is known of entities (mcp.md 4.9). */
export const ontologyTools: readonly Tool[] = [explainClaim]
