import { nameKey } from '../../../ground/entities/name-key.js'
import type { KnownName } from '../reader.js'

/** The entity that a statement is about. */
export interface Subject {
  name: string
  type: string
  aliases?: readonly string[]
}

/** The context in which a text is read. */
export interface ReadingContext {
  /** By folded name and alias. */
  known: ReadonlyMap<string, KnownName>
  /** The project of the text, if any. */
  project: Subject | undefined
  /** Time of the statement, ISO 8601; empty if unknown. */
  at: string
  /** True for a message of a conversation, where requests may only concern the current task. */
  isSpoken: boolean
}

export const user: Subject = { name: 'user', type: 'person' }

/** Phrases for the project as a whole. */
const wholes =
  /^(?:we|(?:the|our|this|my) (?:project|repo|repository|codebase|app|application|product|team|service|system|site))$/iu
/** Common nouns that name a part of the project. */
const parts =
  'api|apis|ci|frontend|backend|cluster|gateway|website|dashboard|worker|scheduler|server|cli|pipeline|proxy'
const part = new RegExp(`^(?:the|our) (${parts})$`, 'iu')
const component = new RegExp(
  `^(?:the|our) ([\\p{L}\\p{N}_-]+(?: [\\p{L}\\p{N}_-]+)? (?:${parts}|service|app|module|library|job|bot|daemon|queue|registry))$`,
  'iu',
)
const vague = /^(?:old|new|first|last|next|other|same|whole|only|main|own|second|current|existing)\b/iu
const times =
  /^(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?|january|february|march|april|may|june|july|august|september|october|november|december|today|tomorrow)$/iu

/** Finds the entity that a phrase names: the project, a part of it, or a known name. */
export function subjectOf(phrase: string, { known, project }: ReadingContext): Subject | undefined {
  const text = phrase.trim()
  if (wholes.test(text)) return project
  const byName = known.get(nameKey(text)) ?? known.get(nameKey(text.replace(/^(?:the|our) /iu, '')))
  if (byName) return subjectOfName(byName)
  const named = part.exec(text)?.[1] ?? component.exec(text)?.[1]
  if (named === undefined || vague.test(named)) return undefined
  return { name: named.toLowerCase(), type: 'component' }
}

function subjectOfName({ name, type }: KnownName): Subject {
  return { name, type }
}

const proper =
  /^(\p{Lu}[\p{L}\p{N}.+#/-]*(?: \p{Lu}[\p{L}\p{N}.+#/-]*){0,2}|[\p{L}\p{N}]+(?:[-_./][\p{L}\p{N}]+)+)(?: v?(\d[\d.]*\d|\d))?/u

/** A thing that is used: name, version if given, and the rest of the statement. */
export interface NamedThing extends Subject {
  version: string | undefined
  rest: string
}

/** Parses the thing at the beginning of a phrase: a proper name, a known one, or a part of the project. */
export function parseSubject(phrase: string, setting: ReadingContext): NamedThing | undefined {
  const found = proper.exec(phrase)
  if (found) {
    const name = (found[1] as string).replace(/(?<![.,])[.,]+$/u, '')
    if (times.test(name)) return undefined
    const rest = phrase.slice(found[0].length)
    if (!/^(?:$|[\s,.;:)(])/u.test(rest)) return undefined
    const byName = setting.known.get(nameKey(name))
    return { name: byName?.name ?? name, type: byName?.type ?? 'tool', version: found[2], rest }
  }
  const [, head = '', rest = ''] =
    /^((?:the |our )?[\p{L}\p{N}_-]+(?: [\p{L}\p{N}_-]+)??)( (?:for|as|in|with|to|since|until|because)\b.*|,.*|)$/u.exec(
      phrase,
    ) ?? []
  const subject = head === '' ? undefined : subjectOf(head, { ...setting, project: undefined })
  return subject && { ...subject, version: undefined, rest }
}

const signs = /[.*+?^${}()|[\]\\/]/gu

/** Escapes a text for a regular expression. */
export function escaped(text: string): string {
  return text.replace(signs, '\\$&')
}
