import { nameKey } from '../entities/name-key.js'
import { placeIn } from './places.js'
import type { LineReading } from './reading.js'
import { versionFor } from './related.js'
import { type Phrase, phraseOf, phrasesOf } from './syntax/phrases.js'
import { tag } from './syntax/tag.js'
import { type Token, textOf } from './syntax/tokens.js'
import { hasPartNoun, isFirstName, isTool, languages } from './words/names.js'

/** Handles, addresses and other names in brackets after a person or a thing. */
export function readAsides(reading: LineReading, sentence: readonly Token[]): void {
  sentence.forEach((token, at) => {
    const [first] = token.aside ?? []
    if (!first || readMadeWith(reading, sentence, at)) return
    let from = at
    while (
      from > 0 &&
      sentence[from - 1]?.kind === 'word' &&
      /^\p{Lu}/u.test(sentence[from - 1]?.text ?? '') &&
      from > at - 3
    )
      from--
    const isUser =
      token.aside?.length === 1 && isUserName(first.text, textOf(sentence.slice(from, at + 1), reading.text))
    const isPerson = isUser || first.kind === 'handle' || first.kind === 'email'
    // `Ann Lee from DataOps (ann@acme.example)`: how Ann is reached.
    const isFrom = isPerson && from > 1 && /^(?:from|of|in|at)$/u.test(sentence[from - 1]?.lower ?? '')
    const member = isFrom ? personBefore(sentence, from - 1, reading) : undefined
    const name = member ?? phraseOf(sentence.slice(from, at + 1), reading.text)
    if (!name || (!name.isProper && !(isPerson && isNameOf(name.name, first.text)))) return
    if (readPlaceAside(reading, token.aside ?? [], name)) return
    const aka = /^(?:aka|a\.k\.a|also called|also known as|alias)$/iu
    if (isPerson) {
      const person = { name: name.name, type: 'person' }
      reading.person = person
      reading.people.set(nameKey(person.name), person)
      if (first.kind === 'handle' || isUser) reading.alias(person, first.text, { by: 'alias' })
      else reading.value(person, { aspect: 'contact', attribute: 'email' }, first.text, { by: 'alias' })
    } else if (aka.test(first.lower)) {
      const thing = reading.thingOf(name)
      const alias = token.aside?.at(-1)
      if (thing && alias && alias !== first) reading.alias(thing, alias.text, { by: 'alias' })
    }
  })
}

/** `Our LDAP (ldap://dir.corp.example:389)`. */
function readPlaceAside(reading: LineReading, [told, more]: readonly Token[], name: Phrase): boolean {
  const phrase =
    told && !more && ['url', 'host'].includes(told.kind) ? phraseOf([told], reading.text) : undefined
  const place = phrase && placeIn(phrase, 'at')
  return (
    place !== undefined && reading.value(reading.thingOf(name), place, phrase?.name ?? '', { by: 'aside' })
  )
}

/** `The tariff service (Kotlin, Ktor 2.3)`: brackets with nothing but technologies. */
function readMadeWith(reading: LineReading, sentence: readonly Token[], at: number): boolean {
  const told = [...(sentence[at]?.aside ?? [])]
  tag(told)
  const named = phrasesOf(told, reading.text)
  if (!named.every(({ name }) => isTool(name))) return false
  let from = at + 1
  while (from > 0 && from > at - 2 && /^(?:noun|name)$/u.test(sentence[from - 1]?.cls ?? '')) from--
  const phrase = phraseOf(sentence.slice(from, at + 1), reading.text)
  if (!phrase || !(hasPartNoun(phrase.name) || reading.context.find(phrase.name))) return false
  const thing = reading.thingOf(phrase)
  return named
    .map(one => {
      const object = { name: one.name, type: 'tool' }
      const relation = languages.has(one.name.toLowerCase()) ? 'written in' : 'uses'
      if (!reading.link(thing, relation, object, { by: 'aside' })) return false
      versionFor(reading, thing, one, object, { by: 'aside' })
      return true
    })
    .some(Boolean)
}

/** `Mirela Popescu (mpopescu)`: a login made of first and last name. */
function isUserName(word: string, name: string): boolean {
  const [first = '', ...rest] = nameKey(name).split(' ')
  const last = rest.at(-1) ?? ''
  if (last.length < 3 || !/^\p{Ll}[\p{Ll}\d._-]{3,}$/u.test(word)) return false
  const login = word.replace(/[._-]|(?<!\d)\d+$/gu, '')
  return [
    `${first.charAt(0)}${last}`,
    `${first}${last}`,
    `${last}${first}`,
    `${last}${first.charAt(0)}`,
    `${first}${last.charAt(0)}`,
  ].includes(login)
}

/** `Mirela Popescu (@mpop)`, `Malin (@malin)`: two capitals, or a handle that begins like the name. */
function isNameOf(name: string, handle: string): boolean {
  return /^\p{Lu}\S+ \p{Lu}/u.test(name) || nameKey(handle).startsWith(nameKey(name))
}

function personBefore(sentence: readonly Token[], to: number, { text }: LineReading): Phrase | undefined {
  let from = to
  while (from > 0 && from > to - 2 && /^\p{Lu}\p{L}+$/u.test(sentence[from - 1]?.text ?? '')) from--
  const phrase = phraseOf(sentence.slice(from, to), text)
  return phrase && isFirstName(phrase.tokens[0]?.text ?? '') ? phrase : undefined
}

/** `X, also known as Y`, `k8s is short for Kubernetes`. */
export function readAlias(reading: LineReading): boolean {
  const told = reading.quote
  const known =
    /^(?:the )?([\p{L}\p{N}][\p{L}\p{N}.+#_-]*(?: [\p{L}\p{N}.+#_-]+)?)(?:,| \()\s*(?:also known as|also called|aka|a\.k\.a\.) ([\p{L}\p{N}][\p{L}\p{N}.+#_-]*)[,)]?/iu.exec(
      told,
    )
  const short = known
    ? null
    : /^([\p{L}\p{N}][\p{L}\p{N}.+#_-]*) (?:is short for|stands for|is an alias (?:of|for)|means the same as) ([\p{L}\p{N}][\p{L}\p{N}.+#_ -]*)$/u.exec(
        told,
      )
  const [of, other] = known ? [known[1], known[2]] : [short?.[2], short?.[1]]
  if (!of || !other) return false
  const thing = reading.named(of, 'concept')
  reading.alias(thing, other, { by: 'alias' })
  return short !== null
}
