import { storableText } from './decode-text.js'
import { extractionFailure, maxCharacters, type ReadingResult } from './extraction.js'

/** Removes characters that cannot be stored; fails without text or with too much of it. */
export function checkReading(reading: ReadingResult & { status: 'extracted' }): ReadingResult {
  const { markdown, title, format } = reading
  if (markdown.length > maxCharacters)
    return extractionFailure(
      'too_much_text',
      `it contains more than ${maxCharacters} characters of text; split it`,
    )
  if (!/\S/u.test(markdown))
    return format === 'text' || format === 'markdown'
      ? extractionFailure('empty', 'it is empty')
      : extractionFailure('no_text', noText[format] ?? 'it contains no text')
  // Readers with marks have cleaned their text already: removing characters here would shift the marks.
  return { ...reading, markdown: storableText(markdown), title: title === null ? null : storableText(title) }
}

const noText: Readonly<Partial<Record<string, string>>> = {
  pdf: 'its pages contain only images; run text recognition (OCR) on it first',
}
