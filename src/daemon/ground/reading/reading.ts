import { nameKey } from '../entities/name-key.js'
import { isBelievable, isClearValue } from './syntax/believable.js'
import { isPerson, type Phrase, typeOf } from './syntax/phrases.js'
import type { Times } from './syntax/times.js'

/** Something that facts are about. */
export interface NamedThing {
  name: string
  /** An entity type: `person`, `tool`, `component` and so on. */
  type: string
}

/** One fact of a note, as a person would write it down. */
export interface Fact {
  subject: NamedThing
  kind: 'value' | 'link' | 'alias'
  /** Aspect of a value: `versions`, `people`, `rules`; empty for links and aliases. */
  aspect: string
  /** Attribute of a value, relation of a link. */
  attribute: string
  /** Other end of a link. */
  object: NamedThing | undefined
  value: string
  since: string | undefined
  until: string | undefined
  isSure: boolean
  /** Name of the rule that read it, for statistics. */
  by: string
  /** The sentence that says it, word for word. */
  quote: string
}

/** Signs of the type of a note. */
export type Cue =
  | 'rule'
  | 'order'
  | 'preference'
  | 'decision'
  | 'lesson'
  | 'procedure'
  | 'problem'
  | 'hedge'
  | 'commit'

export interface ReadingContext {
  /** The project of the note; undefined if it has none. */
  project: NamedThing | undefined
  /** Time of the note, ISO 8601; empty if unknown. */
  saidAt: string
  /** Finds something known by name or alias. */
  find(name: string): NamedThing | undefined
  /** True for a message of a conversation, where requests may only concern the current task. */
  isSpoken: boolean
  /** True if the text is this line alone: `Runs on port 5000` is said of the project. */
  isAlone?: boolean
}

export const user: NamedThing = { name: 'user', type: 'person' }

/** The subject of a clause: something, and the phrase that names it. */
export interface Subject {
  thing: NamedThing
  phrase: Phrase
  isProject: boolean
  isUser: boolean
}

type Extra = Partial<Pick<Fact, 'since' | 'until' | 'isSure'>> & { by: string }

/** Collects the facts and signs of one line of a text. */
export class LineReading {
  readonly facts: Fact[] = []
  readonly cues = new Set<Cue>()
  /** People whom a handle or an address in brackets shows, by folded name. */
  readonly people = new Map<string, NamedThing>()
  /** The last person and the last thing, for pronouns. */
  person: NamedThing | undefined
  thing: NamedThing | undefined
  /** The thing before it. */
  #thingBefore: NamedThing | undefined
  /** The subject of the clause that is read. */
  #current: NamedThing | undefined
  /** Label before a colon: `decision`, `known problem`. */
  label = ''
  /** Title of the last decision. */
  decided: string | undefined
  quote = ''
  /** True where each sentence is a key with its value: `CI: Buildkite. HTTP: dio.` */
  areKeys = false

  constructor(
    readonly text: string,
    readonly context: ReadingContext,
  ) {}

  get project(): NamedThing | undefined {
    return this.context.project
  }

  /** Records a link; names that a person would not write are left out. */
  link(
    subject: NamedThing | undefined,
    relation: string,
    object: NamedThing | undefined,
    extra: Extra,
  ): boolean {
    if (!subject || !object || !this.isNamed(object)) return false
    // `E2E tests of the shop are run with Playwright`: a fact of the shop.
    const [, part = '', whole] = /^(.+?) of (?:the |our )?(.+)$/u.exec(subject.name) ?? []
    const owner = whole === undefined ? undefined : this.named(whole)
    if (owner && object.type === 'tool' && !this.context.find(subject.name))
      return this.value(owner, { aspect: 'tools', attribute: part }, object.name, extra)
    if (!this.isNamed(subject)) return this.#linkOfPhrase(subject, relation, object, extra)
    if (nameKey(subject.name) === nameKey(object.name)) return false
    return this.#add({ subject, kind: 'link', aspect: '', attribute: relation, object, value: '' }, extra)
  }

  /** `Images from the drone go to X`: nobody looks up the subject, so the project has the fact. */
  #linkOfPhrase({ name, type }: NamedThing, relation: string, object: NamedThing, extra: Extra): boolean {
    const isPhrase =
      type !== 'person' && /^\p{L}[\p{L}\d' -]{5,50}$/u.test(name) && name.split(' ').length >= 3
    if (!isPhrase || !placing.test(relation) || !this.project) return false
    const slot = { aspect: 'facts', attribute: name }
    return this.value(this.project, slot, `${relation} ${object.name}`, extra)
  }

