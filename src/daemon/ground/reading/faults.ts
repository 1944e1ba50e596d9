import type { SpokenClause } from './spoken-clause.js'
import { textOf } from './syntax/tokens.js'

export const failing =
  /^(?:break|crash|double|spike|fail|flake|leak|hang|freeze|lose|loop|choke|flicker|corrupt|miss|stall|struggle|timeout|eat|hog|deadlock|overflow|stick|stutter|duplicate|explode|die|panic|drift|truncate|race|misbehave|overheat|glitch|flap|lag|oom|segfault|crackle|garble|mangle|swallow|overlap|jitter|scramble|desync|misfire|thrash)$/u
const failure =
  /\b(?:outdated|unresponsive|blank|flaky|broken|stale|slow|buggy|wrong(?:ly)?|incorrectly|improperly|unstable|unreliable|corrupt(?:ed)?|incomplete|missing|out of sync|too (?:large|slow|long|small|old)|stuck|racy|off by|duplicated|inaccurate|twice(?! (?:an?|per|every)\b)|(?:longer|slower) than|out of (?:memory|disk|space)|memory leak|lost|unusable|for ages|forever|negative|bogus|garbled|intermittent(?:ly)?|sporadic(?:ally)?|times? out(?! after (?:about )?\d)|double[- ](?:count|charg|book|bill|send)\w*|(?:goes|go|comes? back|stays?|renders?) (?:empty|blank|black|white|gr[ea]y|dark|dead|silent|missing|frozen|locked)|cuts? off|grows? without (?:bound|limit|end)|disconnects|disappears|(?:disconnect|disappear) (?:after|if|when|while|as))\b/iu

const fault = /\b(?:[45]\d\d(?:s|\b)|(?:errors?|exceptions?|segfaults?)\b)/iu

/** Outcomes that are wrong, whatever the verb: `Exports come out empty`, `events show up an hour late`. */
const outcomes: readonly RegExp[] = [
  /\b(?:comes?|turns?) (?:out|back|up|through) (?:as )?(?:empty|blank|wrong|garbled|corrupt(?:ed)?|twice|late|broken|truncated|black|white|reversed|rotated|upside down|mirrored|doubled|cut off|zero|null|with (?:missing|wrong|garbled|broken))\b/iu,
  /\b(?:shows?|arrives?|starts?|appears?|ends?|finish(?:es)?|fires?|opens?|renders?|prints?|lands?|sends?) (?:up )?(?:(?:an?|one|two|\d+|several|some|half an) (?:(?:seconds?|minutes?|hours?|days?) )?(?:too )?(?:late|early)|twice(?! an? | per )|too (?:late|early)|out of (?:order|sync)|upside down|in the wrong|without (?:an?|the|its|their|any) \p{L})/iu,
  /\b(?:vanish(?:es)?|disappears?|get(?:s)? lost|goes? missing)\b (?!into\b)/iu,
  /\b(?:returns?|answers?|gives?|reports?|shows?|yields?|responds?|prints?) (?:with )?(?:an? |the )?(?:null|nothing|nil|nan|undefined|zero|0|empty|blank|garbage|wrong|stale|negative|outdated)\b[^.;]{0,60}\b(?:for|if|when|after|on|since|with|in)\b/iu,
  /\bends? up (?:in (?:spam|junk|the wrong)|empty|blank|duplicated|twice)\b/iu,
  /\b(?:is|are|gets?) (?:silently )?(?:dropped|lost|cut|truncated|duplicated|overwritten|swallowed|delivered twice|sent twice) (?:if|when|whenever)\b/iu,
  /^[^,;]{3,40} (?:bigger|larger|longer|older|over|above|with|without|from|in) [^,;]{2,40} fails? (?:behind|on|with|for|if|when|after|in|under|silently)\b/iu,
  /\b(?:stops?|quits?|freezes|disconnects|reboots) (?:\p{L}+ )?after (?:about |around |roughly |~)?(?:\d+|an?|a few|some) ?(?:ms|s|seconds?|min|minutes?|hours?|requests?|calls?) (?:on|when|if|with|under|behind)\b/iu,
  /^[^,;.]{3,50} (?:from before|from|before|older than|newer than|after|saved with) v?\d[\w.]* (?:crash|break|corrupt|hang|freeze|kill)(?:e?s)?\b/iu,
  /^(?:rare |random |occasional |known )?(?:crash(?:es)?|hangs?|freezes?|deadlocks?|race(?: condition)?s?|(?:memory )?leaks?|segfaults?|flicker(?:ing)?|glitch(?:es)?|corruption|data loss) (?:on|in|when|with|at|during|after|if|while|between) \S/iu,
  /\b(?:nothing happens|has no effect|have no effect)\b/iu,
]

