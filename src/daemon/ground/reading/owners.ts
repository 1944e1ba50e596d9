import { type LineReading, type NamedThing, periodIn, type Subject } from './reading.js'
import {
  type Argument,
  afterVerb,
  argumentWith,
  gapsOf,
  phrasesIn,
  type SpokenClause,
  subjectsOf,
} from './spoken-clause.js'
import { isPerson, isRole, phraseOf, phrasesOf } from './syntax/phrases.js'
import { periodOf, type Times } from './syntax/times.js'
import { type Token, textOf } from './syntax/tokens.js'

/** Verbs by which people own things, and the role that they give. */
const owning: Readonly<Record<string, readonly [relation: string, role: string]>> = {
  own: ['owns', 'owner'],
  maintain: ['maintains', 'maintainer'],
  lead: ['leads', 'lead'],
  head: ['leads', 'lead'],
  manage: ['manages', 'manager'],
  oversee: ['manages', 'manager'],
  coordinate: ['leads', 'lead'],
  supervise: ['supervises', 'supervisor'],
  administer: ['administers', 'administrator'],
  inherit: ['owns', 'owner'],
  look_after: ['maintains', 'maintainer'],
  answer: ['contact for', 'contact'],
  run: ['leads', 'lead'],
  handle: ['responsible for', 'responsible'],
  review: ['reviews', 'reviewer'],
  approve: ['approves', 'approver'],
  sign_off: ['approves', 'approver'],
  design: ['designs', 'designer'],
  write: ['writes', 'author'],
  do: ['responsible for', 'responsible'],
  cover: ['responsible for', 'responsible'],
}
/** Verbs that programs take too: `Maestro does the tests`. */
const toolVerbs = new Set([
  'do',
  'cover',
  'run',
  'handle',
  'manage',
  'write',
  'rewrite',
  'design',
  'build',
  'implement',
  'create',
])
/** Verbs that tell who made something, also in the past. */
const made: Readonly<Record<string, readonly [relation: string, role: string]>> = {
  design: ['designed', 'designer'],
  write: ['wrote', 'author'],
  rewrite: ['rewrote', 'author'],
  build: ['built', 'author'],
  implement: ['implemented', 'author'],
  create: ['created', 'author'],
  do: ['made', 'author'],
}

/** Reads owners and roles. */
export function readOwners(spoken: SpokenClause): boolean {
  return !spoken.verb.negation && (readOwning(spoken) || readOwned(spoken) || readBeing(spoken))
}

export function personOf(
  reading: LineReading,
  subject: Subject | undefined,
  isActing = true,
): NamedThing | undefined {
  if (!subject || subject.isProject || subject.isUser) return undefined
  const { thing, phrase } = subject
  if (thing.type === 'person') return thing
  if (!isPerson(phrase, isActing) && !isTeam(phrase.name)) return undefined
  const person = { name: thing.name, type: isTeam(thing.name) ? 'team' : 'person' }
  if (person.type === 'person') reading.person = person
  return person
}

function isTeam(name: string): boolean {
  return (
    /\b(?:team|guild|squad|department|group|crew)$/iu.test(name) ||
    /^(?:logistics|finance|marketing|sales|support|legal|security|compliance|operations|ops|infra|hr|procurement|qa|accounting|customer (?:support|success|care))$/iu.test(
      name,
    )
  )
}

/** Records who has a role for something: a value of the thing, and a link of the person. */
export function assignRole(
  reading: LineReading,
  person: NamedThing,
  { role, relation }: { role: string; relation: string },
  target: NamedThing | undefined,
  spoken: Pick<SpokenClause, 'times'>,
): boolean {
  const extra = { ...periodIn(spoken.times), by: 'owner' }
  if (person.type === 'person') reading.person = person
  if (!target) return reading.value(person, { aspect: 'people', attribute: 'role' }, role, extra)
  const isTold = reading.value(target, { aspect: 'people', attribute: role }, person.name, extra)
  return reading.link(person, relation, target, extra) || isTold
}

