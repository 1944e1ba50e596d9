import type { Reply } from '../../../contract/api.js'
import { labelOf } from '../../../lib/text/labels.js'
import { shortId } from '../../../lib/text/uuid.js'
import { formatShortAge } from '../../../lib/time/age.js'
import { type Colors, formatFields, formatTable } from '../../terminal/output.js'
import { plainLine } from '../../terminal/text.js'
import type { DocumentView } from '../documents/document-text.js'

type Entity = Reply<'GET /api/ontology/entities'>['entities'][number]
type ShownEntity = Reply<'GET /api/ontology/entities/:id'>
type Neighbourhood = Reply<'GET /api/ontology/entities/:id/neighbourhood'>
type MemoryClaims = Reply<'GET /api/ontology/memories/:id/claims'>
type Explanation = Reply<'GET /api/ontology/claims/explain'>

/**
 * Formats entities as a table; `tabs` gives tab-separated fields for pipes: id, updatedAt, type, name,
 * aliases.
 */
export function entityTable(
  entities: readonly Entity[],
  { colors, now, tabs }: DocumentView & { tabs: boolean },
): string {
  const rows = entities.map(({ id, updatedAt, type, name, aliases }) => [
    tabs ? id : shortId(id),
    tabs ? updatedAt : formatShortAge(updatedAt, now),
    plainLine(type),
    plainLine(name),
    plainLine(aliases.join(', ')),
  ])
  if (tabs) return rows.map(row => row.join('\t')).join('\n')
  return formatTable(['ID', 'AGE', 'TYPE', 'NAME', 'ALIASES'], rows, colors)
}

/**
 * Formats links between entities by name; `tabs` gives tab-separated fields for pipes, with the ids of both
 * ends.
 */
export function neighbourhoodTable(
  { nodes, links }: Neighbourhood,
  { colors, tabs }: { colors: Colors; tabs: boolean },
): string {
  const names = new Map(nodes.map(({ id, name }) => [id, plainLine(name)]))
  const named = links.map(({ from, to, relation }) => {
    const ends = [names.get(from) ?? from, plainLine(relation), names.get(to) ?? to]
    return tabs ? [from, to, ...ends] : ends
  })
  if (tabs) return named.map(row => row.join('\t')).join('\n')
  return formatTable(['FROM', 'RELATION', 'TO'], named, colors)
}

/**
 * Formats the facts from a memory; `tabs` gives tab-separated fields for pipes: id, entity, slot, value,
 * status, quote.
 */
export function claimsTable(
  { claims }: MemoryClaims,
  { colors, tabs }: { colors: Colors; tabs: boolean },
): string {
  const rows = claims.map(({ id, entity, aspect, group, claim, value, status, quote }) => {
    const slot = [aspect, group, claim].map(plainLine).join(' > ')
    const cells = [plainLine(entity.name), slot, plainLine(value), status, `"${plainLine(quote)}"`]
    return tabs ? [id, ...cells] : cells
  })
  if (tabs) return rows.map(row => row.join('\t')).join('\n')
  return formatTable(['ENTITY', 'ATTRIBUTE', 'VALUE', 'STATUS', 'QUOTE'], rows, colors)
}

/** Formats an entity with its values and links. */
export function entityText({ entity, claims, links, truncated }: ShownEntity, colors: Colors): string {
  const head = formatFields(
    [
      ['id', entity.id],
      ['name', plainLine(entity.name)],
      ['type', plainLine(entity.type)],
      ['aliases', plainLine(entity.aliases.join(', ')) || '-'],
      ['mentions', entity.mentions === null ? '-' : String(entity.mentions)],
    ],
    colors,
  )
  const values = claims.map(({ aspect, group, claim, value, status, confidence, project }) => [
    plainLine(aspect),
    plainLine(group === 'general' ? claim : `${group}, ${claim}`),
    plainLine(value),
    status,
    confidence.toFixed(2),
    plainLine(project ?? '-'),
  ])
  const related = links.map(({ id, direction, relation, entity: other }) => [
    id,
    direction === 'to' ? plainLine(relation) : `is ${plainLine(relation)} of`,
    plainLine(other.name),
  ])
  return [
    head,
    values.length > 0 &&
      formatTable(['ASPECT', 'ATTRIBUTE', 'VALUE', 'STATUS', 'CONFIDENCE', 'PROJECT'], values, colors),
    related.length > 0 && formatTable(['ID', 'RELATION', 'ENTITY'], related, colors),
    truncated && colors.dim('There are more; only the first page is shown.'),
  ]
    .filter(Boolean)
    .join('\n\n')
}

/** Formats the evidence of a fact: each version with its quotes, then the facts it is derived from. */
export function explanationText(found: Explanation, colors: Colors): string {
  const { claim, versions, contradictions, competing, premises, reverse, integrity } = found
  const path = [claim.entity, claim.aspect, claim.group, claim.key].map(plainLine).join(' > ')
  const isGood = integrity.status === 'verified'
  const others = (title: string, values: readonly { value: string | null; id: string }[]) =>
    values.map(({ value, id }) => `${title}  ${valueText(value)}  ${colors.dim(id)}`)
  const related = (title: string, steps: Explanation['premises']) =>
    steps.map(
      step =>
        `${'  '.repeat(step.depth - 1)}${title}  ${plainLine(step.entity)} > ${plainLine(step.claim)}: ` +
        `${valueText(step.value)}  ${colors.dim(`${step.status}, ${labelOf('integrity', step.integrity)}`)}`,
    )
  return [
    `${path}  ${(isGood ? colors.green : colors.yellow)(labelOf('integrity', integrity.status))}`,
    ...versions.flatMap(version => versionLines(version, colors)),
    ...others('contradicted by', contradictions),
    ...others('in another project', competing),
    ...related('derived from', premises),
    ...related('basis of', reverse),
    ...integrity.problems.map(({ problem, sourceId }) =>
      colors.yellow(['problem', problem.replaceAll('_', ' '), sourceId].filter(Boolean).join('  ')),
    ),
    ...(found.truncated ? [colors.dim('There are more; the result is limited.')] : []),
  ].join('\n')
}

function versionLines(version: Explanation['versions'][number], colors: Colors): string[] {
  const { value, status, confidence, recordedAt, id, evidence } = version
  return [
    `\n${valueText(value)}  ${colors.dim(`${status}, confidence ${confidence.toFixed(2)}, since ${recordedAt}, ${id}`)}`,
    ...evidence.map(span => `  ${quoteLine(span)}`),
  ]
}

function valueText(value: string | null): string {
  return value === null ? '(hidden: its sources are not visible to you)' : plainLine(value)
}

type Span = Explanation['versions'][number]['evidence'][number]

/** Formats a quote with its source and its state. */
export function quoteLine({ quote, sourceKind, sourceId, state }: Span): string {
  const status = labelOf('evidenceState', state)
  const source = `${labelOf('evidenceSource', sourceKind)} ${plainLine(sourceId ?? '(not visible to you)')}`
  return quote === null ? `${status}: ${source}` : `"${plainLine(quote)}"  ${source}, ${status}`
}
