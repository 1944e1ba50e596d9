import { storableText } from './decode-text.js'
import { failed, maxCharacters, type Reading } from './extraction.js'

/** Takes out what cannot be stored, and says so where there is no text or too much of it. */
export function checked(reading: Reading & { status: 'extracted' }): Reading {
  const { markdown, title, format } = reading
  if (markdown.length > maxCharacters)
    return failed('too_much_text', `it holds more than ${maxCharacters} characters of text; split it`)
  if (!/\S/u.test(markdown))
    return format === 'text' || format === 'markdown'
      ? failed('empty', 'it is empty')
      : failed('no_text', noText[format] ?? 'it holds no text')
  // Readers that give marks have cleaned the text already: what is taken out here would shift them.
  return { ...reading, markdown: storableText(markdown), title: title === null ? null : storableText(title) }
}

const noText: Readonly<Partial<Record<string, string>>> = {
  pdf: 'its pages hold pictures and no text; make it readable by text recognition (OCR) first',
}
