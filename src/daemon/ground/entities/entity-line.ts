import { harmless } from '../../../lib/text/harmless.js'
import { factText } from '../../../lib/text/labels.js'
import { label, unscannedLine } from '../../../lib/text/one-line.js'
import { beginningOf, withoutSecrets } from '../../../lib/text/without-secrets.js'
import type { CurrentValue } from '../../../store/tables/knowledge/claims.js'
import { withoutPrivate } from '../text/private-spans.js'

/** Maximum UTF-16 units of a value in a line. */
const maxValue = 300

/**
 * Renders an entity and its facts as one line for models, without credentials and escaped so that it cannot
 * close one of our tags.
 */
export function entityLine(
  { name, entity_type }: { name: string; entity_type: string },
  values: readonly Pick<CurrentValue, 'aspect' | 'group_name' | 'claim' | 'value'>[],
): string {
  const facts = values.map(({ aspect, group_name, claim, value }) => {
    const safe = withoutSecrets(beginningOf(withoutPrivate(value), maxValue))
    const said = unscannedLine(safe, maxValue)
    // A value that repeats the name of its claim reads as a sentence by itself.
    if (factText({ group: group_name, claim, value }) === value) return said
    const slot = [aspect, group_name === 'general' ? '' : group_name, claim].filter(Boolean)
    return slot.length === 0 ? said : `${slot.map(part => label(part)).join(' ')}: ${said}`
  })
  // Several projects may state the same fact.
  return harmless(`${label(name)} (${label(entity_type)}): ${[...new Set(facts)].join('; ')}`)
}