function readOwning(spoken: SpokenClause): boolean {
  const { verb, subjects, reading, direct } = spoken
  const isPast = verb.tense === 'past' || verb.tense === 'perfect'
  const found =
    (isPast ? made[verb.lemma] : undefined) ??
    owning[`${verb.lemma}${verb.particle ? `_${verb.particle}` : ''}`]
  if (isPast && verb.lemma === 'do' && (spoken.times.at || spoken.args.length > 1)) return false
  if (!found || verb.isPassive || verb.isImperative || (verb.modal && verb.modal !== 'will')) return false
  const isLeading = isTeam(phrasesIn(reading, direct)[0]?.name ?? '')
  const isActing = !toolVerbs.has(verb.lemma) || isLeading
  const people = subjects.flatMap(subject => personOf(reading, subject, isActing) ?? [])
  const object = direct ?? (verb.lemma === 'look' ? argumentWith(spoken, 'after') : undefined)
  // `looks after her mother`
  if (verb.lemma === 'look' && /^(?:her|his|their)$/u.test(object?.tokens[0]?.lower ?? '')) return false
  const objects = thingsOwned(reading, changedIn(spoken, object) ?? object)
  // `Ben wrote a test`
  if (
    verb.lemma in made &&
    phrasesIn(reading, object).some(({ determiner }) => /^an?$/u.test(determiner ?? ''))
  )
    return false
  if (people.length === 0 || objects.length === 0) return false
  const [relation, role] = found
  const isSure = verb.lemma !== 'run' || objects.every(({ type }) => type !== 'tool')
  return (
    isSure &&
    objects.map(target => assignAll(reading, people, { role, relation }, target, spoken)).some(Boolean)
  )
}

/** `Ann approves every change to the parser`: what she approves is the parser. */
function changedIn(spoken: SpokenClause, object: Argument | undefined): Argument | undefined {
  const told = object && textOf(object.tokens, spoken.reading.text)
  return told &&
    /^(?:(?:every|each|all|any)(?: the)? )?(?:changes?|prs?|pull requests?|commits?|releases?)$/iu.test(told)
    ? argumentWith(spoken, 'to', 'of', 'for', 'on', 'in')
    : undefined
}

/** Several people share one value, so that they do not contradict each other. */
export function assignAll(
  reading: LineReading,
  people: readonly NamedThing[],
  named: { role: string; relation: string },
  target: NamedThing,
  spoken: Pick<SpokenClause, 'times'>,
): boolean {
  if (people.length === 1) return assignRole(reading, people[0] as NamedThing, named, target, spoken)
  const extra = { ...periodIn(spoken.times), by: 'owner' }
  const names = people.map(({ name }) => name)
  reading.value(
    target,
    { aspect: 'people', attribute: named.role },
    `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`,
    extra,
  )
  return people.map(person => reading.link(person, named.relation, target, extra)).some(Boolean)
}

export function thingsOwned(reading: LineReading, argument: Argument | undefined): NamedThing[] {
  return subjectsOf(reading, argument)
    .filter(({ isUser }) => !isUser)
    .map(({ thing }) => thing)
}

/** `X is owned by Ann`. */
function readOwned(spoken: SpokenClause): boolean {
  const { verb, subjects, reading } = spoken
  const found = owning[verb.lemma]
  if (!found || !verb.isPassive || verb.lemma === 'run' || verb.lemma === 'handle') return false
  const by = argumentWith(spoken, 'by')
  const people = subjectsOf(reading, by).flatMap(subject => personOf(reading, subject) ?? [])
  if (people.length === 0) return false
  const [relation, role] = found
  // `X is led by Ann, Y by Ben`
  for (const gap of gapsOf(spoken.clause, spoken.sentence)) {
    const [thing, other] = partsOfGap(spoken, gap)
    const person = other && personOf(reading, reading.subjectOf(other))
    if (thing && person)
      assignRole(reading, person, { role, relation }, reading.thingOf(thing), { times: {} })
  }
  return subjects
    .map(({ thing }) => assignAll(reading, people, { role, relation }, thing, spoken))
    .some(Boolean)
}

/** `Ann is the owner of X`, `Ann is responsible for X`, `the owner of X is Ann`. */
function readBeing(spoken: SpokenClause): boolean {
  const { verb, subjects, reading, direct } = spoken
  if (!['be', 'become'].includes(verb.lemma) || (verb.modal && verb.modal !== 'will')) return false
  const people = subjects.flatMap(subject => personOf(reading, subject) ?? [])
  if (
    people.length > 0 &&
    people.length === subjects.length &&
    subjects.every(({ phrase }) => phrase.name !== '')
  ) {
    const told =
      /^(?:now |currently |also )?(responsible|accountable|in charge|on call|on-call|on duty)\b/iu.exec(
        afterVerb(spoken),
      )
    if (told) return readDuty(spoken, people, (told[1] as string).toLowerCase())
    if (direct) return readTitle(spoken, people, direct)
    return false
  }
  return readHolder(spoken) || readDutyFirst(spoken)
}

