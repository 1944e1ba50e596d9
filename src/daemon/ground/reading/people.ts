import { assignAll, assignRole, lowerFirst, personOf, readOwners, thingsOwned } from './owners.js'
import { periodIn } from './reading.js'
import { wordsOf } from './relations.js'
import { afterVerb, argumentWith, phrasesIn, type SpokenClause, subjectsOf } from './spoken-clause.js'
import { isPerson, isRole } from './syntax/phrases.js'
import { textOf } from './syntax/tokens.js'
import { hasPartNoun } from './words/names.js'

/** The role of somebody who is asked. */
const asContact = { role: 'contact', relation: 'contact for' }

/** Reads owners, roles, who follows whom and who is asked. */
export function readPeople(spoken: SpokenClause): boolean {
  if (spoken.verb.negation) return false
  return (
    readAsked(spoken) ||
    readOwners(spoken) ||
    readSuccessor(spoken) ||
    readWayTo(spoken) ||
    readShared(spoken) ||
    readArea(spoken) ||
    readApproval(spoken) ||
    readAway(spoken)
  )
}

/** `Ask Tomasz about X`, `Yusuf answers questions on X`. */
export function readContact(spoken: SpokenClause): boolean {
  const { verb, reading, direct } = spoken
  if (verb.isImperative && readAddress(spoken)) return true
  if (!verb.isImperative || !['ask', 'contact', 'ping', 'call', 'mail', 'email'].includes(verb.lemma))
    return false
  const person = personOf(reading, subjectsOf(reading, direct)[0])
  const about = argumentWith(spoken, 'about', 'for', 'on', 'regarding')
  if (!person || !about) return false
  const targets = thingsOwned(reading, about)
  return targets.map(target => assignRole(reading, person, asContact, target, spoken)).some(Boolean)
}

/** `Reach him at ann@acme.example`. */
function readAddress(spoken: SpokenClause): boolean {
  const { verb, reading, direct } = spoken
  const [at] = phrasesIn(reading, argumentWith(spoken, 'at', 'under', 'via', 'on'))
  if (!/^(?:reach|contact|mail|email|call|ping|write)$/u.test(verb.lemma) || !at) return false
  const attribute = { email: 'email', handle: 'handle' }[at.head.kind as string]
  const person = subjectsOf(reading, direct)[0]?.thing
  return (
    attribute !== undefined &&
    person?.type === 'person' &&
    reading.value(person, { aspect: 'contact', attribute }, at.name, { by: 'contact' })
  )
}

/** `Questions about X go to Ann`, `access to X goes through Ann`. */
function readWayTo(spoken: SpokenClause): boolean {
  const { verb, reading, sentence, clause } = spoken
  if (!/^(?:go|come|run)$/u.test(verb.lemma) || verb.isPassive || verb.modal || verb.tense === 'past')
    return false
  const person = personOf(
    reading,
    subjectsOf(reading, argumentWith(spoken, 'to', 'through', 'via'))[0],
    false,
  )
  if (!person) return false
  const told = textOf(sentence.slice(clause.begin, verb.start), reading.text)
  const [, about] =
    /^(?:all |any |every )?(?:questions?|requests?|access|changes?|enquiries|inquiries|approvals?|bugs?|reports?|issues?) (?:about|on|to|for|regarding|concerning|with) (?:the |our )?(.+)$/iu.exec(
      told,
    ) ?? []
  const target = about === undefined ? undefined : reading.named(about)
  return target !== undefined && assignRole(reading, person, asContact, target, spoken)
}

/** `Ann is the person to ask about X`. */
function readAsked(spoken: SpokenClause): boolean {
  const { verb, reading, subject } = spoken
  const [, about] =
    verb.lemma === 'be'
      ? (/^the (?:person|one|colleague) to (?:ask|contact|ping|talk to) (?:about|for|regarding) (?:the |our )?(.+)$/iu.exec(
          afterVerb(spoken),
        ) ?? [])
      : []
  const person = about === undefined ? undefined : personOf(reading, subject)
  return (
    person !== undefined && assignRole(reading, person, asContact, reading.named(about as string), spoken)
  )
}

/** `Ann and Bob share the on-call rotation for X`. */
function readShared(spoken: SpokenClause): boolean {
  const { verb, subjects, reading, direct } = spoken
  if (verb.lemma !== 'share' || !direct || verb.tense === 'past') return false
  if (!/\b(?:on-call|on call|rotation|duty|pager)\b/iu.test(textOf(direct.tokens, reading.text))) return false
  const people = subjects.flatMap(subject => personOf(reading, subject) ?? [])
  const targets = thingsOwned(reading, argumentWith(spoken, 'for', 'of'))
  const named = { role: 'on call', relation: 'on call for' }
  return (
    people.length > 0 &&
    targets.map(target => assignAll(reading, people, named, target, spoken)).some(Boolean)
  )
}

const area =
  /(?:^| )(?:frontend|backend|infra(?:structure)?|ops|dev ?ops|design|ux|copy|qa|testing|tests|docs|documentation|mobile|ios|android|security|data|firmware|hardware|billing|support|releases?|networking?|ci|builds?|audio|art|animation|translations?|analytics)$/iu

