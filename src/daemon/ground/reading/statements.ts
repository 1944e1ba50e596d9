import { type LineReading, type NamedThing, periodIn, user } from './reading.js'
import { isPart } from './related.js'
import { afterVerb, argumentWith, endOf, type SpokenClause } from './spoken-clause.js'
import { phrasesOf } from './syntax/phrases.js'
import { titleOf } from './syntax/titles.js'
import { type Token, textOf } from './syntax/tokens.js'

/** The end of a statement with its conditions: they belong to a rule. */
function reach(tokens: readonly Token[], from: number): number {
  let to = from
  while (to < tokens.length && !/^(?:;|—|–)$/u.test(tokens[to]?.text ?? '')) to++
  return endOf(tokens, to)
}

const passing =
  /\b(?:today|tomorrow|tonight|for now|this (?:week|month|time|sprint)|yet|meanwhile)\b|\b(?:before|until|till) (?:\p{Lu}|\d|next)/u

export function named(thing: NamedThing): NamedThing | undefined {
  return thing.name === '' ? undefined : thing
}

const ruleWord = /^(?:forbid|ban|prohibit|disallow|allow|permit)$/u
const obliging =
  /^(?:now |strictly |also )?(?:forbidden|not allowed|off[- ]limits|mandatory|required|compulsory|obligatory|only allowed|only permitted)\b/iu

/** `Titles are at most 60 characters long`. */
const bounded =
  /^(?:at most|at least|no (?:more|longer|fewer|shorter) than|never (?:more|longer) than) \d+ (?:characters|letters|words|lines|columns|sentences|pages)\b/iu

const bound = /^(?:at most|no (?:more|longer) than|not (?:more|longer) than) \S/iu

/** `Nobody uses it` tells how things are, `nobody pushes to main` how they must be. */
const observed =
  /^(?:have|use|know|need|want|notice|care|ask|remember|understand|like|read|work|complain|look|see|own|miss|answer|be)$/u

/** `Never …`, `Prices must …`, `floats are forbidden`, `only the pipeline applies`. */
export function readRule(spoken: SpokenClause): boolean {
  const { verb, subject, reading, sentence, clause } = spoken
  if (verb.isImperative) return readOrder(spoken)
  const first = sentence[clause.begin]?.lower ?? ''
  const isNobody =
    /^(?:nobody|no one|none)$/u.test(
      textOf(sentence.slice(clause.begin, verb.start), reading.text).toLowerCase(),
    ) &&
    verb.tense === 'present' &&
    !observed.test(verb.lemma)
  if (!subject && !isNobody && first !== 'nothing' && !isOrdained(spoken)) return false
  const isUnnamed =
    subject?.phrase.isPronoun &&
    !/^(?:we|you)$/iu.test(subject.phrase.name) &&
    !isNobody &&
    !isOrdained(spoken)
  if (isUnnamed) return false
  const isNothing =
    first === 'nothing' && verb.tense === 'present' && argumentWith(spoken, 'without', 'except') !== undefined
  if (!isRule(spoken, first) && !isNobody && !isNothing && !isOrdained(spoken)) return false
  if (verb.tense === 'past') return false
  reading.cues.add('rule')
  const from =
    first === 'no' || first === 'only' || first === 'all' || first === 'every'
      ? clause.begin + 1
      : clause.begin
  const body = isOrdained(spoken)
    ? sentence.slice(sentence.findIndex(({ cls }) => cls === 'to') + 1, reach(sentence, clause.to))
    : sentence.slice(clause.before ? clause.begin : from, reach(sentence, clause.to))
  const title = titleOf(
    body.filter(
      ({ cls, lower }, at) =>
        !['modal', 'negation'].includes(cls) &&
        !(cls === 'to' && /^(?:has|have|needs?)$/u.test(body[at - 1]?.lower ?? '')) &&
        !/^(?:be|is|are|has|have|need|needs|always|only)$/u.test(lower),
    ),
    reading.text,
  )
  tellRule(spoken, title, body)
  return true
}

/** `It is not allowed to push to main`. */
function isOrdained({ reading }: SpokenClause): boolean {
  return /^it is (?:strictly )?(?:forbidden|prohibited|not (?:allowed|permitted)|mandatory|required) to \S/iu.test(
    reading.quote,
  )
}

