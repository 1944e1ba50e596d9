import type { Reply } from '../../../contract/api.js'
import { labelOf } from '../../../lib/text/labels.js'
import { shortId } from '../../../lib/text/uuid.js'
import { formatShortAge } from '../../../lib/time/age.js'
import { formatTable } from '../../terminal/output.js'
import { plainLine } from '../../terminal/text.js'
import type { DocumentView } from '../documents/document-text.js'

export type Proposal = Reply<'GET /api/ontology/proposals'>['proposals'][number]
type Change = Pick<Proposal, 'operation' | 'payload' | 'names'>

/**
 * Formats proposals as a table; `tabs` gives tab-separated fields for pipes: id, createdAt, status,
 * operation, change.
 */
export function proposalTable(
  proposals: readonly Proposal[],
  { colors, now, tabs }: DocumentView & { tabs: boolean },
): string {
  const rows = proposals.map(proposal => [
    tabs ? proposal.id : shortId(proposal.id),
    tabs ? proposal.createdAt : formatShortAge(proposal.createdAt, now),
    tabs ? proposal.status : statusText(proposal),
    tabs ? proposal.operation : labelOf('operation', proposal.operation),
    plainLine(changeText(proposal) + (proposal.before === null ? '' : ` (now: ${proposal.before})`)),
  ])
  if (tabs) return rows.map(row => row.join('\t')).join('\n')
  return formatTable(['ID', 'AGE', 'STATUS', 'CHANGE', 'DETAILS'], rows, colors)
}

/** Returns why a proposal is blocked, or else its status. */
export function statusText({ blockedReason, status }: Pick<Proposal, 'blockedReason' | 'status'>): string {
  return blockedReason === null ? status : labelOf('blockedReason', blockedReason)
}

/** Sentence for each operation, with the names of its entities. */
const sentences: Readonly<Record<string, (of: (field: string) => string) => string>> = {
  create_entity: of =>
    [`${of('name')} (${of('type')})`, listed('also', of('aliases'))].filter(Boolean).join(', '),
  add_alias: of => `${of('entity')} is also called ${of('alias')}`,
  retire_alias: of => `${of('entity')} is no longer called ${of('alias')}`,
  merge_entities: of => `${of('from')} becomes part of ${of('into')}`,
  split_entity: of => `${of('name')} becomes an entity of its own, split from ${of('entity')}`,
  assert_claim: of => `${slotOf(of)}: ${valueText(of)}`,
  supersede_claim: of => `${of('version')}: ${valueText(of)}`,
  retract_claim: of => `${of('version')} is removed`,
  link: of => [`${of('from')} ${of('relation')} ${of('to')}`, period(of)].filter(Boolean).join(', '),
  unlink: of => `${of('link')} is removed`,
  add_memory: of => [of('content'), listed('tags', of('tags'))].filter(Boolean).join(', '),
  supersede_memory: of => `replaced by: ${of('supersededBy')}`,
  forget_memory: of => `forgotten: ${of('memory')}`,
}

/** Describes the effect of a proposal in one line, with names instead of ids if the reader may see them. */
export function changeText({ operation, payload, names }: Change): string {
  const of = (field: string): string => {
    const value = payload[field]
    if (value === null || value === undefined) return ''
    return names[String(value)] ?? (Array.isArray(value) ? value.join(', ') : String(value))
  }
  const sentence = sentences[operation]
  if (sentence) return sentence(of)
  return Object.keys(payload)
    .map(field => `${field} ${of(field)}`)
    .join(', ')
}

function slotOf(of: (field: string) => string): string {
  const group = of('group') === 'general' ? '' : of('group')
  return [of('entity'), of('aspect'), group, of('claim')].filter(Boolean).join(' > ')
}

function valueText(of: (field: string) => string): string {
  return [of('value'), period(of)].filter(Boolean).join(', ')
}

function period(of: (field: string) => string): string {
  const [from, until] = [of('validFrom'), of('validUntil')]
  return [from && `from ${from}`, until && `until ${until}`].filter(Boolean).join(' ')
}

function listed(title: string, values: string): string {
  return values === '' ? '' : `${title} ${values}`
}
