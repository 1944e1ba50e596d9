import { isGenericName } from '../../entities/low-signal.js'
import { isTool, languages } from '../words/names.js'
import { tag } from './tag.js'
import { tokensOf } from './tokens.js'

const unclean = new Set(['pronoun', 'relative', 'subordinator', 'be', 'modal', 'have', 'do', 'negation'])
const labels =
  /^(?:note|notes|todo|fixme|hint|warning|caution|attention|important|reminder|example|update|info|error|debug|decision|rule|problem|issue|bug|fix|workaround|lesson|learned|learning|fyi|nb|til|adr|rfc|pr|prs|ok|yes|no|tbd|etc|http|https|www|step|steps|procedure|release|thanks|today|spring|summer|autumn|winter|day|days|week|weeks|month|months|year|years|hour|hours|minute|minutes|second|seconds|time|people|person|everyone|nobody|part|parts|rest|lot|number|couple|bunch|set|kind|sort|way|variety|range|few|result|results|case|cases|thing|one|ones|others|both|all|some|none|same|name|names|it|us|them|readme|changelog|license|licence|todo list|run|fix|add|remove|update|use|make|set|merge|get|put)$/iu
const months =
  /^(?:\d{1,2}(?:st|nd|rd|th)?\.? (?:jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec)\p{Ll}*|(?:jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec)\p{Ll}* \d{1,2}|january|february|march|april|may|june|july|august|september|october|november|december|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|q[1-4])$/iu
/** Kinds of tokens that are values, not names of things. */
const values = new Set([
  'url',
  'path',
  'date',
  'time',
  'number',
  'quantity',
  'version',
  'flag',
  'code',
  'setting',
  'issue',
  'email',
  'host',
])
const longestName = 5
const fileName =
  /\.(?:md|txt|json|ya?ml|toml|ts|tsx|js|jsx|mjs|py|go|rs|java|kt|c|h|cpp|css|scss|html|sh|sql|csv|lock|cfg|ini|env|log|png|svg|xml|proto|tf|rb|php|swift|bin|h)$/iu

/** True if a phrase is a name that a person would write: no clause, clock, address or file is in it. */
export function isBelievable(name: string): boolean {
  if (name.length > 60 || labels.test(name) || months.test(name)) return false
  if (isTool(name)) return name.length > 1 || languages.has(name.toLowerCase())
  if (name.startsWith('.') || !/\p{L}.*\p{L}/u.test(name) || isGenericName(name) || fileName.test(name))
    return false
  if (
    /[“”"…<>{}|]|\be\.g|^(?:more|less|other|another|such|several|different|current|latest|last|previous|next|former|old|new|temporary|first|second|same|whole)\b/iu.test(
      name,
    )
  )
    return false
  const tokens = tokensOf(name)
  tag(tokens)
  if (tokens.length > longestName || tokens.length === 0) return false
  if (tokens.length === 1 && values.has(tokens[0]?.kind ?? '')) return false
  if (
    tokens.some(
      ({ kind, text }) =>
        kind === 'url' || kind === 'time' || kind === 'flag' || (kind === 'mark' && !/^[/&.+-]$/u.test(text)),
    )
  )
    return false
  if (tokens.some(({ cls, text }) => unclean.has(cls) && !/^\p{Lu}{2,}$/u.test(text))) return false
  // `restarting the worker`, `invoices on port 8081`
  if (
    tokens
      .slice(1)
      .some(
        ({ cls, lower }, at) =>
          (cls === 'determiner' && tokens[at]?.lower !== 'of') ||
          (cls === 'preposition' && !/^(?:of|for|per)$/u.test(lower)),
      )
  )
    return false
  const first = tokens[0]?.cls
  const last = tokens.at(-1)?.cls
  if (first === 'preposition' || first === 'to' || first === 'conjunction') return false
  return (
    !['preposition', 'to', 'conjunction', 'determiner', 'adverb', 'adjective'].includes(last ?? '') ||
    (tokens.length === 1 && last !== 'adjective' && last !== 'adverb')
  )
}

const unclear =
  /^(?:[=<>]=? |(?:us|them|me|you|him|it|its|their|his|her)\b)|^[,;]|^e\.g|\bin that\b|\b(?:it|you|we|they) (?:will|can|is|are|has|have)\b/iu

/** True if a value can be understood without the sentence around it. */
export function isClearValue(value: string): boolean {
  return value !== '' && value.length <= 160 && !unclear.test(value) && value.split(' ').length <= 16
}