/** The phrases before and after the preposition of a piece without its verb. */
function partsOfGap({ sentence, reading }: SpokenClause, { begin, to }: { begin: number; to: number }) {
  const piece = sentence.slice(begin, to).filter(({ text }) => !/^[.,;]$/u.test(text))
  const at = piece.findIndex(({ cls }) => cls === 'preposition')
  return [phraseOf(piece.slice(0, at), reading.text), phraseOf(piece.slice(at + 1), reading.text)] as const
}

/** `Responsible for X is Ann`. */
function readDutyFirst(spoken: SpokenClause): boolean {
  const { reading, sentence, clause, verb, direct } = spoken
  const [, duty = '', of = ''] =
    /^(responsible|accountable|in charge) (?:for|of) (?:the |our )?(\S.*)$/iu.exec(
      textOf(sentence.slice(clause.begin, verb.start), reading.text),
    ) ?? []
  const people = subjectsOf(reading, direct).flatMap(subject => personOf(reading, subject) ?? [])
  if (duty === '' || people.length === 0) return false
  const named = { role: 'responsible', relation: 'responsible for' }
  return assignAll(reading, people, named, reading.named(of), spoken)
}

function readDuty(spoken: SpokenClause, people: readonly NamedThing[], word: string): boolean {
  const { reading } = spoken
  const targets = thingsOwned(reading, argumentWith(spoken, 'for', 'of', 'in charge of'))
  const isOnCall = /call|duty/u.test(word)
  const named = isOnCall
    ? { role: 'on call', relation: 'on call for' }
    : { role: 'responsible', relation: 'responsible for' }
  // `Ann is responsible for A and Ben for B`
  for (const gap of gapsOf(spoken.clause, spoken.sentence)) {
    const [who, target] = partsOfGap(spoken, gap)
    const other = who && personOf(reading, reading.subjectOf(who))
    if (other && target) assignRole(reading, other, named, reading.thingOf(target), { times: {} })
  }
  if (targets.length > 0)
    return targets.map(target => assignAll(reading, people, named, target, spoken)).some(Boolean)
  return (
    isOnCall &&
    people.map(person => assignRole(reading, person, named, reading.project, spoken)).some(Boolean)
  )
}

function readTitle(spoken: SpokenClause, people: readonly NamedThing[], direct: Argument): boolean {
  const { reading } = spoken
  const [phrase] = phrasesIn(reading, direct)
  if (!phrase) return false
  const [, role = phrase.name, of] = /^(.+?) of (?:the |our )?(.+)$/u.exec(phrase.name) ?? []
  if (!isRole(role)) return false
  // `Greta owns X, Idris is her backup`
  const before = /^(?:his|her|their)$/u.test(phrase.determiner ?? '')
    ? spoken.previous?.subject?.thing
    : undefined
  if (before?.type === 'person')
    return people
      .map(person =>
        assignRole(
          reading,
          person,
          { role: lowerFirst(role), relation: relationFor(lowerFirst(role)) },
          before,
          spoken,
        ),
      )
      .some(Boolean)
  const targets = of
    ? phrasesOf(phrase.tokens.slice(-of.split(' ').length), reading.text).flatMap(
        one => reading.thingOf(one) ?? [],
      )
    : thingsOwned(reading, argumentWith(spoken, 'for', 'of', 'on', 'at', 'in', 'behind'))
  const name = lowerFirst(role)
  if (targets.length === 0) {
    const isOwn = phrase.determiner === 'the' || phrase.determiner === 'our'
    return people
      .map(person =>
        assignRole(
          reading,
          person,
          { role: name, relation: `${name} of` },
          isOwn ? reading.project : undefined,
          spoken,
        ),
      )
      .some(Boolean)
  }
  return targets
    .map(target => assignAll(reading, people, { role: name, relation: relationFor(name) }, target, spoken))
    .some(Boolean)
}

export function lowerFirst(role: string): string {
  return role.replace(/^\p{Lu}(?=\p{Ll})/u, letter => letter.toLowerCase())
}

function relationFor(role: string): string {
  if (role === 'owner') return 'owns'
  if (role === 'maintainer') return 'maintains'
  return /contact|on[- ]call/u.test(role) ? `${role} for` : `${role} of`
}

