import { type NamedThing, user } from './reading.js'
import { afterVerb, endOf, type SpokenClause } from './spoken-clause.js'
import { named } from './statements.js'
import { isPerson } from './syntax/phrases.js'
import { titleOf } from './syntax/titles.js'
import { textOf } from './syntax/tokens.js'

const liking = new Set(['prefer', 'favour', 'favor', 'like', 'love', 'want', 'enjoy', 'dislike', 'hate'])

const comparedFirst = /^\p{Lu}[\p{L}\d-]* (?:need|want|have|use|get|see|expect|require|must|can|will|are)\b/u

/** Nouns for people, unlike `services like billing`. */
export const peopleOf = /(?:[^u]ers|ors|ants|ents|ates|ists|ians|ees|people|folks)$/u

/** `Lena prefers X over Y`, `I would rather …`. A wish (`wants`) may be temporary, so it is only proposed. */
export function readPreference(spoken: SpokenClause): boolean {
  const { verb, subject, reading, sentence, clause } = spoken
  const isRather = verb.modal === 'would rather'
  // `I can't bear blueprints`
  const isHated = verb.modal === 'can' && verb.negation && /^(?:stand|bear|abide)$/u.test(verb.lemma)
  const isLiked = liking.has(verb.lemma) && (!verb.modal || verb.modal === 'will')
  if (!isRather && !isHated && (!isLiked || verb.isPassive || verb.isImperative)) return false
  if (
    !subject ||
    (subject.phrase.isPronoun && !subject.isUser && !subject.isProject && subject.thing.type !== 'person')
  )
    return false
  const isGroup = isGroupOfPeople(spoken)
  const isPersonal =
    subject.isUser ||
    subject.isProject ||
    isGroup ||
    likingOf(spoken)?.type === 'person' ||
    subject.thing.type === 'agent' ||
    /\b(?:team|client|customer)\b/u.test(subject.phrase.name)
  if (!isPersonal) return false
  // `The user wants me to write tests first`: how the agent has to work.
  const isForAgent = sentence[verb.end]?.lower === 'me' && sentence[verb.end + 1]?.cls === 'to'
  const isCase = /^it (?:when|if)$/u.test(`${sentence[verb.end]?.lower} ${sentence[verb.end + 1]?.lower}`)
  // `I prefer that you ask`
  const isAsked = sentence[verb.end]?.lower === 'that' && sentence[verb.end + 1]?.lower === 'you'
  const from = (isForAgent && subject.isUser) || isCase || isAsked ? verb.end + 2 : verb.end
  const told = sentence.slice(from, isCase ? sentence.length : clause.to)
  const isWish = ['want', 'like', 'love'].includes(verb.lemma) && told[0]?.cls === 'to'
  if (isWish || /^(?:it|that|this|me|you|them|if)$/u.test(told[0]?.lower ?? '')) return false
  reading.cues.add('preference')
  if (verb.lemma === 'want' && reading.context.isSpoken && subject.isUser) return true
  const person = likingOf(spoken)
  if (person?.type === 'person' && person.name !== user.name) reading.person = person
  const isAgainst =
    verb.negation !== undefined || verb.modal === 'can' || ['dislike', 'hate'].includes(verb.lemma)
  const own = `${isAgainst ? 'not ' : ''}${isRather ? `rather ${verb.word} ` : ''}${textOf(told.slice(0, endOf(told, told.length)), reading.text)}`
  const title = titleOf(told, reading.text, { keeps: 'rather than' })
  return reading.statement(
    isGroup ? reading.project : person && named(person),
    { aspect: 'preferences', attribute: title },
    isGroup ? reading.quote : own,
    { by: 'preference', isSure: verb.lemma !== 'want' || subject.isUser },
  )
}

/** `The drivers prefer …`, `the NOC likes …`: people without a name, so the project has the fact. */
function isGroupOfPeople(spoken: SpokenClause): boolean {
  const { subject, verb } = spoken
  if (!subject || subject.isUser || subject.isProject || subject.phrase.isPronoun) return false
  const { head, tokens, isProper } = subject.phrase
  const isPlural = /[^su]s$/u.test(head.lower) && !/s$/u.test(verb.word) && head.kind === 'word'
  if (/^(?:like|love)$/u.test(verb.lemma) && !peopleOf.test(head.lower)) return false
  // `Customers like Acme need SAML`: the verb follows.
  if (verb.lemma === 'like' && comparedFirst.test(afterVerb(spoken))) return false
  return tokens.length <= 2 && (isPlural || (isProper && /^\p{Lu}{2,5}$/u.test(head.text)))
}

function likingOf({ subject, verb }: SpokenClause): NamedThing | undefined {
  if (!subject || subject.isUser || subject.isProject || subject.thing.type === 'agent') return subject?.thing
  const { phrase, thing } = subject
  // `Urs dislikes …`: a capitalised word with a verb in the singular.
  const isOne =
    phrase.tokens.length === 1 &&
    !phrase.determiner &&
    /^\p{Lu}\p{Ll}+$/u.test(thing.name) &&
    !/(?:ing|ion|ment|er)$/u.test(thing.name) &&
    thing.type !== 'tool' &&
    /s$/u.test(verb.word)
  return { name: thing.name, type: isOne || isPerson(phrase, true) ? 'person' : thing.type }
}
