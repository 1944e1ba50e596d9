import type { Reply } from '../../../contract/api.js'
import { formatShortAge } from '../../../lib/time/age.js'
import { formatTable } from '../../terminal/output.js'
import { plainLine } from '../../terminal/text.js'
import type { DocumentView } from '../documents/document-text.js'

export type Proposal = Reply<'GET /api/ontology/proposals'>['proposals'][number]
type Change = Pick<Proposal, 'operation' | 'payload' | 'names'>

/** Proposals as a table; `tabs` gives tab-separated fields for pipes: id, createdAt, status, operation, change. */
export function proposalTable(
  proposals: readonly Proposal[],
  { colors, now, tabs }: DocumentView & { tabs: boolean },
): string {
  const rows = proposals.map(proposal => [
    proposal.id,
    tabs ? proposal.createdAt : formatShortAge(proposal.createdAt, now),
    tabs ? proposal.status : (proposal.blockedReason ?? proposal.status),
    proposal.operation,
    plainLine(changeText(proposal) + (proposal.before === null ? '' : ` (now: ${proposal.before})`)),
  ])
  if (tabs) return rows.map(row => row.join('\t')).join('\n')
  return formatTable(['ID', 'AGE', 'WHY', 'OPERATION', 'CHANGE'], rows, colors)
}

/** How each operation reads, by the names of what it is about. */
const sentences: Readonly<Record<string, (of: (field: string) => string) => string>> = {
  create_entity: of =>
    [`${of('name')} (${of('type')})`, listed('also', of('aliases'))].filter(Boolean).join(', '),
  add_alias: of => `${of('entity')} is also called ${of('alias')}`,
  retire_alias: of => `${of('entity')} is no longer called ${of('alias')}`,
  merge_entities: of => `${of('from')} becomes part of ${of('into')}`,
  assert_claim: of => `${slotOf(of)}: ${valueText(of)}`,
  supersede_claim: of => `${of('version')}: ${valueText(of)}`,
  retract_claim: of => `${of('version')} holds nothing`,
  link: of => [`${of('from')} ${of('relation')} ${of('to')}`, period(of)].filter(Boolean).join(', '),
  unlink: of => `no longer: ${of('link')}`,
  add_memory: of => [of('content'), listed('tags', of('tags'))].filter(Boolean).join(', '),
  supersede_memory: of => `replaced by: ${of('supersededBy')}`,
  forget_memory: of => `forgotten: ${of('memory')}`,
}

/** What a proposal would do, in one line: names in place of ids wherever the reader may be told them. */
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