/** `The owner of X is Ann`, `Maintainers are A, B and C`. */
function readHolder(spoken: SpokenClause): boolean {
  const { subject, direct, reading } = spoken
  const name = subject?.phrase.name ?? ''
  const [, role = '', , of = ''] =
    /^(.+?)s?( (?:of|for) (?:the |our )?(.+))$/u.exec(name.split(/ (?:from|on) /u)[0] ?? '') ??
    /^(.+?)()()$/u.exec(name) ??
    []
  const owned = /^(.+?)['’]s (.+)$/u.exec(name)
  const title = (owned?.[2] ?? role).replace(/s$/u, '')
  if (!direct) return false
  // `Maintainers are @ann (core) and @bob (docs)`
  if (isRole(title) && direct.tokens.some(({ aside }) => aside) && readHoldersOf(reading, direct, title))
    return true
  // `Hanne runs the team; her backup is Ivo`
  const isOfPerson =
    /^(?:his|her|their)$/u.test(subject?.phrase.determiner ?? '') && reading.person !== undefined
  // `Grafana is at …, admin is Ann`
  const isFree = /^(?:its|their)?$/u.test(spoken.subject?.phrase.determiner ?? '')
  const before = owned || of !== '' || !isFree ? undefined : thingBefore(spoken)
  const owner = isOfPerson && !owned && of === '' ? reading.person?.name : (owned?.[1] ?? (before || of))
  return readHolders(reading, direct, { title, of: owner ?? '' }, spoken)
}

/** The thing of which the clause before speaks. */
function thingBefore({ previous }: SpokenClause): string | undefined {
  const subject = previous?.subject
  const isThing = subject && !subject.isProject && !subject.isUser && subject.thing.type !== 'person'
  return isThing && !isRole(subject.phrase.name) && !subject.phrase.isPronoun ? subject.thing.name : undefined
}

/** `Owner of the forecasts table: Priya Nair`, `Maintainers: A and B`. */
export function readRoleLine(reading: LineReading, key: string, value: readonly Token[]): boolean {
  // `On call this week: …` ends with the week.
  const [, name = key, passing] = /^(.+) (this (?:week|month|quarter|sprint|year))$/iu.exec(key) ?? []
  const next = passing && periodOf(passing, reading.context.saidAt)?.next.toISOString()
  const times: Times = passing ? { ...(next && { until: next }) } : {}
  const [, role = '', of = ''] =
    /^(.+?) (?:of|for|at|in) (?:the |our )?(.+)$/u.exec(name) ?? /^(.+)()$/u.exec(name) ?? []
  const title = role.replace(/s$/u, '')
  // `Ann Berg, +31 20 555 0199`: how she is reached follows.
  const isReach = ({ kind, text }: Token | undefined = {} as Token): boolean =>
    kind === 'email' || kind === 'handle' || /^\+?\d/u.test(text)
  const end = value.findIndex(
    ({ kind, text }, at) =>
      kind === 'mark' && (/^[.;(]$/u.test(text) || (text === ',' && isReach(value[at + 1]))),
  )
  const tokens = end < 0 ? value : value.slice(0, end)
  const told = { preposition: undefined, tokens: [...tokens], isInfinitive: false, isGerund: false }
  if (isRole(title) && tokens.some(({ aside }) => aside)) return readHoldersOf(reading, told, title)
  return readHolders(reading, told, { title, of }, { times })
}

/** `Contacts: Ravi (ranking), Mei (search)`: the brackets say for what. */
function readHoldersOf(reading: LineReading, told: Argument, title: string): boolean {
  const role = lowerFirst(title)
  return subjectsOf(reading, told)
    .map(subject => {
      const person = personOf(reading, subject)
      const target = reading.thingOf(phraseOf(subject.phrase.head.aside ?? [], reading.text))
      if (!person || !target) return false
      return assignRole(reading, person, { role, relation: relationFor(role) }, target, { times: {} })
    })
    .some(Boolean)
}

function readHolders(
  reading: LineReading,
  told: Argument,
  { title, of: owner }: { title: string; of: string },
  spoken: Pick<SpokenClause, 'times'>,
): boolean {
  if (!isRole(title)) return false
  const people = subjectsOf(reading, told).flatMap(one => personOf(reading, one) ?? [])
  if (people.length === 0 || people.length !== phrasesIn(reading, told).length) return false
  const target = owner === '' ? reading.project : reading.named(owner)
  return (
    target !== undefined &&
    assignAll(
      reading,
      people,
      { role: lowerFirst(title), relation: relationFor(lowerFirst(title)) },
      target,
      spoken,
    )
  )
}
