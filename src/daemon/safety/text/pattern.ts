// Matches character classes, which are kept, and blanks, which may be optional.
const blank = /(\\.|\[(?:[^\]\\]|\\.)*\])| (\?)?/g
/** Templates span several lines: line ends and indentation are not part of the pattern. */
const layout = /\n */g

type Piece = string | RegExp

/**
 * Source of a pattern part, for other templates. Write it in lower case, because rules are matched against
 * folded text.
 */
export function source({ raw }: TemplateStringsArray, ...pieces: readonly Piece[]): string {
  const sources = pieces.map(piece => (typeof piece === 'string' ? piece : piece.source))
  return String.raw({ raw: raw.map(text => text.replace(layout, '')) }, ...sources)
}

/** A list of words or short patterns, separated by `|`, as one group. */
export function oneOf(texts: TemplateStringsArray, ...pieces: readonly Piece[]): string {
  return `(?:${source(texts, ...pieces)})`
}

/** A pattern taken literally: its blanks match blanks. */
export function pattern(texts: TemplateStringsArray, ...pieces: readonly Piece[]): RegExp {
  return new RegExp(source(texts, ...pieces))
}

/** A pattern for prose, from the beginning of a word: its blanks match a blank or a line end. */
export function phrase(texts: TemplateStringsArray, ...pieces: readonly Piece[]): RegExp {
  return new RegExp(String.raw`\b(?:${flexible(source(texts, ...pieces))})`)
}

function flexible(text: string): string {
  return text.replace(blank, (whole, characterClass: string | undefined, optional: string | undefined) =>
    characterClass ? whole : optional ? String.raw`\s{0,2}` : String.raw`\s\s?`,
  )
}
