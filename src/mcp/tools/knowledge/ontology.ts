import { ClientError } from '../../../client/http/client-error.js'
import type { Reply } from '../../../contract/api.js'
import * as contract from '../../../contract/mcp/knowledge.js'
import { labelOf, projectNamer, sinceText } from '../../../lib/text/labels.js'
import { label, oneLine } from '../../../lib/text/one-line.js'
import { type Tool, tool } from '../../tool/tool.js'

type Description = Reply<'GET /api/ontology/entities/:id/about'>
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

/** Facts of a reply; more would cost a conversation too much. */
const maxFacts = 40

const about = tool({
  name: 'memory_about',
  title: 'About',
  description: 'Tell what is known about a person, project, tool or any name, with sources.',
  // The standard tools have no room for it within their limit of tokens.
  tier: 'rare',
  effect: 'reads',
  input: contract.aboutInput,
  output: contract.aboutOutput,
  remedies: { not_found: 'Try one of the names in the message, or memory_search.' },
  run: async (call, { name }) => {
    const found = await call('GET /api/ontology/entities/:id/about', {
      params: { id: name },
      query: { limit: maxFacts },
    })
    return { text: descriptionText(found), data: found }
  },
})

/** Formats what is known about an entity: facts by aspect with their sources, or what mentions it. */
export function descriptionText({ entity, groups, mentions, projects, total }: Description): string {
  const inProject = projectNamer(projects)
  const placeOf = (key: string | null) => (inProject(key) === '' ? '' : `in ${label(inProject(key))}, `)
  const also = entity.aliases.map(alias => label(alias)).join(', ')
  const shown = groups.reduce((sum, { facts }) => sum + facts.length, 0)
  const lines = groups.flatMap(({ aspect, facts }) => [
    `${label(aspect)}:`,
    ...facts.map(({ text, project, status, since, until, notedAt, sources }) => {
      const isOpen = status === 'contested' ? ', contradicted' : ''
      const source = sources[0] ? `, ${sources[0].kind} ${label(sources[0].id)}` : ''
      const when = sinceText({ since, until, notedAt })
      return `- ${oneLine(text, maxText)} (${placeOf(project)}${when}${isOpen}${source})`
    }),
  ])
  const said = mentions.map(
    ({ id, text, project }) => `- ${oneLine(text, maxText)} (${placeOf(project)}memory ${label(id)})`,
  )
  return [
    `${label(entity.name)} (${label(entity.type)})${also === '' ? '' : `, also ${also}`}`,
    ...lines,
    ...(lines.length === 0 ? said : []),
    ...(shown < total ? [`${total - shown} more facts are not shown.`] : []),
  ].join('\n')
}

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
export const ontologyTools: readonly Tool[] = [about, explainClaim]
