import { isEnding, namedIn, readOwnChange, replace } from './changes.js'
import { periodIn, type Subject } from './reading.js'
import { isPart } from './related.js'
import { afterVerb, argumentWith, phrasesIn, type SpokenClause } from './spoken-clause.js'
import { tellStatement } from './statements.js'
import { isPerson, phraseOf } from './syntax/phrases.js'
import { lemmaOf } from './syntax/tag.js'
import { isHead } from './words/values.js'

/** Reads what replaced what, upgrades, ends and choices. */
export function readChange(spoken: SpokenClause): boolean {
  const { verb } = spoken
  if (readNoLonger(spoken) || readGone(spoken)) return true
  if (verb.negation || (verb.modal && verb.modal !== 'will')) return false
  return (
    readSuccession(spoken) ||
    readOwnChange(spoken) ||
    readRebuilt(spoken) ||
    readInstead(spoken) ||
    readChanged(spoken)
  )
}

/** `X takes the place of Y`, `X was retired, Y takes over`. */
function readSuccession(spoken: SpokenClause): boolean {
  const { verb, subject, reading, direct, previous } = spoken
  if (
    verb.lemma !== 'take' ||
    verb.isPassive ||
    !subject ||
    subject.isProject ||
    subject.thing.type === 'person'
  )
    return false
  const [place] = phrasesIn(reading, direct)
  const of = /^place of (.+)$/iu.exec(place?.name ?? '')?.[1]
  if (place && of) {
    // `… when the parent dies`: what happens each time, not what is so from now on.
    if (/^when(?:ever)?$/u.test(spoken.sentence[spoken.clause.to]?.lower ?? '')) return false
    const phrase = phraseOf(place.tokens.slice(2), reading.text)
    const [old] = phrase ? [reading.subjectOf(phrase)] : []
    return replace(spoken, old, subject)
  }
  const isEnded = previous !== undefined && isEnding(previous.verb.lemma) && previous.verb.isPassive
  return verb.particle === 'over' && isEnded && replace(spoken, previous.subject, subject)
}

/** `Photon is gone`, `Nagios is history`. */
function readGone(spoken: SpokenClause): boolean {
  const { verb, subject, reading, times } = spoken
  // `is gone` is the participle of `go`.
  const state = verb.lemma === 'go' ? verb.word : afterVerb(spoken)
  const isTold =
    (verb.lemma === 'be' || (verb.lemma === 'go' && afterVerb(spoken) === '')) &&
    !verb.negation &&
    !verb.modal &&
    verb.tense !== 'past' &&
    /^(?:now |finally |all )?(?:gone|history|out)(?![\p{L} ])/iu.test(state)
  // `Photon is gone, we use Mirror now`: it may be somebody who left.
  const isUsed =
    subject?.thing.type === 'tool' ||
    /[,;:] (?:we|now|it|the new|everything|from now on)\b/iu.test(reading.quote)
  if (!isTold || !isUsed || !subject?.phrase.isProper || isPerson(subject.phrase)) return false
  reading.cues.add('decision')
  const slot = { aspect: 'state', attribute: 'status' }
  return reading.value(subject.thing, slot, 'no longer used', { ...periodIn(times), by: 'replacement' })
}

/** True where notes leave `we` out. */
function isReportOf({ verb, clause }: SpokenClause): boolean {
  return verb.start === clause.begin && clause.begin === 0 && verb.tense === 'past'
}

/** `We split billing into its own service`. */
function readRebuilt(spoken: SpokenClause): boolean {
  const { verb, subject, reading, sentence, clause, times } = spoken
  const isSwitched =
    (/^(?:turn|switch)$/u.test(verb.lemma) && verb.particle === 'off') || verb.lemma === 'disable'
  const isRebuilt = /^(?:split|merge|extract|consolidate|introduce|rewrite|postpone|delay|defer)$/u.test(
    verb.lemma,
  )
  if (!(isSwitched || isRebuilt) || verb.isPassive) return false
  // `split` is past and present in one.
  const isDone = verb.tense === 'past' || (verb.lemma === 'split' && argumentWith(spoken, 'into'))
  // `Turned off autoscaling in April`
  const isOwn = subject?.isProject || (!subject && (isSwitched || isReportOf(spoken)))
  if (!isOwn || !isDone || /^(?:rule|known|issue|bug)/u.test(reading.label)) return false
  reading.cues.add('decision')
  const extra = { ...periodIn(times), by: 'decision' }
  return tellStatement(reading, 'decisions', sentence.slice(verb.at, clause.to), extra)
}

