import { nameKey } from '../entities/name-key.js'
import type { LineReading } from './reading.js'
import { phraseOf } from './syntax/phrases.js'
import type { Token } from './syntax/tokens.js'

/** Handles, addresses and other names in brackets after a person or a thing. */
export function readAsides(reading: LineReading, sentence: readonly Token[]): void {
  sentence.forEach((token, at) => {
    const [first] = token.aside ?? []
    if (!first) return
    let from = at
    while (
      from > 0 &&
      sentence[from - 1]?.kind === 'word' &&
      /^\p{Lu}/u.test(sentence[from - 1]?.text ?? '') &&
      from > at - 3
    )
      from--
    const name = phraseOf(sentence.slice(from, at + 1), reading.text)
    const isPerson = first.kind === 'handle' || first.kind === 'email'
    // `Mirela Popescu (@mpop)` at the beginning: two capitals and a handle are a name.
    if (!name || (!name.isProper && !(isPerson && /^\p{Lu}\S+ \p{Lu}/u.test(name.name)))) return
    const aka = /^(?:aka|a\.k\.a|also called|also known as|alias)$/iu
    if (isPerson) {
      const person = { name: name.name, type: 'person' }
      reading.person = person
      reading.people.set(nameKey(person.name), person)
      if (first.kind === 'handle') reading.alias(person, first.text, { by: 'alias' })
      else reading.value(person, { aspect: 'contact', attribute: 'email' }, first.text, { by: 'alias' })
    } else if (aka.test(first.lower)) {
      const thing = reading.thingOf(name)
      const alias = token.aside?.at(-1)
      if (thing && alias && alias !== first) reading.alias(thing, alias.text, { by: 'alias' })
    }
  })
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