function isRule(spoken: SpokenClause, first: string): boolean {
  const { verb, subject, isOnly, direct } = spoken
  const isModal =
    ['must', 'shall'].includes(verb.modal ?? '') ||
    (verb.modal === 'should' && subject !== undefined && !subject.phrase.isPronoun && !isExpected(spoken))
  if (isModal && !(verb.isPassive && verb.tense === 'past')) return verb.tense !== 'past'
  if (verb.modal === 'may' && (verb.negation || isOnly || first === 'no')) return true
  if (verb.modal && verb.modal !== 'can') return false
  if (verb.modal === 'can') return isOnly
  const told = afterVerb(spoken)
  if (
    ruleWord.test(verb.lemma) &&
    verb.isPassive &&
    (verb.negation || isOnly || /^(?:forbid|ban|prohibit|disallow)$/u.test(verb.lemma) || first === 'no')
  )
    return true
  if (verb.lemma === 'be' && obliging.test(`${verb.negation ? 'not ' : ''}${told}`)) return true
  if (verb.negation === 'never' && verb.tense === 'present') return true
  if (isOnly && verb.tense === 'present' && limiting.test(verb.lemma)) return true
  if (isProcess(spoken) || saysForm(spoken, told)) return true
  // `Only Tanja talks to the client`
  const isPeople = subject?.thing.type === 'person' || subject?.thing.type === 'team'
  if (first === 'only' && isPeople && verb.tense === 'present' && verb.lemma !== 'be') return true
  // `Amounts are always integers in cents`
  const isMany = /[^su]s$/u.test(subject?.phrase.head.lower ?? '')
  const [adverb, noun] = spoken.args[0]?.tokens ?? []
  const isAlways = adverb?.lower === 'always' && ['noun', 'name'].includes(noun?.cls ?? '')
  if (isMany && isAlways && verb.lemma === 'be' && verb.tense === 'present') return true
  // `Feature flags live at most two sprints`
  if (
    isMany &&
    /^(?:live|last|stay|take|run)$/u.test(verb.lemma) &&
    bound.test(told) &&
    verb.tense === 'present'
  )
    return true
  // `Delays are always stored in seconds`
  if (verb.isPassive && verb.tense === 'present' && verb.adverbs.includes('always') && !spoken.direct)
    return true
  const isGeneral = /^(?:all|every|each|no)$/u.test(first)
  if (
    isGeneral &&
    verb.tense === 'present' &&
    (verb.lemma === 'be' || verb.isPassive || verb.lemma === 'need') &&
    !spoken.args.some(({ tokens }) => tokens.some(isFact))
  )
    return true
  // `PRs need two approvals`, unlike `billing needs Redis`.
  return (
    ['need', 'require'].includes(verb.lemma) &&
    !verb.isPassive &&
    subject !== undefined &&
    !subject.isProject &&
    !subject.isUser &&
    direct !== undefined &&
    isDemand(spoken)
  )
}

/** `The battery should last two seasons`, `the new index should be faster`: hoped, and not ordered. */
function isExpected(spoken: SpokenClause): boolean {
  const { verb } = spoken
  if (verb.lemma !== 'be' || verb.isPassive) return /^(?:last|suffice|help|improve)$/u.test(verb.lemma)
  return /^(?:(?:much|a bit|a lot) )?(?:faster|cheaper|better|easier|safer|quicker|smoother|enough|fine|ok(?:ay)?|done|ready|back|there|over)\b(?! than\b)/iu.test(
    afterVerb(spoken),
  )
}

/** Verbs that `only` makes a rule. */
const limiting = /^(?:go|belong|apply|merge|deploy|push|change|touch|release|approve|have)$/u
/** Things that a team handles by agreed steps. */
const handled =
  /\b(?:branch(?:es)?|prs?|pull requests?|merge requests?|commits|tickets|hotfixes|releases|reviews|migrations)$/iu
const limitedBy =
  /\S (?:without|longer|larger|bigger|smaller|shorter|older|newer|more|fewer|(?:above|over|beyond|below|under) (?=\d)) ?(?:than |an? )?\S/iu

/** `Pull requests without tests are not merged`, `feature branches are deleted after merge`. */
function isProcess(spoken: SpokenClause): boolean {
  const { verb, subject, reading, sentence, clause } = spoken
  if (!verb.isPassive || verb.tense !== 'present' || verb.modal || !subject) return false
  const told = textOf(sentence.slice(clause.begin, verb.start), reading.text)
  const isRefused =
    verb.negation === 'not' ||
    /^(?:reject|refuse|block|bounce|close|decline|delete|discard|remove|revert|ignore|drop|return)$/u.test(
      verb.lemma,
    )
  if (limitedBy.test(told) && isRefused) return true
  const isHandled = /^(?:merge|delete|squash|rebase|review|approve|accept|close|sign|tag|protect|cut)$/u.test(
    verb.lemma,
  )
  return (
    handled.test(told) &&
    isHandled &&
    (isRefused ||
      spoken.args.some(({ preposition }) => /^(?:after|before|within|by|with)$/u.test(preposition ?? '')))
  )
}