/** `Frontend is Ann, firmware is mostly Oleh and me`: whose work a part is. */
function readArea(spoken: SpokenClause): boolean {
  const { verb, subject, reading, direct, args } = spoken
  if (verb.lemma === 'do') return readTask(spoken)
  if (verb.lemma !== 'be' || verb.modal || verb.tense === 'past' || !subject || args.length !== 1)
    return false
  const { name, tokens, isPronoun } = subject.phrase
  if (isPronoun || tokens.length > 3 || !(area.test(name) || hasPartNoun(name))) return false
  const told = subjectsOf(reading, direct)
  const others = told.filter(({ isUser }) => !isUser)
  const isSure = others.length < told.length || others.some(({ phrase }) => isPerson(phrase))
  if (!isSure || others.length === 0 || others.some(({ phrase }) => !isPerson(phrase, true))) return false
  const people = others.map(({ thing }) => ({ name: thing.name, type: 'person' }))
  const named = { role: 'responsible', relation: 'responsible for' }
  return assignAll(reading, people, named, subject.thing, spoken)
}

/** `Ilka does UX`: a name that no list knows, for a part of the work. */
function readTask(spoken: SpokenClause): boolean {
  const { verb, subject, reading, direct, args } = spoken
  const [part, other] = phrasesIn(reading, direct)
  if (verb.word !== 'does' || verb.modal || args.length !== 1 || other || !part || !area.test(part.name))
    return false
  const person = personOf(reading, subject)
  const target = reading.thingOf(part)
  if (person?.type !== 'person' || !target) return false
  return assignRole(reading, person, { role: 'responsible', relation: 'responsible for' }, target, spoken)
}

/** `Ann replaced Bob as release manager`. */
function readReplaced(spoken: SpokenClause): boolean {
  const { verb, subject, reading, direct } = spoken
  const [role] = phrasesIn(reading, argumentWith(spoken, 'as'))
  const person = personOf(reading, subject)
  const old = personOf(reading, subjectsOf(reading, direct)[0])
  if (verb.isPassive || !role || !isRole(role.name) || !person || !old) return false
  reading.link(person, 'takes over from', old, { ...periodIn(spoken.times), by: 'owner' })
  const name = lowerFirst(role.name)
  return assignRole(reading, person, { role: name, relation: `${name} of` }, reading.project, spoken)
}

/** `Priya takes over X from Ben in May`. */
function readSuccessor(spoken: SpokenClause): boolean {
  const { verb, subject, reading, direct, times, previous } = spoken
  if (['replace', 'succeed'].includes(verb.lemma)) return readReplaced(spoken)
  if (
    verb.lemma !== 'take' ||
    (verb.particle !== 'over' && !spoken.args.some(({ preposition }) => preposition === 'over'))
  )
    return false
  const person = personOf(reading, subject)
  if (!person || person.type === 'team') return false
  const before = subjectsOf(reading, argumentWith(spoken, 'from'))[0]
  const old = before && (before.thing.type === 'person' ? before.thing : personOf(reading, before))
  const extra = { ...periodIn(times), by: 'owner' }
  const targets = thingsOwned(reading, direct ?? argumentWith(spoken, 'for'))
  for (const target of targets)
    assignRole(reading, person, { role: 'owner', relation: 'owns' }, target, spoken)
  if (old && old.name !== person.name) reading.link(person, 'takes over from', old, extra)
  // The role that the sentence before named goes on.
  const held =
    previous && !direct
      ? reading.facts.findLast(
          fact => fact.aspect === 'people' && fact.value === (old ?? previous.subject?.thing)?.name,
        )
      : undefined
  if (held && extra.since)
    reading.value(held.subject, { aspect: 'people', attribute: held.attribute }, person.name, extra)
  reading.person = person
  return targets.length > 0 || old !== undefined
}

/** `Ann signed off on 2026-02-11`, after a decision. */
function readApproval(spoken: SpokenClause): boolean {
  const { verb, subjects, reading, times } = spoken
  const isApproval =
    (verb.lemma === 'sign' && verb.particle === 'off') ||
    verb.lemma === 'agree' ||
    (verb.lemma === 'approve' && !spoken.direct)
  if (!isApproval || !reading.decided || verb.tense === 'present') return false
  const on = argumentWith(spoken, 'on', 'to')
  const title = on && wordsOf(reading, on).length > 0 && !times.at ? wordsOf(reading, on) : reading.decided
  const extra = { since: times.at ?? times.since, by: 'decision' }
  return subjects
    .flatMap(subject => personOf(reading, subject) ?? [])
    .map(person => reading.value(person, { aspect: 'approvals', attribute: title }, 'approved', extra))
    .some(Boolean)
}

/** `Ann is on leave until 3 July, Ben covers for her`. */
function readAway(spoken: SpokenClause): boolean {
  const { verb, subject, reading, times, previous } = spoken
  const before = previous?.subject?.thing
  const person = personOf(reading, subject)
  if (person?.type !== 'person' || verb.isPassive || verb.modal || verb.isImperative) return false
  const extra = { ...periodIn(times), by: 'owner' }
  if (verb.lemma === 'be' && verb.tense === 'present' && times.until) {
    const [state = ''] = away.exec(afterVerb(spoken)) ?? []
    const slot = { aspect: 'people', attribute: 'status' }
    return state !== '' && reading.value(person, slot, /^(?:out|off)$/u.test(state) ? 'away' : state, extra)
  }
  if (!/^(?:cover|stand|fill|deputi[sz]e)$/u.test(verb.lemma) || verb.tense === 'past') return false
  const [told] = subjectsOf(reading, argumentWith(spoken, 'for', 'in for'))
  const other = told?.phrase.isPronoun ? before : told?.thing
  if (other?.type !== 'person' || other.name === person.name) return false
  reading.value(other, { aspect: 'people', attribute: 'deputy' }, person.name, extra)
  return reading.link(person, 'deputy of', other, extra)
}

const away =
  /^(?:away|out|off|out of office|ooo|on (?:holiday|vacation|leave|(?:parental|sick|maternity|paternity) leave))(?!\p{L})/iu
