import { type Document, isPair, isScalar, isSeq, parseDocument, type Scalar, visit } from 'yaml'
import type { SettingsCheck } from '../../../contract/operations/settings-file.js'
import { withoutSecrets } from '../../../lib/text/without-secrets.js'
import type { SettingsProblem } from '../../../lib/workspace/settings-file.js'

type Problem = Omit<SettingsProblem, 'file'>

/** Replaces credentials wherever settings are shown. */
const mask = '(masked)'

/** Endings of keys with a credential, or something derived from one, besides `key`. */
const secretWords = 'passw(?:or)?d|passphrase|pwd|secret|token|credential|hash'
/** Such keys. A path, as in `projects`, is not one. */
const secretKey = new RegExp(
  `^[^/\\\\]*(?:${secretWords}|api[-_]?key|access[-_]?key|private[-_]?key)s?$`,
  'iu',
)
/** The only keys whose value may reference a secret. */
const referenceKey = /api[-_]?key$/iu
const reference = /^(?:(?:env:|local:\/\/)\w+|vault[ab]:\/\/.+|[A-Za-z_]\w{0,18}|[A-Z_][A-Z0-9_]*)$/u
/** References inside running text, in forms that no password has by chance. */
const referenceInText = /^(?:(?:env:|local:\/\/)\w+|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)$/u
/** User and password in an address. */
const login = /(?<=\b[a-z][a-z0-9+.-]{1,20}:\/\/)[^\s@/?#]{1,300}(?=@)/giu
/** Address parameter that grants access. */
const parameter = /(?<=[?&](?:key|api[-_]?key|(?:access_)?token|sig(?:nature)?|secret)=)[^\s&#"']+/giu

/** A line `key: value` of a text that is not valid YAML. */
const faultyLine = new RegExp(
  String.raw`^([ \t{,-]*(?![{,-])["']?[^\s:"'#]*(?:${secretWords}|key)s?["']?[ \t]*:[ \t]*)\S.*$`,
  'gimu',
)

/** Masks the credentials in agent.yaml, in values and comments. */
export function maskedSettings(text: string): string {
  const places = scalarsOf(text)
  if (!places) return maskedText(text.replace(faultyLine, `$1${mask}`))
  return splitSettings(text, places)
    .map(piece => piece.shown)
    .join('')
}

/**
 * Puts the original value back for each mask that is still where it was shown.
 * @returns also a problem for each mask elsewhere: moved there, a credential could be sent or shown
 */
export function unmaskedSettings(text: string, before: string): { text: string; problems: Problem[] } {
  const places = text.includes(mask) ? scalarsOf(text) : undefined
  if (!places) return { text, problems: [] }
  const held = indexBefore(before)
  const problems: Problem[] = []
  const pieces = splitSettings(text, places).map(({ source, start, place }) => {
    if (!source.includes(mask)) return source
    const kept = place ? held.value(place) : held.comment(source)
    if (kept === undefined)
      problems.push({
        line: text.slice(0, start).split('\n').length,
        key: place?.path.join('.') ?? '',
        message: `${mask} marks a hidden value and only works where it was shown; to move or change it, write the value itself, or edit agent.yaml on its machine`,
      })
    return kept ?? source
  })
  return { text: pieces.join(''), problems }
}

interface TextPart {
  start: number
  source: string
  shown: string
  /** Undefined for text between values, such as comments. */
  place?: YamlScalar
}

/** Splits a text into its values and the lines between them. */
function splitSettings(text: string, places: readonly YamlScalar[]): TextPart[] {
  const pieces: TextPart[] = []
  const between = (from: number, to: number) => {
    let start = from
    for (const source of text.slice(from, to).split(/(?<=\n)/u)) {
      pieces.push({ start, source, shown: maskedText(source) })
      start += source.length
    }
  }
  let end = 0
  for (const place of [...places].sort((a, b) => a.start - b.start)) {
    between(end, place.start)
    pieces.push({ start: place.start, source: place.source, shown: place.shown, place })
    end = place.end
  }
  between(end, text.length)
  return pieces
}

/** Looks up the previous text's pieces by their masked form. */
function indexBefore(before: string) {
  const pieces = splitSettings(before, scalarsOf(before) ?? [])
  const comments = pieces.filter(({ place, shown }) => !place && shown.includes(mask))
  return {
    value: ({ path, source, hasAnchor }: YamlScalar): string | undefined =>
      hasAnchor
        ? undefined
        : pieces.find(({ place, shown }) => place && shown === source && isSame(place.path, path))?.source,
    /** Each of several equal comments is used once. */
    comment: (source: string): string | undefined => {
      const index = comments.findIndex(({ shown }) => shown === source)
      return index < 0 ? undefined : comments.splice(index, 1)[0]?.source
    },
  }
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((part, index) => part === other[index])
}

/** A value or key of a YAML text: its position and its masked form. */
interface YamlScalar {
  /** Keys and indexes that lead to it. */
  path: readonly string[]
  start: number
  end: number
  source: string
  shown: string
  hasAnchor: boolean
}

/** Lists every value and key of a text in order; undefined for invalid YAML. */
function scalarsOf(text: string): YamlScalar[] | undefined {
  const document = parseDocument(text)
  if (document.errors.length > 0) return undefined
  const aliased = aliasedSecrets(document)
  const found: YamlScalar[] = []
  visit(document, {
    Scalar: (position, node, ancestors) => {
      const [start, end] = node.range ?? [0, 0]
      const path = pathOf(ancestors, node, position)
      const source = text.slice(start, end).trimEnd()
      const isWhole = aliased.has(node) || (position !== 'key' && isSecret(nameOf(path), node.value))
      found.push({
        path,
        start,
        end: start + source.length,
        source,
        shown: isWhole ? mask : shownOf(node, source),
        hasAnchor: node.anchor !== undefined,
      })
    },
  })
  return found
}

function shownOf(node: Scalar, source: string): string {
  const shown = maskedText(source)
  // Escape sequences in the text may hide a credential in the value.
  const isHiding = shown === source && typeof node.value === 'string' && maskedText(node.value) !== node.value
  return isHiding ? mask : shown
}

/** Values that an alias places under a key that names a secret. */
function aliasedSecrets(document: Document): ReadonlySet<unknown> {
  const found = new Set<unknown>()
  visit(document, {
    Alias: (_position, alias, ancestors) => {
      const target = alias.resolve(document)
      if (isScalar(target) && isSecret(nameOf(pathOf(ancestors, alias, null)), target.value))
        found.add(target)
    },
  })
  return found
}

function pathOf(ancestors: readonly unknown[], node: unknown, position: unknown): string[] {
  const path = ancestors.flatMap((one, index) => {
    if (isPair(one)) return [String(isScalar(one.key) ? one.key.value : one.key)]
    return isSeq(one) ? [String(one.items.indexOf(ancestors[index + 1] ?? node))] : []
  })
  return position === 'key' ? [...path, '?'] : path
}

/** The nearest key above a value, also inside a list. */
function nameOf(path: readonly string[]): string {
  return path.findLast(part => !/^\d+$/u.test(part)) ?? ''
}

type SettingsChange = SettingsCheck['changes'][number]

/** True when the value of a key is a credential. Numbers under plural keys are counts. */
function isSecret(key: string, value: unknown): boolean {
  if (!secretKey.test(key)) return false
  if (typeof value === 'number') return !/s$/iu.test(key)
  if (typeof value !== 'string' || value === '') return false
  return !(referenceKey.test(key) && reference.test(value) && withoutSecrets(value) === value)
}

/** Masks the credentials in a text. */
function maskedText(text: string): string {
  const rest = withoutSecrets(text, found => (referenceInText.test(found) ? found : mask))
  return rest.replace(login, found => (found.endsWith(mask) ? found : mask)).replace(parameter, mask)
}

/** Masks the credentials in a value, recursively in objects and lists. */
export function maskedValue(value: unknown, key = ''): unknown {
  if (Array.isArray(value)) return value.map(one => maskedValue(one, key))
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, maskedValue(one, name)]))
  if (isSecret(key, value)) return mask
  return typeof value === 'string' ? maskedText(value) : value
}

/** Masks a change of one setting; its values are JSON. */
export function maskedChange(change: SettingsChange): SettingsChange {
  const name = change.key.split('.').at(-1)
  const shown = (json: string | null) => json && JSON.stringify(maskedValue(JSON.parse(json), name))
  return { ...change, before: shown(change.before), after: shown(change.after) }
}