/** `Labels are at most 40 characters long`, `secrets belong in Vault, never in files`. */
function saysForm({ verb, subject, reading }: SpokenClause, told: string): boolean {
  if (verb.lemma === 'be' && bounded.test(told) && /[^s]s$/u.test(subject?.phrase.head.lower ?? ''))
    return true
  const isElsewhere = /, (?:never|not) (?:in|into|on|to|with|as|from) | and nowhere else\b/iu.test(told)
  // `Prices are integers in cents, never floats`
  const isForm = verb.lemma === 'be' && /, never (?:an? )?\p{Ll}+(?: \p{Ll}+)?$/iu.test(told)
  return verb.tense === 'present' && !reading.label && (isElsewhere || isForm)
}

/** Addresses, versions and names tell a fact rather than a rule. */
function isFact({ kind, cls, text }: Token): boolean {
  return (
    ['url', 'path', 'host', 'version'].includes(kind) ||
    (cls === 'name' && kind !== 'code' && !form.test(text))
  )
}

/** Forms in which something is written; a rule may ask for one. */
const form = /^(?:UTC|GMT|UTF-8|ISO|English|German|French|Spanish|Celsius|Markdown|JSON|YAML)$/u

function isDemand({ reading, subject, direct }: SpokenClause): boolean {
  // `Senders need up to 2 min to reconnect`
  if (/^(?:up to|about|around|roughly|some|~)/iu.test(textOf(direct?.tokens ?? [], reading.text)))
    return false
  const [object] = phrasesOf(direct?.tokens ?? [], reading.text)
  if (!object || object.isProper || object.version || isPart(object)) return false
  const phrase = subject?.phrase
  return (
    /^(?:all|every|each|any|no|a|an)$/u.test(phrase?.determiner ?? '') ||
    (/[^s]s$/u.test(phrase?.head.lower ?? '') && phrase?.determiner === undefined)
  )
}

function tellRule(spoken: SpokenClause, title: string, body: readonly Token[]): void {
  const { reading, verb } = spoken
  const value = reading.quote
  const isElsewhere =
    verb.isImperative &&
    // `Tax rates come from X, never hard-code them`: the sentence says what.
    !spoken.previous?.subjects.length &&
    /^\S+(?: \S+)? (?:it|them|this|that|these|those|him|her|here|there)\b/iu.test(textOf(body, reading.text))
  if (isElsewhere || title.split(' ').length > 12) return
  const before = spoken.previous?.subject?.phrase.name
  const attribute =
    before && !title.includes(' ') && verb.isImperative
      ? `${title} ${before}`
      : before
        ? title.replace(/\b(?:it|them|this|that|these|those)\b/u, before)
        : title
  reading.statement(
    named(reading.project ?? { name: '', type: 'project' }),
    { aspect: 'rules', attribute },
    value,
    {
      ...periodIn({ ...(spoken.times.until && { until: spoken.times.until }) }),
      by: 'rule',
      isSure: !passing.test(value),
    },
  )
}

/** `Keep handlers under 20 µs`: an order with a bound. */
const bounding = /^(?:keep|hold|stay) .+ (?:under|below|above|within|at most|at least) ~?\d/iu
const gentle = new Set(['use', 'keep', 'name', 'favour', 'favor', 'prefer', 'stick'])
export const askingVerbs = new Set([
  'ask',
  'contact',
  'ping',
  'see',
  'check',
  'read',
  'remember',
  'note',
  'look',
  'wait',
  'let',
  'try',
  'start',
  'consider',
  'think',
  'imagine',
])

