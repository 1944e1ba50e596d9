import { phrasalVerbs } from '../words/classes.js'
import { formsOf } from './tag.js'
import { type Token, textOf } from './tokens.js'

const ends = new Set([
  'without',
  'before',
  'after',
  'unless',
  'until',
  'because',
  'when',
  'if',
  'except',
  'since',
  'while',
  'so',
  'once',
  'whenever',
  'so that',
  'even if',
  'because of',
  'rather than',
  'during',
])
const longest = 7
/** From here on a preposition ends the title. */
const enough = 4

/** Names a statement by its first words, cut between phrases: `deploy on Friday`. */
export function titleOf(given: readonly Token[], text: string, { keeps = '' } = {}): string {
  // `If X is down, Y answers 503`: what follows the condition.
  const comma = /^(?:if|when|whenever|once|while)$/u.test(given[0]?.lower ?? '')
    ? given.findIndex(({ text: mark }) => mark === ',')
    : -1
  const tokens = comma > 0 ? given.slice(comma + 1) : given
  const kept: Token[] = []
  let count = 0
  for (const token of tokens) {
    const isCut = ends.has(token.lower) && token.lower !== keeps && kept.length > 1
    const isMark = token.kind === 'mark' && /^(?:[,;:.!?]|—|–)$/u.test(token.text)
    if (isCut || (isMark && kept.length > 0)) break
    if (isMark) continue
    const isPreposition = token.cls === 'preposition' || token.cls === 'to'
    if ((isPreposition && count >= enough) || count >= longest) break
    if (token.kind === 'version' || token.kind === 'date') continue
    kept.push(token)
    if (token.cls !== 'determiner' && token.lower !== 'of') count++
  }
  while (
    kept.length > 1 &&
    [
      'preposition',
      'to',
      'determiner',
      'conjunction',
      'adverb',
      'be',
      'modal',
      'adjective',
      'possessive',
      'subordinator',
    ].includes(kept.at(-1)?.cls ?? '') &&
    !isMeaningful(kept.at(-1) as Token) &&
    !endsInParticle(kept)
  )
    kept.pop()
  return textOf(kept, text)
    .replace(/^(?:the|a|an|our) /iu, '')
    .replace(/\s+/gu, ' ')
    .trim()
}

/** An adjective after a form of `be` is what is said: `the test is flaky`. */
function isMeaningful({ cls }: Token): boolean {
  return cls === 'adjective'
}

/** `the export times out`: the particle belongs to the verb. */
function endsInParticle(tokens: readonly Token[]): boolean {
  const verb = tokens.at(-2)
  return (
    verb !== undefined &&
    formsOf(verb).some(({ lemma }) => phrasalVerbs.has(`${lemma} ${tokens.at(-1)?.lower}`))
  )
}
