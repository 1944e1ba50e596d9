import { readRoleLine } from './owners.js'
import { placeIn, readAddressed } from './places.js'
import { type LineReading, periodIn, type Subject } from './reading.js'
import { isPart, versionFor } from './related.js'
import {
  afterVerb,
  argumentsIn,
  argumentWith,
  endOf,
  gapsOf,
  phrasesIn,
  type SpokenClause,
} from './spoken-clause.js'
import { isPerson, type Phrase, phraseOf, phrasesOf } from './syntax/phrases.js'
import { isForm } from './syntax/tag.js'
import { noAddressee } from './syntax/telegram.js'
import { type Token, textOf } from './syntax/tokens.js'
import { readFork, readMadeOf } from './uses.js'
import { isFirstName, isTool } from './words/names.js'
import { isHead, isSlot, valueIn } from './words/values.js'

/** Reads `X is Y`: places, versions and attributes with a value. */
export function readBeing(spoken: SpokenClause): boolean {
  const { verb, subject, reading } = spoken
  const isSet = isSetting(spoken)
  if (
    (verb.lemma !== 'be' && !isSet) ||
    verb.negation ||
    (verb.modal && verb.modal !== 'will') ||
    !subject ||
    subject.isUser
  )
    return false
  if (verb.tense === 'past' || subject.phrase.name === '' || judged.test(subject.phrase.name)) return false
  if (isSet) return readAttribute(spoken, subject) || readCalled(spoken, subject)
  return readPlace(spoken, subject) || readAttribute(spoken, subject) || readKind(spoken, subject, reading)
}

/** `The version is pinned to 15.4`, `the database is called shop`. */
function isSetting({ verb }: SpokenClause): boolean {
  return verb.isPassive && ['pin', 'set', 'call', 'name'].includes(verb.lemma) && verb.tense === 'present'
}

/** `The design system is called Birch`. */
function readCalled({ reading, verb, direct, times }: SpokenClause, { phrase }: Subject): boolean {
  const [name, other] = phrasesIn(reading, direct)
  const isCalled = ['call', 'name'].includes(verb.lemma) && /^(?:the|our)$/u.test(phrase.determiner ?? '')
  if (!isCalled || !name || other || !/^\p{Lu}/u.test(name.name) || phrase.tokens.length > 3) return false
  return reading.value(reading.project, { aspect: 'facts', attribute: phrase.name }, name.name, {
    ...periodIn(times),
    by: 'attribute',
  })
}

/** `Staging is at https://… and production at https://…`, `X is at version 4.12`. */
function readPlace(spoken: SpokenClause, subject: Subject): boolean {
  const { reading, clause, sentence, times, direct } = spoken
  const extra = { ...periodIn(times), by: 'attribute' }
  const at = argumentWith(spoken, 'at', 'on', 'in', 'under')
  const [phrase] = phrasesIn(reading, at ?? direct)
  if (!phrase) return false
  if (at?.preposition === 'on' && subject.isProject)
    return readRunning(reading, phrasesIn(reading, at), extra)
  let isRead = false
  const version =
    at?.preposition === 'at' || at?.preposition === 'on'
      ? /^(?:version )?(v?\d{1,3}(?!\d)[\w.-]*)$/iu.exec(textOf(phrase.tokens, reading.text))
      : null
  const told = version?.[1] ?? (at && phrase.name === 'version' ? phrase.version : undefined)
  if (told && !subject.isProject)
    isRead = reading.value(subject.thing, { aspect: 'versions', attribute: 'version' }, told, extra)
  const place = placeIn(phrase, at?.preposition)
  const isFirst = direct?.tokens.length === 1 || direct?.tokens[1]?.text === ','
  if (place && (at || isFirst)) {
    const [first, second] = [subject, phrase]
    // `registry.example:5000 is the internal image registry` names the address first.
    if (!isHead(first.phrase.name)) isRead = reading.value(first.thing, place, second.name, extra) || isRead
  }
  for (const gap of gapsOf(clause, sentence))
    isRead = readGap(reading, sentence.slice(gap.begin, gap.to)) || isRead
  return isRead || readAddressFirst(spoken, subject)
}