  /** Records a value of something. */
  value(
    subject: NamedThing | undefined,
    slot: { aspect: string; attribute: string },
    told: string,
    extra: Extra,
  ): boolean {
    const value = told
      .replace(/(?<![\s.,;:])[\s.,;:]+$/u, '')
      .replace(/\s+/gu, ' ')
      .trim()
      // Quotation marks inside stay with what they open.
      .replace(/^["“`]([^"“”`]*)["”`]?$/u, '$1')
    if (!subject || !isClearValue(value)) return false
    // `Sessions expire after 15 minutes`: nobody looks up `sessions`, so the project has the fact.
    if (!this.isNamed(subject))
      return this.project !== undefined && isCommon(subject) && isCommonSlot(subject, slot.aspect)
        ? this.value(
            this.project,
            { ...slot, attribute: `${subject.name} ${slot.attribute.replace(/^expires/u, 'expire')}` },
            value,
            extra,
          )
        : false
    const attribute = slot.attribute.trim()
    if (nameKey(attribute) === '') return false
    return this.#add(
      { subject, kind: 'value', aspect: slot.aspect, attribute, object: undefined, value },
      extra,
    )
  }

  /** Records a sentence under a title: a rule, a decision, a problem. */
  statement(
    subject: NamedThing | undefined,
    slot: { aspect: string; attribute: string },
    told: string,
    extra: Extra,
  ): boolean {
    const value = told
      .replace(/(?<![\s.,;:])[\s.,;:]+$/u, '')
      .replace(/\s+/gu, ' ')
      .trim()
    if (!subject || value === '' || nameKey(slot.attribute) === '') return false
    return this.#add({ subject, kind: 'value', ...slot, object: undefined, value }, extra)
  }

  alias(subject: NamedThing, alias: string, extra: Extra): boolean {
    if (nameKey(alias) === '' || nameKey(alias) === nameKey(subject.name)) return false
    return this.#add(
      { subject, kind: 'alias', aspect: '', attribute: 'also called', object: undefined, value: alias },
      extra,
    )
  }

  /** True if a thing may become an entity. */
  isNamed({ name }: NamedThing): boolean {
    return (
      name === this.project?.name ||
      name === user.name ||
      this.context.find(name) !== undefined ||
      isBelievable(name)
    )
  }

  #add(
    told: Omit<Fact, 'since' | 'until' | 'isSure' | 'by' | 'quote'>,
    { since, until, isSure = true, by }: Extra,
  ): boolean {
    const keyOf = (fact: Pick<Fact, 'subject' | 'attribute' | 'value' | 'object'>): string =>
      JSON.stringify(
        [fact.subject.name, fact.attribute, fact.value, fact.object?.name].map(part => nameKey(part ?? '')),
      )
    const key = keyOf(told)
    if (!this.facts.some(fact => keyOf(fact) === key))
      this.facts.push({ ...told, since, until, isSure, by, quote: this.quote })
    return true
  }

  /** Something by its name: as it is known, else of the given type. */
  named(name: string, type = 'component'): NamedThing {
    return this.context.find(name) ?? { name, type }
  }

  /** The thing that a phrase names; undefined for what nobody could look up. */
  thingOf(phrase: Phrase | undefined, isActing = false): NamedThing | undefined {
    if (!phrase || phrase.name === '') return undefined
    const known =
      this.context.find(phrase.name) ??
      this.context.find(`${phrase.determiner ?? ''} ${phrase.name}`) ??
      this.people.get(nameKey(phrase.name))
    if (known) return known
    return { name: phrase.name.replace(/`|['’]s$/gu, ''), type: typeOf(phrase, isActing) }
  }

  /**
   * Finds what a phrase refers to: the project, the user, the last person or thing, or what it names.
   * @param isObject `Dario approves them` is not said of Dario
   */
  subjectOf(phrase: Phrase, isObject = false): Subject | undefined {
    const lower = phrase.name.toLowerCase()
    const whole = `${phrase.determiner ? `${phrase.determiner} ` : ''}${lower}`
    const of = (thing: NamedThing | undefined, more: Partial<Subject> = {}): Subject | undefined =>
      thing && { thing, phrase, isProject: false, isUser: false, ...more }
    const project = this.project ?? { name: '', type: 'project' }
    if (wholes.test(whole)) return of(project, { isProject: true })
    if (/^(?:i|me|the user|user)$/u.test(whole)) return of(user, { isUser: true })
    if (/^(?:he|she|him|her)$/u.test(lower)) return of(this.person)
    if (/^(?:it|they|them|this|that|these|those)$/u.test(lower))
      return of((isObject ? this.#objectThing() : this.thing) ?? (lower === 'they' ? this.person : undefined))
    if (phrase.isPronoun) return undefined
    if (/^(?:its|their)$/u.test(phrase.determiner ?? '') && this.thing)
      return of({ ...this.thing, name: `${this.thing.name} ${phrase.name}` })
    return of(this.thingOf(phrase))
  }

  /** Remembers whom or what pronouns may mean. */
  note({ thing, phrase, isProject, isUser }: Subject): void {
    this.#current = thing
    if (isProject || isUser) return
    if (thing.type === 'person' || isPerson(phrase)) this.person = thing
    else if (this.thing?.name !== thing.name) {
      this.#thingBefore = this.thing
      this.thing = thing
    }
  }

  #objectThing(): NamedThing | undefined {
    return this.thing?.name === this.#current?.name ? this.#thingBefore : this.thing
  }
}

const placing =
  /^(?:stored|located|written|built|hosted|deployed|published|sent|runs|goes) (?:in|on|to|with|over)$/u

/** A common noun of at most three words. */
function isCommon({ name, type }: NamedThing): boolean {
  return type !== 'person' && !/^\S+ing /u.test(name) && /^\p{L}{3,}(?: \p{L}{2,}){0,2}$/u.test(name)
}

/** `Data` has a path, `the current branch` has none for long. */
function isCommonSlot({ name }: NamedThing, aspect: string): boolean {
  return (
    /^(?:limits|schedule)$/u.test(aspect) || (/^(?:files|storage)$/u.test(aspect) && /^\p{L}+$/u.test(name))
  )
}

const wholes =
  /^(?:we|us|(?:the|our|this|my) (?:project|repo|repository|code|code ?base|app|application|product|team|site)|project|repo|codebase|app)$/u

/** The validity of facts from the times of a clause; a bare date begins a change. */
export function periodIn({ since, until, at, schedule }: Times): {
  since: string | undefined
  until: string | undefined
} {
  return { since: since ?? (schedule === undefined ? at : undefined), until }
}
