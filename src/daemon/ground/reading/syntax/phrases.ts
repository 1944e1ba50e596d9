import { isAmbiguousName, isFirstName, isTool } from '../words/names.js'
import { type Token, textOf } from './tokens.js'

/** A noun phrase: its name without article and version. */
export interface Phrase {
  name: string
  version: string | undefined
  /** `the`, `our`, `its`: how it was determined. */
  determiner: string | undefined
  tokens: readonly Token[]
  /** The last word, which decides what it is. */
  head: Token
  /** Written like a name: capitals, digits, or a listed technology. */
  isProper: boolean
  isPronoun: boolean
  /** After `Dr.` or `Ms`: a person. */
  isTitled: boolean
}

const mark = /^[.,;:!?"“”]$/u
/** Numbers after these words count something, so they are not versions. */
const counted =
  /^(?:rfc|adr|pr|phase|sprint|level|tier|step|week|port|room|studio|milestone|ticket|issue|section|chapter|part|day|table|error|code|status|line|floor|building|revision|rev|pixel|iphone|galaxy|figure|page|node|shard|batch|size|top)s?$/u

/** @returns undefined without a word */
export function phraseOf(given: readonly Token[], text: string): Phrase | undefined {
  let tokens = given.filter(token => !(token.kind === 'mark' && mark.test(token.text)))
  const isSkipped = (token: Token | undefined): boolean =>
    token !== undefined &&
    ['adverb', 'conjunction'].includes(token.cls) &&
    !/^(?:more|less|at|up|about)/u.test(token.lower)
  while (isSkipped(tokens[0])) tokens = tokens.slice(1)
  while (tokens.at(-1)?.cls === 'adverb') tokens = tokens.slice(0, -1)
  let determiner: string | undefined
  while (tokens.length > 1 && tokens[0]?.cls === 'determiner') {
    determiner = tokens[0].lower
    tokens = tokens.slice(tokens[1]?.lower === 'own' && tokens.length > 2 ? 2 : 1)
  }
  const isTitled =
    tokens.length > 1 && /^(?:Dr|Prof|Mr|Mrs|Ms|Frau|Herr|Mme|Sra?)$/u.test(tokens[0]?.text ?? '')
  if (isTitled) tokens = tokens.slice(1)
  if (tokens.length === 0) return undefined
  // `an agency called TestHaus`
  const called = tokens.findIndex(({ lower }) => lower === 'called' || lower === 'named')
  if (called > 0 && /^an?$/u.test(determiner ?? '') && tokens[called + 1]?.cls === 'name') {
    tokens = tokens.slice(called + 1)
    determiner = undefined
  }
  const person = tokens.findIndex(({ cls }) => cls !== 'noun')
  // `her postdoc Kofi Mensah`, `the designer Marta`
  const isOwn = /^(?:my|our|her|his|their)$/u.test(determiner ?? '')
  const isNaming = person > 0 && (isOwn || isRole(textOf(tokens.slice(0, person), text)))
  if (isNaming && isFullName(tokens.slice(person))) {
    tokens = tokens.slice(person)
    determiner = undefined
  }
  const { version, rest: described } = withoutVersion(tokens)
  const rest = withoutAdjectives(described, determiner)
  const head = rest.at(-1) as Token
  const name = textOf(rest, text)
    .replace(/^`(.+)`$/u, '$1')
    .replace(/\s+/gu, ' ')
  return {
    name,
    version,
    determiner,
    tokens: rest,
    head,
    isProper: isProperName(rest, determiner, version),
    isTitled,
    isPronoun: rest.length === 1 && ['pronoun', 'determiner', 'relative'].includes(head.cls),
  }
}

function isFullName(tokens: readonly Token[]): boolean {
  return (
    isFirstName(tokens[0]?.text ?? '') &&
    tokens.every(({ text, kind }) => kind === 'word' && /^\p{Lu}/u.test(text))
  )
}

/** `a dedicated Hetzner AX102`: adjectives before a name do not belong to it. */
function withoutAdjectives(tokens: readonly Token[], determiner: string | undefined): readonly Token[] {
  const isModifier = ({ cls, text }: Token): boolean =>
    cls === 'adjective' ||
    cls === 'adverb' ||
    (cls === 'verb' && /^an?$/u.test(determiner ?? '') && /^\p{Ll}+(?:ing|ed)$/u.test(text))
  const at = tokens.findIndex(token => !isModifier(token))
  const isOther = tokens
    .slice(0, at)
    .some(({ lower }) => /^(?:old|former|previous|new|other|next|last|first)$/u.test(lower))
  return at > 0 && !isOther && tokens.slice(at).every(({ cls }) => cls === 'name') ? tokens.slice(at) : tokens
}

function withoutVersion(tokens: readonly Token[]): { version: string | undefined; rest: readonly Token[] } {
  const bound = tokens.at(-1)?.cls === 'bound' ? ` ${tokens.at(-1)?.lower}` : ''
  const all = bound ? tokens.slice(0, -1) : tokens
  const last = all.at(-1)
  if (all.length < 2 || !last) return { version: undefined, rest: tokens }
  const isSigned = /^[≥>≤<=~^]+$/u.test(all.at(-2)?.text ?? '')
  const before = all[all.length - (isSigned ? 3 : 2)]
  const isBound = bound !== '' && /^\d/u.test(last.text)
  if (!before || !(isBound || isVersion(last, before))) return { version: undefined, rest: all }
  let rest = all.slice(0, isSigned ? -2 : -1)
  if (rest.at(-1)?.lower === 'version' && rest.length > 1) rest = rest.slice(0, -1)
  return { version: `${isSigned ? `${all.at(-2)?.text} ` : ''}${last.text}${bound}`, rest }
}

function isVersion(last: Token, before: Token): boolean {
  if (last.kind === 'version') return before.cls !== 'number' && before.cls !== 'preposition'
  if (/^\d+(?:c|g|i|ts|LTS)$/u.test(last.text)) return before.cls !== 'preposition'
  const isNamed =
    before.cls === 'name' ||
    (before.cls === 'noun' && /^\p{Lu}/u.test(before.text)) ||
    isTool(before.text) ||
    before.lower === 'version'
  return (
    last.kind === 'number' &&
    /^\d+$/u.test(last.text) &&
    Number(last.text) < 3000 &&
    isNamed &&
    (!counted.test(before.lower) || isRuntime(before, last))
  )
}

/** `Node 22`, unlike `node 3`. */
function isRuntime(before: Token, { text }: Token): boolean {
  return before.text === 'Node' && Number(text) >= 10 && Number(text) <= 40
}

function isProperName(
  tokens: readonly Token[],
  determiner: string | undefined,
  version: string | undefined,
): boolean {
  const isNamed = (token: Token): boolean => {
    if (/^[a-z]+(?:-[a-z]+)+$/u.test(token.text))
      return (
        tokens.length === 1 &&
        !determiner &&
        (version !== undefined || !/(?:[^su]s|ing|ed)$/u.test(token.lower))
      )
    if (token.cls === 'name') return true
    if (isTool(token.text)) return true
    if (!/^\p{Lu}/u.test(token.text) || token.kind !== 'word') return false
    return !token.isFirst || isFirstName(token.text) || isTool(tokens.map(one => one.text).join(' '))
  }
  if (isContainer({ tokens })) return true
  const isFiller = (token: Token): boolean =>
    (token.cls === 'preposition' && tokens.length > 1 && token.lower === 'of') ||
    ['determiner', 'possessive', 'number'].includes(token.cls)
  return tokens.some(isNamed) && tokens.every(token => isNamed(token) || isFiller(token))
}

/** `the bucket toys-fw`, `the S3 bucket toys-fw`: a kind of container and its identifier. */
export function isContainer({ tokens }: Pick<Phrase, 'tokens'>): boolean {
  return (
    tokens.length <= 3 &&
    /^(?:bucket|queue|topic|channel|repo|repository|table|database|schema|namespace|index|stream|cluster|vault|folder|account)$/u.test(
      tokens.at(-2)?.lower ?? '',
    ) &&
    /[-_.]|^`/u.test(tokens.at(-1)?.text ?? '')
  )
}

/** Several phrases joined by commas and conjunctions. */
export function phrasesOf(tokens: readonly Token[], text: string): Phrase[] {
  const parts: Token[][] = [[]]
  for (const token of tokens) {
    const isJoint =
      token.text === ',' || token.text === '+' || (token.cls === 'conjunction' && token.lower !== 'but')
    if (isJoint) parts.push([])
    else parts.at(-1)?.push(token)
  }
  const phrases = parts.flatMap(part => phraseOf(part, text) ?? [])
  const isApposition =
    phrases.length === 2 &&
    !tokens.some(({ aside }) => aside) &&
    !tokens.some(({ cls, text: mark }) => cls === 'conjunction' || mark === '+') &&
    !phrases.every(({ version, name }) => version !== undefined || isTool(name))
  // `Sentry, project quest-mobile` is one thing; so is `an external company, Etiketa GmbH`.
  if (isApposition)
    return (/^(?:a|an)$/u.test(phrases[0]?.determiner ?? '') && phrases[1]?.isProper) || isAddressOf(phrases)
      ? phrases.slice(1)
      : phrases.slice(0, 1)
  return joinedHead(phrases) ? phrasesWithHead(phrases) : phrases
}

/** `its own repo, git.acme.example/labels`: a place by its address. */
function isAddressOf([place, address]: readonly Phrase[]): boolean {
  return (
    /^(?:repo|repository|bucket|folder|directory|server|host|page|wiki|registry)$/u.test(
      place?.head.lower ?? '',
    ) && ['url', 'path', 'host', 'dotted'].includes(address?.head.kind ?? '')
  )
}

/** `checkout and payment services`: the last word is shared. */
function joinedHead([first, second, ...more]: readonly Phrase[]): boolean {
  if (!first || !second || more.length > 0) return false
  const isShort = first.tokens.length === 1 && second.tokens.length === 2 && !second.determiner
  return (
    isShort &&
    !first.isProper &&
    !second.isProper &&
    first.head.cls === 'noun' &&
    /[^s]s$/u.test(second.head.lower) &&
    !/s$/u.test(first.head.lower)
  )
}

function phrasesWithHead([first, second]: readonly Phrase[]): Phrase[] {
  const head = (second as Phrase).head.text.replace(/s$/u, '')
  return [
    { ...(first as Phrase), name: `${first?.name} ${head}` },
    { ...(second as Phrase), name: (second as Phrase).name.replace(/s$/u, '') },
  ]
}

const nameParticle =
  /^(?:van|von|de|der|den|del|della|di|da|dos|du|la|le|el|al|bin|ibn|ben|ter|ten|zu|af|av|y|e|\.|-)$/u
const groups =
  /^(?:The|Everyone|Nobody|Everybody|Someone|Team|Security|Compliance|Legal|Finance|Support|Marketing|Sales|Product|Platform|Design|Ops|Infra|Only|Always|Never|Designers|Developers|Engineers|Reviewers|Client|Customer|Marketing|Each|Every|Staging|Production|Backend|Frontend|Note|Today|Tests?|Builds?|Users?|Data|This|That)$/u

/** @param isActing true if only people do what is said: `X owns …` */
export function isPerson(phrase: Phrase | undefined, isActing = false): boolean {
  if (!phrase) return false
  if (phrase.head.kind === 'handle' || phrase.isTitled) return true
  if (phrase.version || phrase.determiner) return false
  const words = phrase.tokens.filter(({ text }) => !nameParticle.test(text)).map(({ text }) => text)
  const [first = ''] = words
  if (words.length === 0 || words.length > 3) return false
  const isName = words.every(
    word =>
      /^\p{Lu}[\p{L}'’-]*$/u.test(word) && !/^\p{Lu}{2,}$/u.test(word) && !/\p{Ll}\p{Lu}{2}/u.test(word),
  )
  if (!isName || phrase.tokens.some(({ kind }) => kind !== 'word')) return false
  if (isTool(phrase.name) && !isActing) return false
  if (
    isFirstName(first) &&
    (words.length > 1 ? !isTool(words[1] ?? '') : isActing || !isAmbiguousName(first))
  )
    return true
  if (!isActing || isTool(first) || isTool(phrase.name)) return false
  return words.length > 1
    ? !words.some(word => groups.test(word))
    : !groups.test(first) && !/[^siuao]s$/u.test(first) && first.length > 2
}

const regions =
  /^(?:(?:us|eu|ap|sa|ca|me|af|il)-(?:[a-z]+-)+\d[a-z]?|(?:europe|us|asia|australia|northamerica|southamerica)-[a-z]+\d(?:-[a-z])?)$/u

export function isRegion(name: string): boolean {
  return regions.test(name)
}

/** The type of the entity that a phrase names. */
export function typeOf(phrase: Phrase, isActing = false): string {
  const { name, head, version, tokens, isProper } = phrase
  if (isPerson(phrase, isActing)) return 'person'
  if (head.kind === 'channel') return 'channel'
  if (head.kind === 'package') return 'tool'
  const lower = name.toLowerCase()
  if (/\b(?:team|guild|squad|department|group|crew|shift)$/u.test(lower)) return 'team'
  if (isRegion(lower) || /\b(?:data ?cent(?:er|re)|region|office|studio)\b/u.test(lower)) return 'place'
  if (isTool(name)) return 'tool'
  if (version && isProper) return 'tool'
  if (tokens.length === 1 && /^(?:[a-z0-9]+[-_])+[a-z0-9]+$/u.test(name)) return 'component'
  return isProper && tokens.some(({ text }) => /\p{Ll}\p{Lu}|[.+#]/u.test(text))
    ? 'tool'
    : isProper
      ? 'concept'
      : 'component'
}

const roles =
  'owner|co-owner|maintainer|lead|leader|head|manager|contact|admin|administrator|architect|reviewer|approver|on-call|on call|oncall|deputy|dba|ciso|cto|ceo|cfo|pi|pm|po|sre|designer|developer|engineer|tester|analyst|sponsor|steward|champion|mentor|author|founder|coordinator|master|expert|specialist|director|officer|supervisor|custodian|representative|intern|consultant|responder|gatekeeper|backup|substitute|captain|chief|chair|president|secretary|treasurer|shepherd|marshal|warden|nurse|doctor|teacher|professor|trainer|auditor|curator|accountant|lawyer|buyer|planner|\\p{L}{4,}(?:ist|ician|arian)|deputy lead|contact person|point of contact'
const role = new RegExp(`(?:^|[ -])(?:${roles})s?$`, 'iu')

export function isRole(name: string): boolean {
  return role.test(name)
}
