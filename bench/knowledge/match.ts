import { nameWords } from '../../src/daemon/ground/entities/name-key.js'
import type { ExtractedOperation } from '../../src/daemon/knowledge/dreaming/reader.js'

/** A fact that the rules drew, as subject, attribute and value. */
export interface DrawnFact {
  subject: string
  attribute: string
  value: string
  aspect: string
  isSure: boolean
  /** The fact as a person reads it. */
  line: string
}

/** @returns undefined for entities, which other operations name */
export function drawnFact({ operation, isSure }: ExtractedOperation): DrawnFact | undefined {
  const { payload } = operation
  const told = payload as Readonly<Record<string, string | undefined>>
  const { validFrom, validUntil } = told
  const time = `${validFrom ? ` since ${validFrom.slice(0, 10)}` : ''}${validUntil ? ` until ${validUntil.slice(0, 10)}` : ''}`
  const fact = (subject = '', attribute = '', value = '', aspect = '') => ({
    subject,
    attribute,
    value: `${value}${time}`,
    aspect,
    isSure,
    line: `${aspect ? `${subject} > ${aspect} > ${attribute}: ${value}` : `${subject} -- ${attribute} -> ${value}`}${time}${isSure ? '' : ' (proposed)'}`,
  })
  if (operation.operation === 'assert_claim') return fact(told.entity, told.claim, told.value, told.aspect)
  if (operation.operation === 'link') return fact(told.from, told.relation, told.to)
  if (operation.operation === 'add_alias') return fact(told.entity, 'also called', told.alias)
  return operation.operation === 'supersede_claim' ? fact(told.version, 'becomes', told.value) : undefined
}

/** The names under which an expected attribute may be stored. */
const names: Readonly<Record<string, RegExp>> = {
  uses: /uses|written in|runs on|depends on|is\b|rendered|sent|handled|done|served|shipped|based on|(?:with|via|over|through|(?<!replaced )by)$/u,
  'depends on': /depends on|uses|needs/u,
  'stored in': /stored in|located|kept|lives?|reported|goes to|url|place|path/u,
  'runs on': /runs on|hosted|deployed|located|uses/u,
  url: /url|address|host|located/u,
  address: /address|url|host|located/u,
  owner: /owner|owns|maintain|responsible|contact|lead|looks after/u,
  lead: /lead/u,
  role: /role|lead|on call|contact|designer/u,
  alias: /also called|alias|handle/u,
  replaced: /replaced by|takes over|replaces/u,
  rule: /^/u,
  version: /version/u,
  schedule: /schedule|runs|updated|retrained/u,
  retention: /retention|kept/u,
  limit: /limit|size|quota|max/u,
  region: /region|located|runs in/u,
  status: /status|removed|dropped/u,
  from: /from|source/u,
  speed: /speed|rate|runs at/u,
}
const aspects: Readonly<Record<string, RegExp>> = {
  rule: /rules/u,
  must: /rules/u,
  'must not': /rules/u,
  decision: /decisions/u,
  decided: /decisions/u,
  preference: /preferences/u,
  prefers: /preferences/u,
  problem: /problems/u,
  'known problem': /problems/u,
  learned: /lessons/u,
  'how to': /procedures/u,
}

/** True if one of the facts says what `subject > attribute > value` expects, perhaps in other words. */
export function isFound(expected: string, facts: readonly DrawnFact[]): boolean {
  const [subject = '', attribute = '', value = ''] = expected
    .replace(/^\?/u, '')
    .split(/(?:^| )[>|] /u)
    .map(part => part.trim())
  return facts.some(fact => {
    const whole = `${fact.subject} ${fact.attribute} ${fact.value}`
    const aspect = aspects[attribute]
    if (aspect) return aspect.test(fact.aspect) && has(value, whole) && has(subject, whole)
    const form = names[attribute] ?? new RegExp(attribute, 'iu')
    if (!form.test(fact.attribute.toLowerCase()) && !form.test(fact.aspect)) return false
    // Ownership may be told from either end.
    const isSwapped = attribute === 'owner' || attribute === 'role' || attribute === 'lead'
    if (isSwapped) return has(subject, whole) && has(value, whole)
    // `shop > PostgreSQL version` tells the version of PostgreSQL for shop.
    if (attribute === 'version' || attribute === 'since') return has(value, fact.value)
    return has(value, fact.value) && (subject === '' || has(subject, `${fact.subject} ${fact.attribute}`))
  })
}

function has(wanted: string, text: string): boolean {
  const words = nameWords(text).map(stem)
  const folded = text.toLowerCase()
  return nameWords(wanted)
    .filter(word => !/^(?:the|a|an|of|for)$/u.test(word))
    .every(word => words.includes(stem(word)) || folded.includes(word))
}

function stem(word: string): string {
  return word.replace(/(?:ing|ed|es|s|e)$/u, '')
}
