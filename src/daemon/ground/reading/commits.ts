import type { LineReading } from './reading.js'
import { isForm, tag } from './syntax/tag.js'
import { tokensOf } from './syntax/tokens.js'

const conventional =
  /^(feat|fix|chore|docs|refactor|perf|tests?|build|ci|style|revert|hotfix)(?:\(([^)]{1,60})\))?(!)?: (.+)$/u
const bump = /^(?:bump|update|upgrade) (?:the )?(@?[\w./-]+)(?: from v?([\w.-]+))? to v?(\d[\w.-]*)/iu
/** A subject without a kind, as bots write it. */
const bumped = /^bump \S+ (?:from \S+ )?to v?\d/iu
/** Lines that Git writes by itself, and merges as people write them. */
const generated =
  /^(?:Merge (?:[0-9a-f]{7,}|branch|branches|pull request|remote|tag|commit|`?[\w./-]+`? into)\b|Revert "|v?\d+\.\d+\.\d+\S*$)/u
/** The end of the first line of a message, whose lines were joined. */
const bodyBegins =
  /\s[*-]\s|\s(?:Signed-off-by|Co-authored-by|BREAKING CHANGE)\b|\s(?:[Cc]loses?|[Ff]ix(?:es)?|[Rr]efs?|resolves)(?=,? (?:#|[\w./-]+#|https?:))|\s\(cherry|(?<=[\p{L}\p{N}`)])\.\s/u
const attributes: Readonly<Record<string, string>> = {
  feat: 'added',
  fix: 'fixed',
  hotfix: 'fixed',
  revert: 'reverted',
  perf: 'changed',
  refactor: 'changed',
}

/**
 * Reads a commit message: what its scope gained, what was fixed, which version something has now, and the
 * people of its trailers.
 * @returns false for a text that is not a commit message
 */
export function readCommit(reading: LineReading): boolean {
  if (readTrailers(reading)) return true
  if (generated.test(reading.text)) {
    reading.cues.add('commit')
    return true
  }
  const found = conventional.exec(reading.text) ?? plain(reading.text)
  if (!found) return false
  const [, kind = '', scope, breaking = '', told = ''] = found
  reading.cues.add('commit')
  const what = (told.split(bodyBegins)[0] ?? told)
    .replace(
      /(?: (?:for|from|in|of|by|to))?,? ?\(?(?:close[sd]?|fix(?:e[sd])?|refs?|resolve[sd]?)? ?#\d+\)?/giu,
      '',
    )
    .replace(/(?<![\s.])[\s.]+$/u, '')
  const [, name, , version] = bump.exec(what) ?? []
  if (name && version) {
    const thing = reading.named(name, 'tool')
    const owner = reading.project ?? thing
    reading.link(reading.project, 'depends on', thing, { by: 'commit' })
    return reading.value(
      owner,
      { aspect: 'versions', attribute: owner === thing ? 'version' : `${name} version` },
      version,
      { by: 'commit' },
    )
  }
  const isNamed =
    scope !== undefined &&
    !/^(?:dev)?deps(?:-dev)?$|\.[a-z]{1,5}$/u.test(scope) &&
    reading.isNamed({ name: scope, type: 'component' })
  const subject = isNamed ? reading.named(scope) : reading.project
  const [, removed] =
    kind === 'feat' || kind === 'refactor' ? (/^(?:remove|drop|delete)s?d? (.+)$/iu.exec(what) ?? []) : []
  // The scope of `ci: …` and `chore(…): …` does not name a part of the product.
  const changed = isNamed && !/^(?:ci|chore)\b/u.test(reading.text) ? 'changed' : undefined
  const attribute = removed ? 'removed' : (attributes[kind] ?? changed)
  if (!attribute || !subject) return true
  const value = `${removed ?? what.replace(/^add(?:s|ed)? (?:support for )?/iu, '')}${breaking ? ' (breaking)' : ''}`
  if (isNamed && reading.project) reading.link(subject, 'part of', reading.project, { by: 'commit' })
  reading.statement(subject, { aspect: attribute, attribute: shortened(value) }, value, { by: 'commit' })
  return true
}

/** Signs of a commit message: the number of its pull request, the issue that it closes, its people. */
const marked =
  / \(#\d+\)(?=\s|$)|\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):? #\d+|\b(?:Signed-off-by|Co-authored-by): /iu
/** Kinds of changes by the first word of a subject. */
const kinds: readonly (readonly [kind: string, first: RegExp])[] = [
  ['fix', /^fix(?:e[sd])? (?=\S)/iu],
  ['feat', /^(?=(?:add(?:s|ed)?|remove[sd]?|drop(?:s|ped)?) \S)/iu],
]

/** A scope without a kind, as projects in Go write it: `tls: fix a race (#12)`. */
const scoped = /^([a-z][\w./-]{1,40}): (?=\S)/u

/**
 * A subject without a kind: `Fix parsing of X (#12)`, `parser: Fix parsing of X (#12)`. Its words order
 * nothing for the future.
 */
function plain(message: string): readonly (string | undefined)[] | null {
  if (bumped.test(message)) return ['', 'chore', undefined, '', message]
  if (!marked.test(message)) return null
  const [lead = '', scope] = scoped.exec(message) ?? []
  const text = message.slice(lead.length)
  const [first] = tokensOf(text)
  if (!first) return null
  tag([first])
  if (first.lower !== 'do' && !isForm(first, 'base', 's', 'ed', 'past')) return null
  const [kind = 'chore', word = /^/u] = kinds.find(([, form]) => form.test(text)) ?? []
  const subject = text.split(/ \(#\d+\)(?=\s|$)/u)[0] ?? text
  return ['', kind, scope, '', subject.replace(word, '')]
}

const trailer =
  /^(?:[a-z][\w-]*-(?:by|to|id|session|url|link|message)|BREAKING[ -]CHANGE|fixes|closes|refs): \S|^\(cherry picked from commit /iu
const people =
  /\b(?:Signed-off-by|Co-authored-by|Reviewed-by|Reported-by|Tested-by): ([^<:]{2,40}) <([^<>\s]+@[^<>\s]+)>/giu

/**
 * `Signed-off-by: Ann Keller <ann@x.example>`: the people of a commit.
 * @returns true for a line that Git or its tools wrote
 */
function readTrailers(reading: LineReading): boolean {
  for (const [, name = '', email = ''] of reading.text.matchAll(people)) {
    const isName = /^\p{Lu}[\p{L}'’.-]+(?: \p{Lu}[\p{L}'’.-]+){1,3}$/u.test(name)
    if (!isName || /\bbot\b|\[bot\]|noreply/iu.test(`${name} ${email}`)) continue
    reading.value({ name, type: 'person' }, { aspect: 'contact', attribute: 'email' }, email, {
      by: 'commit',
    })
  }
  return trailer.test(reading.text)
}

/** Number of a pull request at the end, as hosts of repositories write it. */
const merged = / \(#\d+\)(?=$| \S)/u
const longestSubject = 150

/** True for a text that begins as a commit message does, whether or not its lines were joined. */
export function beginsAsCommit(text: string): boolean {
  return (
    conventional.test(text) ||
    generated.test(text) ||
    bumped.test(text) ||
    (scoped.test(text) && merged.test(text.slice(0, longestSubject)))
  )
}

/** True for a commit message: the prose of its body explains one change, and states nothing that lasts. */
export function isCommitMessage(lines: readonly string[]): boolean {
  const [first = ''] = lines
  return (
    beginsAsCommit(first) ||
    merged.test(first) ||
    lines.slice(1).some(line => /^(?:Signed-off-by|Co-authored-by|Change-Id): |^\(cherry picked/u.test(line))
  )
}

/** True for a line of a commit message that is read: its subject, and what Git and its tools wrote. */
export function isRead(line: string, at: number): boolean {
  return at === 0 || trailer.test(line)
}

const longest = 8

function shortened(value: string): string {
  return value
    .split(' ')
    .slice(0, longest)
    .join(' ')
    .replace(/(?<![\s,;:])[\s,;:]+$/u, '')
    .replace(/ (?:the|a|an|of|in|on|to|for|when|if|and|or|with|from|by|at)$/u, '')
}
