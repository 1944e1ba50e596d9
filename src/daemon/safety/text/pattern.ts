// A character class is kept as it is; a blank may be optional.
const blank = /(\\.|\[(?:[^\]\\]|\\.)*\])| (\?)?/g
/** Templates go over several lines: a line end and the indentation behind it are no part of a pattern. */
const layout = /\n */g

type Piece = string | RegExp

/** The source of a piece of pattern, for other templates. Lower case, since rules are matched against folded text. */
export function source({ raw }: TemplateStringsArray, ...pieces: readonly Piece[]): string {
  const sources = pieces.map(piece => (typeof piece === 'string' ? piece : piece.source))
  return String.raw({ raw: raw.map(text => text.replace(layout, '')) }, ...sources)
}

/** A list of words or short patterns, divided by `|`, as one group. */
export function oneOf(texts: TemplateStringsArray, ...pieces: readonly Piece[]): string {
  return `(?:${source(texts, ...pieces)})`
}

/** A pattern that is used as it stands: its blanks are blanks. */
export function pattern(texts: TemplateStringsArray, ...pieces: readonly Piece[]): RegExp {
  return new RegExp(source(texts, ...pieces))
}

/** A pattern for prose, from the beginning of a word: its blanks match a blank or the end of a line. */
export function phrase(texts: TemplateStringsArray, ...pieces: readonly Piece[]): RegExp {
  return new RegExp(String.raw`\b(?:${flexible(source(texts, ...pieces))})`)
}

function flexible(text: string): string {
  return text.replace(blank, (whole, characterClass: string | undefined, optional: string | undefined) =>
    characterClass ? whole : optional ? String.raw`\s{0,2}` : String.raw`\s\s?`,
  )
}