/** Orders: `Never …` and `Do not …` are rules, `Use …` and `Please keep …` preferences. */
function readOrder(spoken: SpokenClause): boolean {
  const { verb, reading, sentence, clause, previous } = spoken
  if (
    previous &&
    !previous.verb.isImperative &&
    !verb.negation &&
    clause.lead.length > 0 &&
    !clause.lead.some(({ lower }) => lower === 'please')
  )
    return true
  // `don't join on A, use B`: the second order is the other half of the first.
  if (previous?.verb.isImperative && previous.verb.negation && !verb.negation) return true
  // `Error: connect …`: words after a colon are not an order.
  if (clause.lead.some(({ text }) => text === ':') && reading.label === '') return true
  const body = sentence.slice(
    verb.isImperative && sentence[verb.at]?.cls === 'do' ? mainOf(spoken) : verb.at,
    reach(sentence, clause.to),
  )
  const title = titleOf(body, reading.text)
  const isAlways = verb.adverbs.includes('always')
  // In a conversation a prohibition may only concern the current task.
  if (reading.context.isSpoken && verb.negation !== 'never' && !isAlways) return true
  if (verb.negation || verb.lemma === 'avoid') {
    // `Don't argue`
    if (body.length === 1 && body[0]?.cls !== 'name') return true
    reading.cues.add('rule')
    tellRule(spoken, title.replace(/^avoid /iu, ''), body)
    return true
  }
  if (askingVerbs.has(verb.lemma) && !isAlways) return true
  const isPolite =
    clause.lead.some(({ lower }) => lower === 'please') ||
    sentence[clause.begin]?.lower === 'please' ||
    verb.adverbs.includes('please')
  if (readForUser(reading, verb.lemma, { title, told: textOf(body, reading.text) })) return true
  const isGentle =
    !isAlways &&
    !bounding.test(reading.quote) &&
    !/\b(?:everywhere|for (?:all|every|each|any))\b/iu.test(reading.quote) &&
    (isPolite ||
      gentle.has(verb.lemma) ||
      /\b(?:rather than|instead of|over)\b/u.test(textOf(body, reading.text)))
  reading.cues.add(isGentle ? 'preference' : isAlways ? 'rule' : 'order')
  if (isGentle)
    return reading.statement(
      named(reading.project ?? user),
      { aspect: 'preferences', attribute: title.replace(/^(?:use|prefer) /iu, '') },
      reading.quote,
      { by: 'preference' },
    )
  // `Add tests` is done once, so it is a rule only with a condition or for all of something.
  const isOnce = !isAlways && changing.test(verb.lemma) && !lastingOrder.test(reading.quote)
  const isWide = bounding.test(reading.quote) || (gentle.has(verb.lemma) && !isPolite)
  if (isWide) reading.cues.add('rule')
  if (!isOnce && (isAlways || isWide || isGeneral(body, reading.text))) tellRule(spoken, title, body)
  else reading.cues.delete('order')
  return true
}

/** `Please answer me in bullet points`: how the user wants to be spoken to. */
function readForUser(
  reading: LineReading,
  lemma: string,
  { title, told }: { title: string; told: string },
): boolean {
  if (
    !/^(?:answer|reply|respond|explain|speak|talk|address|give|show|send)$/u.test(lemma) ||
    !/\b(?:me|my)\b/iu.test(told)
  )
    return false
  reading.cues.add('preference')
  const slot = { aspect: 'preferences', attribute: title }
  return reading.statement(user, slot, reading.quote, { by: 'preference' })
}

/** Verbs of changes that are made once, as in the subject of a commit. */
const changing =
  /^(?:fix|add|remove|refactor|bump|improve|implement|revert|rename|merge|support|introduce|drop|correct|resolve|make|allow|update|replace|change|clarify|deprecate|simplify|restore|extract|expose|skip|move|handle|raise|warn|show|return|print|parse|render|emit|honou?r|preserve|prevent|enable|disable|create|delete|switch|convert|upgrade|forward|detect|ignore|accept|reject|pass|treat|mark|flag|land|settle|strip|validate|sort|close|open|bring|export|import)$/u
const lastingOrder =
  /\b(?:every|each|(?:before|after) (?:every|each|any|an?|you|we|the (?:release|merge|deploy(?:ment)?)|merging|pushing|releasing|deploying|committing|asking))\b/iu
const general =
  /\b(?:before|after|when(?:ever)?|every|each|only|at least|at most|as soon as|unless|until)\b/iu

function isGeneral(body: readonly Token[], text: string): boolean {
  return general.test(textOf(body, text))
}

/** Index of the main verb after `do not`. */
function mainOf({ verb }: SpokenClause): number {
  return Math.max(verb.at, verb.end - 1 - (verb.particle ? 1 : 0))
}

/** Records a problem, a lesson or a decision in its own words. */
export function tellStatement(
  reading: LineReading,
  aspect: 'problems' | 'lessons' | 'decisions',
  tokens: readonly Token[],
  extra: { since?: string | undefined; by: string },
): boolean {
  const body = tokens.filter(({ text }, at) => at > 0 || !/^[,:]$/u.test(text))
  const title = titleOf(body, reading.text)
  const value = textOf(body.slice(0, endOf(body, body.length)), reading.text)
  if (aspect === 'decisions') reading.decided = title
  return reading.statement(
    named(reading.project ?? { name: '', type: 'project' }),
    { aspect, attribute: title },
    value,
    extra,
  )
}
