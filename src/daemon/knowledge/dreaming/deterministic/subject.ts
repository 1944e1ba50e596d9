import { nameKey } from '../../../ground/entities/name-key.js'
import type { KnownName } from '../reader.js'

/** What a statement is about. */
export interface Subject {
  name: string
  type: string
  aliases?: readonly string[]
}

/** What the reader of one piece knows beside its text. */
export interface Setting {
  /** By folded name and alias. */
  known: ReadonlyMap<string, KnownName>
  /** The project that the piece is of, if it is of one. */
  project: Subject | undefined
  /** When it was said; ISO 8601, empty where nobody knows. */
  at: string
  /** A message of a conversation: what is asked for there may hold for that task alone. */
  isSpoken: boolean
}

export const user: Subject = { name: 'user', type: 'person' }

/** Words for the project as a whole. */
const wholes =
  /^(?:we|(?:the|our|this|my) (?:project|repo|repository|codebase|app|application|product|team|service|system|site))$/iu
/** Parts of a project that are called by what they are. */
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

/** The entity that a subject of a statement names: the project, a part of it, or something that is known by name. */
export function subjectOf(phrase: string, { known, project }: Setting): Subject | undefined {
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

/** A thing that is used: its name, its version if one is told, and what follows in the statement. */
export interface Thing extends Subject {
  version: string | undefined
  rest: string
}

/** The thing that a phrase begins with: a proper name, a known one, or a part of the project. */
export function thingOf(phrase: string, setting: Setting): Thing | undefined {
  const found = proper.exec(phrase)
  if (found) {
    const name = (found[1] as string).replace(/[.,]+$/u, '')
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

/** A text as it stands for itself in a regular expression. */
export function escaped(text: string): string {
  return text.replace(signs, '\\$&')
}
