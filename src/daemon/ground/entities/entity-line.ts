import { harmless } from '../../../lib/text/harmless.js'
import { label, unscannedLine } from '../../../lib/text/one-line.js'
import type { CurrentValue } from '../../../store/tables/knowledge/claims.js'
import { withoutPrivate } from '../text/private-spans.js'

/** UTF-16 units of a value that a line holds. */
const maxValue = 300

/** What is known of an entity in one line, for models: reference that can't end an element of ours. */
export function entityLine(
  { name, entity_type }: { name: string; entity_type: string },
  values: readonly Pick<CurrentValue, 'aspect' | 'group_name' | 'claim' | 'value'>[],
): string {
  const facts = values.map(({ aspect, group_name, claim, value }) => {
    const slot = [aspect, group_name === 'general' ? '' : group_name, claim].filter(Boolean)
    return `${slot.map(part => label(part)).join(' ')}: ${unscannedLine(withoutPrivate(value), maxValue)}`
  })
  return harmless(`${label(name)} (${label(entity_type)}): ${facts.join('; ')}`)
}
