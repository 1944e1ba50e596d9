import { periodIn } from './reading.js'
import { isPart } from './related.js'
import { argumentWith, endOf, type SpokenClause } from './spoken-clause.js'
import { isPerson, type Phrase, phrasesOf } from './syntax/phrases.js'
import { withoutTimes } from './syntax/times.js'
import { type Token, textOf } from './syntax/tokens.js'
import { hasPartNoun, isTool } from './words/names.js'
import { isSlot } from './words/values.js'

const longestValue = 9
const longestSubject = 5

/** Verbs that say nothing to look up, or that other rules read on purpose. */
const empty =
  /^(?:be|do|have|get|make|become|seem|look|feel|appear|happen|mean|think|know|want|like|love|hate|prefer|hope|wish|try|need|help|let|say|tell|ask|see|work|matter|depend|think|believe|agree|decide|suggest|wait|meet|take|cost|bring|cause|lead|change|fix|break|fail|improve)$/u

/** Words by which a value refers to something outside it, or tells a story. */
const vague =
  /\b(?:it|its|this|that|these|those|them|they|their|he|she|him|her|his|we|us|our|you|your|me|my|there|here|which|who|what|how|why|again|still|yet|already|today|tomorrow|yesterday|now|recently|currently|soon|later|once|ago|last|next|something|anything|everything|someone|everyone|enough|better|worse|faster|slower|easier|harder|more|less|too|so|very|quite|rather|fine|good|bad|well)\b/iu

/** Verbs of work that goes on, unlike those of single events. */
const done =
  /^(?:seal|unseal|flash|sample|sign|encrypt|calibrate|feed|power|cool|mount|wire|connect|attach|route|resolve|render|draw|fix|cap|clamp|tune|train|label|parse|compress|encode|decode|replicate|rotate|renew|issue|assign|allocate|provision|trigger|generate|split|shard|partition|batch|queue|mirror|proxy|protect|expose|translate|transcode|convert|rate-limit|throttle|measure|record|track|score|rank|bill|charge|ship|print|scan)$/u

const vagueSubject =
  /^(?:an?|his|her|their|its|my|your|this|that|these|those|each|every|some|any|no|many|most|few|several|both|another|other|one|two|three|what|which|there|nobody|everyone|someone|people|everybody)$/u

/**
 * Reads a clause in its own words if no rule knows its verb: `The backend emits LLVM 18 IR`. Only what is
 * said of a named or determined thing in the present, with a name or an amount in it.
 */
export function readOpen(spoken: SpokenClause): boolean {
  if (readOpenUse(spoken)) return true
  const { verb, subject, reading, args, times } = spoken
  if (!isStated(spoken) || !subject || !reading.project) return false
  const { phrase, thing } = subject
  const [first] = args
  if (!first || first.isInfinitive || first.isGerund || first.tokens.length === 0) return false
  const words = wordsFrom(spoken)
  const value = textOf(words, reading.text)
  // `raw logs for 30`: a number alone says nothing after a preposition.
  if (first.preposition !== undefined && /^\d+$/u.test(value)) return false
  if (words.length === 0 || words.length > longestValue || vague.test(value)) return false
  if (!words.some(isSolid)) return false
  const attribute = [verb.word, verb.particle, first.preposition].filter(Boolean).join(' ')
  const extra = { ...periodIn(times), by: 'open', isSure: phrase.isProper || isPart(phrase) }
  const isOwn = (phrase.isProper || isPart(phrase)) && reading.isNamed(thing)
  return isOwn
    ? reading.value(thing, { aspect: 'facts', attribute }, value, extra)
    : reading.value(
        reading.project,
        { aspect: 'facts', attribute: `${phrase.name} ${attribute}` },
        value,
        extra,
      )
}

/** `We use OCI artifacts`: what no list names, with a name in it. */
function readOpenUse({ verb, subject, reading, args, times }: SpokenClause): boolean {
  const { isAlone, isSpoken } = reading.context
  const [told, other] = args
  const isOwn = isAlone && !isSpoken && subject?.isProject && verb.lemma === 'use' && verb.tense === 'present'
  if (!isOwn || verb.negation || verb.modal || verb.isPassive || verb.isImperative || reading.cues.size > 0)
    return false
  if (!told || told.preposition || other || told.tokens.length > 4) return false
  const [phrase, more] = phrasesOf(told.tokens, reading.text)
  const isNamed = phrase && !more && !phrase.determiner && !isPerson(phrase) && phrase.tokens.some(isSolid)
  if (!isNamed || vague.test(phrase.name)) return false
  const slot = { aspect: 'facts', attribute: 'uses' }
  return reading.value(reading.project, slot, phrase.name, {
    ...periodIn(times),
    by: 'open',
    isSure: false,
  })
}

