import type { SettingsProblem } from '../../../lib/workspace/settings-file.js'
import { type Place, scalarsOf } from './scalars.js'
import { mask, maskedText, secretWords } from './secret-values.js'

type Problem = Omit<SettingsProblem, 'file'>

/** A line `key: value` of a text that is no YAML. */
const faultyLine = new RegExp(
  String.raw`^([ \t{,-]*["']?[^\s:"'#]*(?:${secretWords}|key)s?["']?[ \t]*:[ \t]*)\S.*$`,
  'gimu',
)

/** agent.yaml with the mask where it holds credentials, in values and in comments. */
export function maskedSettings(text: string): string {
  const places = scalarsOf(text)
  if (!places) return maskedText(text.replace(faultyLine, `$1${mask}`))
  return piecesOf(text, places)
    .map(piece => piece.shown)
    .join('')
}

/**
 * A text as it was meant: each mask in it that stands where it was shown is what stands there.
 * @returns besides it, a problem for each that stands elsewhere: moved, a credential would be sent or shown there
 */
export function unmaskedSettings(text: string, before: string): { text: string; problems: Problem[] } {
  const places = text.includes(mask) ? scalarsOf(text) : undefined
  if (!places) return { text, problems: [] }
  const held = heldBy(before)
  const problems: Problem[] = []
  const pieces = piecesOf(text, places).map(({ source, start, place }) => {
    if (!source.includes(mask)) return source
    const kept = place ? held.value(place) : held.comment(source)
    if (kept === undefined)
      problems.push({
        line: text.slice(0, start).split('\n').length,
        key: place?.path.join('.') ?? '',
        message: `${mask} stands for a value that is kept where it was shown, with all that stands beside it; it can't be moved: write the value itself, or have agent.yaml changed on its machine`,
      })
    return kept ?? source
  })
  return { text: pieces.join(''), problems }
}

interface Piece {
  start: number
  source: string
  shown: string
  /** Undefined between values: comments, and what holds values together. */
  place?: Place
}

/** All of a text: its values, and line by line what is between them. */
function piecesOf(text: string, places: readonly Place[]): Piece[] {
  const pieces: Piece[] = []
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

/** What the text of before holds, by how it was shown. */
function heldBy(before: string) {
  const pieces = piecesOf(before, scalarsOf(before) ?? [])
  const comments = pieces.filter(({ place, shown }) => !place && shown.includes(mask))
  return {
    value: ({ path, source, hasAnchor }: Place): string | undefined =>
      hasAnchor
        ? undefined
        : pieces.find(({ place, shown }) => place && shown === source && isSame(place.path, path))?.source,
    /** Of two that are shown alike, each counts once. */
    comment: (source: string): string | undefined => {
      const index = comments.findIndex(({ shown }) => shown === source)
      return index < 0 ? undefined : comments.splice(index, 1)[0]?.source
    },
  }
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((part, index) => part === other[index])
}