/** `We are on Ubuntu 24.04 and Node 22`. */
function readRunning(
  reading: LineReading,
  phrases: readonly Phrase[],
  extra: { since: string | undefined; by: string },
): boolean {
  const { project } = reading
  const tools = phrases.filter(one => one.isProper && (one.version !== undefined || isToolName(one)))
  if (!project || tools.length !== phrases.length) return false
  return tools
    .map(tool => {
      const object = reading.thingOf(tool)
      if (!object || !reading.link(project, 'uses', object, extra)) return false
      versionFor(reading, project, tool, object, extra)
      return true
    })
    .some(Boolean)
}

function readGap(reading: LineReading, piece: readonly Token[]): boolean {
  const at = piece.findIndex(({ cls }) => cls === 'preposition' || cls === 'to')
  const subject = phraseOf(piece.slice(0, at), reading.text)
  const [argument] = argumentsIn(piece.slice(at))
  const [phrase] = phrasesIn(reading, argument)
  const place = phrase && placeIn(phrase, argument?.preposition)
  return (
    place !== undefined &&
    phrase !== undefined &&
    reading.value(reading.thingOf(subject), place, phrase.name, { by: 'attribute' })
  )
}

function readAddressFirst({ reading, direct, times }: SpokenClause, { phrase }: Subject): boolean {
  const place = placeIn(phrase, undefined)
  const [told] = phrasesIn(reading, direct)
  if (place?.aspect !== 'network' || !told || told.isProper || told.tokens.length > 4) return false
  return reading.value(reading.thingOf(told), place, phrase.name, { ...periodIn(times), by: 'attribute' })
}