/** True for a sentence in which something comes out wrong. */
export function tellsFault(sentence: string): boolean {
  if (
    /^(?:if|unless|once|before|after|until|never|do not|don['’]t)\b|\b(?:must|should|shall|would)\b/iu.test(
      sentence,
    )
  )
    return false
  return outcomes.some(form => form.test(sentence))
}

/** Verbs for things that work. */
const working =
  /^(?:work|load|start|open|render|respond|update|refresh|sync|connect|compile|build|stop|finish|scroll|play|resume|arrive|terminate|react|boot|survive|reconnect|reload|wake|return|recover|charge|pair|fire|apply|close|lock|print|ring|spin|light)$/u
const sinceChange =
  /\b(?:since|after) (?:the |our |last |yesterday['’]s )?(?:[\p{L}\d.]+ )?(?:update|upgrade|release|deploy(?:ment)?|migration|switch|move|change)\b/iu

/** Work of programs for their users. */
const shown =
  /^(?:deliver|display|show|render|recogni[sz]e|detect|refresh|update|sync|apply|load|play|register|trigger|remember|resize)$/u

/** How faults happen, unlike work that is planned. */
const atTimes = /^(?:sometimes|randomly|occasionally|silently|intermittently|sporadically)$/u

/** Notes a sentence about something broken. */
export function noteProblem(spoken: SpokenClause): void {
  const { verb, subject, reading, previous, sentence, clause } = spoken
  if (previous || !subject || subject.isProject || subject.isUser || subject.thing.type === 'person') return
  if (/^(?:anything|everything) else$/iu.test(subject.phrase.name)) return
  // `cannot log in since the update`: they could before.
  if (verb.modal === 'can' && verb.negation && sinceChange.test(textOf(sentence, reading.text)))
    reading.cues.add('problem')
  const isPossible = verb.modal === 'can' && verb.isPassive && !verb.negation
  if ((verb.modal && !isPossible) || verb.tense === 'past' || verb.isImperative) return
  if (/^(?:if|unless|once|before|after)$/u.test(sentence[0]?.lower ?? '')) return
  const told = textOf(sentence.slice(verb.start, Math.min(clause.to, verb.end + 8)), reading.text)
  const doesNotWork =
    verb.negation === 'not' && working.test(verb.lemma) && (verb.lemma === 'work' || !spoken.direct)
  const isFailing =
    failing.test(verb.lemma) &&
    (!verb.isPassive || ['lose', 'break', 'corrupt', 'duplicate', 'truncate'].includes(verb.lemma)) &&
    !verb.negation
  const isShown = /^(?:show|pop|pile|come|turn)$/u.test(verb.lemma)
    ? verb.particle === 'up'
    : /^(?:appear|occur|happen)$/u.test(verb.lemma)
  const isFaulty =
    isShown &&
    /^(?:duplicated?|wrong|stale|missing|broken|orphaned|garbled|corrupt(?:ed)?|double|phantom|ghost|spurious|random)\b/iu.test(
      subject.phrase.name,
    )
  // `Results are empty if …`
  const isEmpty =
    verb.lemma === 'be' &&
    /\b(?:empty|blank|black)$/u.test(told) &&
    /^(?:if|when|after)$/u.test(sentence[clause.to]?.lower ?? '')
  // `Webhooks time out after 5 s` is a limit, `… after 5 s on the old box` a fault.
  const isLimit =
    /^\S+ out after (?:about )?\d\S*(?: (?:s|ms|min|h|seconds?|minutes?|hours?))?(?=$|,| and\b)/u.test(
      told,
    ) && !/\b(?:if|when|since|because)\b/iu.test(textOf(sentence, reading.text))
  const isTimedOut =
    /^(?:time|run)$/u.test(verb.lemma) && verb.particle === 'out' && !verb.negation && !isLimit
  const isLasting =
    verb.lemma === 'take' && /\b\d+ ?(?:seconds?|minutes?|hours?|min|s)\b/u.test(told) && clause.begin >= 0
  if (
    doesNotWork ||
    isFailing ||
    isOdd(spoken, told) ||
    isTimedOut ||
    isFaulty ||
    isEmpty ||
    (/^(?:return|throw|raise|give|answer|respond|log)$/u.test(verb.lemma) &&
      !verb.negation &&
      fault.test(told)) ||
    (!verb.negation && failure.test(told)) ||
    (isLasting && /\b(?:since|because|on|with|when)\b/u.test(textOf(sentence, reading.text)))
  )
    reading.cues.add('problem')
}

/** Faults that the verb alone does not tell. */
function isOdd({ verb, sentence, clause, args }: SpokenClause, told: string): boolean {
  // `Mails are not delivered on Huawei phones`, `6.8 has a bug with our cards`
  const isNotDone =
    verb.isPassive &&
    verb.negation === 'not' &&
    shown.test(verb.lemma) &&
    (args.some(({ preposition }) => /^(?:on|after)$/u.test(preposition ?? '')) ||
      /^(?:when|if|since|after|unless)$/u.test(sentence[clause.to]?.lower ?? ''))
  const hasFault =
    verb.lemma === 'have' &&
    !verb.negation &&
    /^(?:has|have|got) an? (?:[\p{L}-]+ ){0,2}(?:bug|leak|race|regression|deadlock)\b/iu.test(told)
  const isNow = verb.tense === 'present' && !verb.negation
  const isAtTimes =
    isNow && (verb.adverbs.some(adverb => atTimes.test(adverb)) || atTimes.test(sentence[0]?.lower ?? ''))
  return isNotDone || hasFault || isAtTimes
}
