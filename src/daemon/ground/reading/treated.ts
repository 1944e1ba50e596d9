import { isMaking, readArgument } from './relations.js'
import { type Argument, argumentsIn, gapsOf, phrasesIn, type SpokenClause } from './spoken-clause.js'
import { isPerson, type Phrase, phrasesOf } from './syntax/phrases.js'

const storing = new Set([
  'store',
  'keep',
  'save',
  'hold',
  'persist',
  'cache',
  'archive',
  'put',
  'host',
  'deploy',
])

/**
 * `X stores its data in Y`, `we keep sessions in Y`, `Ann wrote the parser in Rust`: what the passive says of
 * the object.
 */
export function readTreated(spoken: SpokenClause): boolean {
  const { verb, subject, reading, direct, sentence, clause } = spoken
  const isMade = isMaking(verb)
  if ((!storing.has(verb.lemma) && !isMade) || verb.isImperative || !direct || !subject) return false
  if (!isMade && (verb.tense === 'past' || (isPerson(subject.phrase) && !subject.isProject))) return false
  const passive: SpokenClause = { ...spoken, verb: { ...verb, isPassive: true, tense: 'present' } }
  const isRead = readObject(passive, phrasesIn(reading, direct), spoken.args)
  const isGapRead = gapsOf(clause, sentence).map(gap => {
    const piece = sentence.slice(gap.begin, gap.to).filter(({ text }) => !/^[.,;]$/u.test(text))
    const at = piece.findIndex(({ cls }) => cls === 'preposition')
    return readObject(
      { ...passive, times: {} },
      phrasesOf(piece.slice(0, at), reading.text),
      argumentsIn(piece.slice(at)),
    )
  })
  return isRead || isGapRead.some(Boolean)
}

function readObject(spoken: SpokenClause, objects: readonly Phrase[], args: readonly Argument[]): boolean {
  const { reading, subject } = spoken
  const places = args.filter(({ preposition }) =>
    /^(?:in|on|at|under|into|with|to)$/u.test(preposition ?? ''),
  )
  return objects
    .flatMap(phrase => {
      const isOwn = /^(?:everything|data|state|results?|responses?|output|records|content)$/u.test(
        phrase.name,
      )
      // `its orders` names the orders.
      const named = isOwn ? subject : reading.subjectOf({ ...phrase, determiner: undefined })
      return named ? places.map(place => readArgument({ ...spoken, args }, named, place)) : []
    })
    .some(Boolean)
}