/** `The staging URL is X`, `X's repository is Y`, `the limit of X is Y`. */
function readAttribute(spoken: SpokenClause, subject: Subject): boolean {
  const { reading, sentence, clause, times } = spoken
  const { phrase } = subject
  const owned = /^(.+?)['’]s (.+)$/u.exec(phrase.name)
  const of = /^(.+?) (?:of|for) (?:the |our )?(.+)$/u.exec(phrase.name)
  const attribute = owned?.[2] ?? (of && isHead(of[1] ?? '') ? of[1] : undefined) ?? phrase.name
  const isNew = /^(?:minimum|maximum|oldest|lowest|highest|target)\b.* versions?$/iu.test(attribute)
  if (!isHead(attribute) && !isNew) return false
  const ownerName = owned?.[1] ?? (of && attribute === of[1] ? of[2] : undefined)
  const told = textOf(
    sentence.slice(spoken.verb.isPassive ? spoken.verb.at + 1 : spoken.verb.end, endOf(sentence, clause.to)),
    reading.text,
  )
  const value = valueIn(withoutAdverbs(told, spoken), attribute)
  if (value === undefined) return false
  // `UAT lives at X, its database is Y`
  const isIts =
    subject.thing.name.endsWith(` ${phrase.name}`) && /^(?:its|their)$/u.test(phrase.determiner ?? '')
  const owner =
    ownerName === undefined
      ? isIts
        ? { ...subject.thing, name: subject.thing.name.slice(0, -phrase.name.length - 1) }
        : ownerOf(reading, phrase)
      : (reading.context.find(ownerName) ?? ownerNamed(reading, ownerName))
  for (const part of clause.parts) readAlike(reading, sentence.slice(part.begin, part.to))
  return reading.value(owner, { aspect: 'facts', attribute: attribute.replace(/`/gu, '') }, value, {
    ...periodIn(times),
    by: 'attribute',
  })
}

/** `…, minimum Android version 12`: `is` is left out. */
function readAlike(reading: LineReading, piece: readonly Token[]): void {
  const words = piece.filter(({ text }) => !/^[.,;]$/u.test(text))
  const key = phraseOf(words.slice(0, -1), reading.text)
  if (key && words.at(-1)?.cls === 'number') readKeyValue(reading, key, words.slice(-1), true)
}

function withoutAdverbs(told: string, { times }: SpokenClause): string {
  // The period is stored beside the value.
  if (!times.since && !times.until) return told
  return told.replace(/(?<![ ,])[ ,]*\b(?:from|since|starting|as of|until|till|through|on)\b.*$/iu, '')
}

function ownerOf(reading: LineReading, { determiner }: Phrase) {
  return determiner === 'my' ? { name: 'user', type: 'person' } : reading.project
}

function ownerNamed(reading: LineReading, name: string) {
  if (/^(?:the )?user$/iu.test(name)) return { name: 'user', type: 'person' }
  return name.toLowerCase() === reading.project?.name.toLowerCase()
    ? reading.project
    : { name, type: 'component' }
}

/** `The feature store is Feast 0.40`, `the CI runners are c7i.2xlarge`. */
function readKind(spoken: SpokenClause, subject: Subject, reading: LineReading): boolean {
  const { direct, times, args } = spoken
  const { phrase, thing, isProject } = subject
  if (!direct || isProject || isPerson(phrase) || thing.type === 'person') return false
  const phrases = phrasesOf(direct.tokens, reading.text)
  const [told] = phrases
  if (!told || told.isPronoun) return false
  const extra = { ...periodIn(times), by: 'attribute' }
  const ours = /^our (.+)$/iu.exec(afterVerb(spoken))
  // `X is our tool for Y`.
  if (ours && /^\p{Lu}/u.test(phrase.name) && isHead(ours[1] as string))
    return reading.value(
      reading.project,
      { aspect: 'facts', attribute: (ours[1] as string).replace(/\.$/u, '') },
      phrase.name,
      extra,
    )
  if (readFork(spoken, subject, extra) || readMadeOf(spoken, subject, extra)) return true
  const isTool = told.version !== undefined || isToolName(told) || isBrand(told, phrase)
  // `Our DMS is iManage 10`
  const isKind = /^(?:our|the)$/u.test(phrase.determiner ?? '') && /^\p{Lu}{2,5}$/u.test(phrase.name)
  if (told.isProper && isTool && (!phrase.isProper || isKind) && phrases.length === 1) {
    const object = reading.thingOf(told)
    const isTold = reading.link(thing, 'uses', object, extra)
    if (object) versionFor(reading, thing, told, object, extra)
    return isTold
  }
  const isWord = told.tokens.length === 1 && told.head.cls !== 'adjective'
  const isIdentifier = isWord && /[-_.\d]/u.test(told.name) && /\p{L}/u.test(told.name)
  const isAmount =
    (told.head.kind === 'quantity' || (told.head.kind === 'number' && limitHead.test(phrase.name))) &&
    phrases.length === 1 &&
    args.length === 1 &&
    told.tokens.length === 1
  if (isAmount && limitHead.test(phrase.name))
    return reading.value(reading.project, { aspect: 'facts', attribute: phrase.name }, told.name, extra)
  if (isAmount && told.name.endsWith('%')) return false
  if (!isIdentifier && !isAmount) return readDescription(spoken, subject, told, extra)
  if (!phrase.isProper && !isPart(phrase) && !phrase.determiner && !isBareSubject(phrase)) return false
  // `the feature flag for the new cart is cart_v2`
  if (isIdentifier && !reading.isNamed(thing) && phrase.tokens.length <= 7)
    return reading.value(reading.project, { aspect: 'facts', attribute: phrase.name }, told.name, extra)
  const attribute = isAmount ? measureOf(told.name) : 'kind'
  return reading.value(thing, { aspect: 'facts', attribute }, told.name, extra)
}

/** `Uplink is 437.5 MHz`: one capitalised word without an article. */
function isBareSubject({ tokens, determiner, name }: Phrase): boolean {
  return (
    tokens.length <= 3 && !determiner && /^\p{Lu}\p{Ll}{2,}(?: \p{Ll}+)*$/u.test(name) && !/ing$/u.test(name)
  )
}

/** The property that an amount measures, by its unit. */
function measureOf(amount: string): string {
  if (/hz$/iu.test(amount)) return 'frequency'
  if (/(?:bit|b)(?:\/s|ps)$/iu.test(amount)) return 'rate'
  if (/(?:ms|\bs|\bmin|\bh|seconds?|minutes?|hours?|days?|weeks?)$/iu.test(amount)) return 'duration'
  if (/\d ?(?:mV|kV|V|mA|A|mW|kW|W)$/u.test(amount)) return 'power'
  return 'size'
}

const judging =
  /\b(?:problem|issue|mess|pain|joke|bottleneck|nightmare|risk|idea|reason|must|way|candidate|option|choice|culprit|cause|blocker|thing|one|ones|same|best|worst|biggest|next|only|first|last|new|old|current|right|wrong|place|case|exception|goal|plan|rule|answer|question|moment|future|point|rest|limit|priority|focus|concern|responsibility|job|strength|weakness|challenge|need|enemy|friend)\b/iu

/** `station_id is the join key of A and B`, `Argus is our alerting bot`: a description, not a judgement. */
function readDescription(
  spoken: SpokenClause,
  { phrase, thing }: Subject,
  told: Phrase,
  extra: { since: string | undefined; by: string },
): boolean {
  const { reading } = spoken
  const isIdentifier = phrase.tokens.length === 1 && /[-_.\d]|\p{Ll}\p{Lu}/u.test(phrase.name)
  const isKnown = reading.context.find(phrase.name) !== undefined
  const isBare = phrase.tokens.length === 1 && !phrase.determiner && /^\p{Lu}(?!.*ing$)/u.test(phrase.name)
  if (!phrase.isProper && !isIdentifier && !isKnown && !isBare) return false
  const words = afterVerb(spoken).split(' ')
  if (!/^(?:the|our|a|an)$/u.test(told.determiner ?? '') || judging.test(told.name) || words.length > 12)
    return false
  const isSure = (isIdentifier || isKnown) && /^(?:the|our)$/u.test(told.determiner ?? '')
  return reading.value(thing, { aspect: 'facts', attribute: 'description' }, words.slice(1).join(' '), {
    ...extra,
    isSure,
  })
}

const judged = /\b(?:guess|bet|hope|fear|worry|concern|risk|problem|bottleneck|culprit)$/iu
const madeOfProducts =
  /\b(?:bootloader|language|runtime|framework|editor|browser|engine|driver|compiler|linter|formatter|bundler|broker|cache|shell|protocol|format|library|kernel|toolchain|parser|tool|platform|store|orm|database|server|proxy|gateway|queue|scheduler|crm|erp|cms|wiki|tracker|registry|backend|frontend)$/iu

/** `The bootloader is MCUboot`: a word with capitals inside names a product. */
function isBrand({ tokens, name }: Phrase, { determiner, name: of }: Phrase): boolean {
  return (
    tokens.length === 1 &&
    /^(?:the|our)$/u.test(determiner ?? '') &&
    madeOfProducts.test(of) &&
    /^\p{Lu}{2,}\p{Ll}{2,}$|^\p{Lu}\p{Ll}+\p{Lu}\p{L}+$/u.test(name)
  )
}

function isToolName({ name }: Phrase): boolean {
  return isTool(name)
}

const limitHead =
  /\b(?:budget|limit|quota|maximum|max|minimum|min|cap|threshold|timeout|sla|slo|retention|ttl|lifetime|capacity)s?\b/iu

/** True for a limit or another property: `rate limit for partners`. */
export const namesProperty = (phrase: string): boolean => isHead(phrase) || limitHead.test(phrase)

/** `Frame budget: 16 ms`, `region: eu-central-1`, `Lead: Ann`. */
export function readKeyValue(
  reading: LineReading,
  key: Phrase,
  value: readonly Token[],
  isLine: boolean,
): boolean {
  const told = textOf(value, reading.text).replace(/(?<![.\s])[.\s]+$/u, '')
  if (!isLine || reading.context.isSpoken) return false
  if (readRoleLine(reading, key.name, value)) return true
  // `Carrier contracts: ask Ann`
  const asked = /^(?:ask|ping|contact|see)$/u.test(value[0]?.lower ?? '')
  if (asked && readRoleLine(reading, `contact for ${key.name}`, value.slice(1))) return true
  const extra = { by: 'key-value' }
  const hasAmount = /\d/u.test(told)
  if (limitHead.test(key.name) && hasAmount && told.length <= 120)
    return reading.value(reading.project, { aspect: 'facts', attribute: key.name }, told, extra)
  // `CAN bus speed: 250 kbit/s`
  if (value.length === 1 && value[0]?.kind === 'quantity')
    return reading.value(reading.project, { aspect: 'facts', attribute: key.name }, told, extra)
  if (/:\s/u.test(told) || (!told.includes(',') && told.split(/\s+/u).length > 6)) return false
  if (readAddressed(reading, key, value) || readSlot(reading, key, value)) return true
  if (!isHead(key.name) || (told.includes(',') && readVersioned(reading, key, value)))
    return readVersioned(reading, key, value)
  if (/^https?:\/\/\S+$/u.test(told))
    return reading.value(reading.project, { aspect: 'facts', attribute: key.name }, told, extra)
  const plain = valueIn(told, key.name, true)
  return (
    plain !== undefined &&
    reading.value(reading.project, { aspect: 'facts', attribute: key.name }, plain, extra)
  )
}

/** `Auth: Clerk`, `state management: Riverpod`: a task of every project, and what does it. */
function readSlot(reading: LineReading, key: Phrase, value: readonly Token[]): boolean {
  const tokens = value.filter(({ kind }) => kind !== 'mark')
  const told = textOf(tokens, reading.text)
  const isName = tokens.every(
    ({ text, kind, cls }) =>
      kind === 'word' && (/^\p{Lu}[\p{L}\d-]+$|[_\d]/u.test(text) || (reading.areKeys && cls === 'noun')),
  )
  const isTold = isSlot(key.name) && isName && tokens.length > 0 && tokens.length <= 3
  if (
    /^(?:todo|tbd|wip|none|yes|no|ok|done|\p{L}{3,6}day|january|february|march|april|may|june|july|august|\p{L}{3,6}ber)$/iu.test(
      told,
    )
  )
    return false
  if (!isTold || isFirstName(tokens[0]?.text ?? '') || value.length > tokens.length + 1) return false
  return reading.value(reading.project, { aspect: 'facts', attribute: key.name }, told, { by: 'key-value' })
}

/** `MCU: nRF52840 @ 64 MHz`, `Secrets: SOPS + age`: a short key and something technical. */
function readNamed(reading: LineReading, key: Phrase, value: readonly Token[]): boolean {
  const [first] = value
  const told = textOf(value, reading.text)
  const isTechnical =
    first !== undefined &&
    (['dotted', 'quantity', 'host', 'package', 'path'].includes(first.kind) ||
      isTool(first.text) ||
      /^(?=.*\d)(?=.*\p{L})[\w.-]{4,}$/u.test(first.text))
  const isShort = key.tokens.length <= 3 && key.tokens.every(({ cls }) => /^(?:noun|name|verb)$/u.test(cls))
  const areNames =
    phrasesOf(value, reading.text).length > 1 &&
    phrasesOf(value, reading.text).every(one => one.isProper && !isPerson(one, true)) &&
    /[^su]s$/u.test(key.head.lower)
  const isPath = value.length === 1 || first?.kind !== 'path'
  if (value.some((token, at) => /^(?:be|have|modal)$/u.test(token.cls) || (at > 0 && isForm(token, 's'))))
    return false
  if (
    !(isTechnical || areNames) ||
    !isShort ||
    !isPath ||
    told.split(' ').length > 7 ||
    noAddressee.test(key.name)
  )
    return false
  return reading.value(reading.project, { aspect: 'facts', attribute: key.name }, told, { by: 'key-value' })
}

/** `Mail relay: Postfix 3.9`. */
function readVersioned(reading: LineReading, key: Phrase, value: readonly Token[]): boolean {
  const [first, ...more] = phrasesOf(value, reading.text)
  if (first && !first.version) return readNamed(reading, key, value)
  if (!first?.version || !first.isProper || key.tokens.length > 4) return false
  const object = reading.thingOf(first)
  // `Stack: Django 5, PostgreSQL 16`
  for (const one of more) {
    const other = one.isProper ? reading.thingOf(one) : undefined
    if (other && reading.link(reading.project, 'uses', other, { by: 'key-value' }))
      versionFor(reading, reading.project, one, other, { by: 'key-value' })
  }
  // `Engine: Godot 4.3`: nobody looks up `engine`.
  const isSlot = key.tokens.length === 1 && !key.isProper && reading.context.find(key.name) === undefined
  const subject = isSlot ? reading.project : reading.thingOf(key)
  if (isSlot && object)
    reading.value(reading.project, { aspect: 'tools', attribute: key.name }, object.name, { by: 'key-value' })
  if (!subject || !object || !reading.link(subject, 'uses', object, { by: 'key-value' })) return false
  versionFor(reading, subject, first, object, { by: 'key-value' })
  return true
}
