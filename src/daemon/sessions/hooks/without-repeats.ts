import { withoutSecrets } from '../../../lib/text/without-secrets.js'

/** MEMORY.md, as the whole file. */
export interface Summary {
  text: string
  /** The name of the session's project in a file that we wrote; undefined in a file of a person. */
  project: string | undefined
}

/** Sections of MEMORY.md that say nothing to an agent: overviews of all projects, and ids. */
const ofWorkspace = /^(?:Global Head|Temporal Index)\b/u
/** Names of projects in the entries of the other sections, by the form of the entry. */
const namedProject =
  /^- (?:\*\*(?<thread>.+?)\*\*|\d{4}-\d{2}-\d{2} \w+, [^:]*?, (?<session>[^,:]+):|\[(?:pinned, )?\w+(?:, (?<durable>[^\]]+))?\]|(?<open>.+?), (?:issue of )?\d{4}-\d{2}-\d{2}:)/u
const noProjectName = 'no project'

/**
 * Returns the part of MEMORY.md that concerns a session: entries of its project and of none, without memories
 * that it gets anyway. A file that a person wrote is returned whole.
 * @param told ids of memories in the context
 */
export function summaryToTell({ text, project }: Summary, told: ReadonlySet<string>): string {
  if (project === undefined) return text
  const [, ...sections] = text.split(/^## /mu)
  return sections
    .filter(section => !ofWorkspace.test(section))
    .map(section => {
      const [heading = '', ...entries] = section.split(/^(?=- )/mu)
      const kept = entries.filter(entry => isFor(project, entry) && !isTold(entry, told))
      return kept.length === 0 ? '' : `## ${heading}${kept.join('').trimEnd()}\n\n`
    })
    .join('')
}

function isFor(project: string, entry: string): boolean {
  const { thread, session, durable, open } = namedProject.exec(entry)?.groups ?? {}
  const named = thread ?? session ?? durable ?? open ?? noProjectName
  return named === project || named === noProjectName
}

function isTold(entry: string, told: ReadonlySet<string>): boolean {
  const id = /\(memory ([\w-]+)\)\s*$/u.exec(entry)?.[1]
  return id !== undefined && told.has(id)
}

/** Sections of MEMORY.md about earlier sessions. */
const ofSessions = /^(?:Thread Heads|Session Ledger|Open Threads)\b/u
/** Texts with this many equal first characters count as cuts of the same text. */
const fewestAlike = 40
/** Shorter texts are not searched for inside others: they may occur by chance. */
const shortestSentence = 16
/** Labels before an entry's text may contain colons, but not many. */
const maxColons = 6

/**
 * Returns MEMORY.md without entries whose text is already in the context, so that a compaction appears once.
 * @param told the texts as shown; a cut text ends in `…`.
 */
export function withoutRepeats(summary: string, told: readonly string[]): string {
  if (told.length === 0) return summary
  const texts = told.map(text => flat(withoutSecrets(text)))
  return summary
    .split(/^(?=## )/mu)
    .map(section => (ofSessions.test(section.slice(3)) ? withoutEntries(section, texts) : section))
    .join('')
}

function withoutEntries(section: string, told: readonly string[]): string {
  const [heading = '', ...entries] = section.split(/^(?=- )/mu)
  const kept = entries.filter(entry => !isRepeated(flat(entry), told))
  if (kept.length === entries.length) return section
  return kept.length === 0 ? '' : `${heading}${kept.join('').trimEnd()}\n\n`
}

function isRepeated(entry: string, told: readonly string[]): boolean {
  let colon = entry.indexOf(': ')
  for (let n = 0; n < maxColons && colon >= 0; n++) {
    const text = entry.slice(colon + 2)
    if (told.some(one => matches(one, text))) return true
    colon = entry.indexOf(': ', colon + 2)
  }
  return false
}

function matches(told: string, text: string): boolean {
  if (told === text || (text.length >= shortestSentence && told.includes(text))) return true
  return Math.min(told.length, text.length) >= fewestAlike && (told.startsWith(text) || text.startsWith(told))
}

function flat(text: string): string {
  return text.replace(/\s+/gu, ' ').trim().replace(/ ?…$/u, '')
}
