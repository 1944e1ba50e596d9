const signs = /[.*+?^${}()|[\]\\/]/gu

/** A text as it stands for itself in a regular expression. */
export function escaped(text: string): string {
  return text.replace(signs, '\\$&')
}