/** `We run X instead of Y`. */
function readInstead(spoken: SpokenClause): boolean {
  const { verb, subject, reading, direct } = spoken
  // `Jo runs Linux instead of macOS`: a person's choice changes nothing for others.
  if (!subject || subject.isUser || isSingleName(subject)) return false
  const instead = argumentWith(spoken, 'instead of', 'in place of')
  const old = namedIn(reading, instead)
  const next = namedIn(reading, direct ?? argumentWith(spoken, 'on', 'with', 'in', 'to', 'through'))
  if (!/^(?:use|run|ship|deploy|host|build|go|send|store)$/u.test(verb.lemma)) return false
  // The clause itself says more: what is used, since when.
  if (old?.phrase.isProper && next && (next.phrase.isProper || isPart(next.phrase)))
    replace(spoken, old, next)
  return false
}

/** True for a capitalised word that may be a person. */
function isSingleName({ thing, isProject }: Subject): boolean {
  return !isProject && thing.type !== 'tool' && /^\p{Lu}\p{Ll}+$/u.test(thing.name)
}

/** `The log format changed to JSON`. */
function readChanged(spoken: SpokenClause): boolean {
  const { verb, subject, reading, times } = spoken
  const [to, other] = phrasesIn(reading, argumentWith(spoken, 'to'))
  if (verb.lemma !== 'change' || verb.tense === 'present' || !subject || subject.isProject || !to?.isProper)
    return false
  if (other || argumentWith(spoken, 'from') || !isHead(subject.phrase.name)) return false
  reading.cues.add('decision')
  const slot = { aspect: 'facts', attribute: subject.phrase.name }
  return reading.value(reading.project, slot, to.name, { ...periodIn(times), by: 'upgrade' })
}

const offered: Readonly<Record<string, string>> = {
  use: 'used',
  support: 'supported',
  offer: 'offered',
  sell: 'sold',
  maintain: 'maintained',
  accept: 'accepted',
  ship: 'shipped',
  need: 'needed',
  publish: 'published',
}

/** `We no longer support X`, `X no longer uses Y`, `we'll stop selling X`. */
function readNoLonger(spoken: SpokenClause): boolean {
  const { verb, subject, reading, args, times } = spoken
  const extra = { ...periodIn(times), by: 'replacement' }
  const isStopping = verb.lemma === 'stop' && !verb.negation && !verb.isPassive
  if (!subject || (!isStopping && verb.negation !== 'no longer') || verb.isImperative) return false
  const [first] = args[0]?.tokens ?? []
  const lemma = isStopping ? lemmaOf(first, 'ing') : verb.lemma
  const word = offered[lemma ?? '']
  const told =
    isStopping && args[0] ? { ...args[0], tokens: args[0].tokens.slice(1), isGerund: false } : spoken.direct
  const ended = word && !verb.isPassive ? phrasesIn(reading, told) : []
  const isLimited = args
    .slice(isStopping ? 1 : 0)
    .some(({ preposition, tokens }) => preposition && tokens.length > 0)
  if (isStopping && ended.length > 0) reading.cues.add('decision')
  return ended
    .map(phrase => {
      const thing = reading.thingOf(phrase)
      if (!thing || !(phrase.isProper || phrase.version)) return false
      const name = phrase.version ? `${thing.name} ${phrase.version}` : thing.name
      const isOwn = subject.isProject || thing.name === reading.project?.name
      // `We no longer need Postgres in the tests`: elsewhere it may be needed.
      if (isOwn && isLimited) return false
      if (isOwn && times.since) reading.cues.add('decision')
      return isOwn
        ? reading.value(
            phrase.version ? { name, type: thing.type } : thing,
            { aspect: 'state', attribute: 'status' },
            `no longer ${word}`,
            extra,
          )
        : reading.value(subject.thing, { aspect: 'state', attribute: `no longer ${lemma}s` }, name, extra)
    })
    .some(Boolean)
}