const demonym = /(?:[^s]ish|ese|[ei]an|German|French|Swiss|Dutch|Greek|Czech)$/u

/** `Our CRM is Attio`, `MSRV is 1.78`: a slot of the project and what no list names. */
export function readOpenBeing(spoken: SpokenClause): boolean {
  const { verb, subject, reading, args, times } = spoken
  const [told, other] = args
  if (verb.lemma !== 'be' || verb.tense !== 'present' || !told || told.preposition || other) return false
  if (!isStated(spoken, true) || !subject || !reading.project) return false
  const { name, tokens } = subject.phrase
  const [phrase, more] = phrasesOf(told.tokens, reading.text)
  if (!phrase || more || phrase.determiner || isPerson(phrase)) return false
  // `The API is Swiss`, `Frontend is Oluwaseun`: one word says less than two.
  const isSingle = phrase.tokens.length === 1 && phrase.version === undefined
  const isTask = isSlot(name) || (/^\p{Lu}{2,5}$/u.test(name) && !/^(?:API|UI|UX|QA)$/u.test(name))
  const isSlotted = isTask ? !(isSingle && demonym.test(phrase.name)) : !isSingle && hasPartNoun(name)
  const isNumber = told.tokens.length === 1 && phrase.head.kind === 'version' && /^\p{Lu}{2,5}$/u.test(name)
  const isName =
    phrase.isProper &&
    tokens.length <= 3 &&
    phrase.tokens.every(({ text }) => /^[\p{Lu}\d]/u.test(text)) &&
    isSlotted
  if (!isName && !isNumber) return false
  const value = phrase.version ? `${phrase.name} ${phrase.version}` : phrase.name
  const slot = { aspect: 'facts', attribute: name }
  return reading.value(reading.project, slot, value, { ...periodIn(times), by: 'open' })
}

/** A statement of one note about how something is. */
function isStated(spoken: SpokenClause, isBeing = false): boolean {
  const { verb, subject, subjects, reading, sentence, clause } = spoken
  const { isAlone, isSpoken } = reading.context
  if (isAlone !== true || isSpoken || !subject || subjects.length !== 1) return false
  if (verb.negation || verb.modal || verb.isImperative || verb.tense !== 'present') return false
  if (verb.isPassive && (isBeing || !done.test(verb.lemma) || spoken.direct || argumentWith(spoken, 'as')))
    return false
  // `Known issue: node exporter leaks file descriptors`
  if (reading.label !== '' && !/^(?:fact|note|fyi|nb|update)$/u.test(reading.label)) return false
  // `…, prices from X`: what has no subject of its own may be a noun.
  if (verb.start === clause.begin) return false
  // `If Postgres is down, the API answers 503`
  if (sentence.some(({ cls }) => cls === 'subordinator')) return false
  if ((empty.test(verb.lemma) && !isBeing) || subject.isProject || subject.isUser) return false
  if ([...reading.cues].some(cue => cue !== 'decision')) return false
  return isClear(subject.phrase) && !isPerson(subject.phrase) && subject.thing.type !== 'person'
}

function isClear(phrase: Phrase): boolean {
  const { name, tokens, determiner, isPronoun } = phrase
  return (
    !isPronoun &&
    tokens.length <= longestSubject &&
    !vagueSubject.test(determiner ?? '') &&
    !vagueSubject.test(tokens[0]?.lower ?? '') &&
    !vague.test(name) &&
    !/[,:;()"]/u.test(name) &&
    ['noun', 'name', 'verb'].includes(phrase.head.cls)
  )
}

/** The words after the verb up to the next comma, without times and what is denied. */
function wordsFrom({ sentence, verb, clause, reading, args }: SpokenClause): readonly Token[] {
  const after = sentence.slice(verb.end, endOf(sentence, clause.to))
  const comma = after.findIndex(
    ({ text, cls }) => /^[,;—–]$/u.test(text) || cls === 'subordinator' || cls === 'relative',
  )
  const own = comma < 0 ? after : after.slice(0, comma)
  const { rest } = withoutTimes(own, reading.text, reading.context.saidAt)
  const from = args[0]?.preposition && args[0].preposition !== 'not' ? 1 : 0
  const told = rest.slice(from)
  return told.some(({ cls }) => cls === 'negation' || cls === 'modal' || cls === 'be') ? [] : told
}

/** A name, an amount, or something technical. */
function isSolid({ kind, cls, text, isFirst }: Token): boolean {
  if (isTool(text)) return true
  if (cls === 'name' && !isFirst) return true
  return [
    'code',
    'url',
    'path',
    'host',
    'version',
    'quantity',
    'number',
    'dotted',
    'package',
    'setting',
    'flag',
  ].includes(kind)
}
