import { AppError } from '../../../contract/ground/errors.js'
import type { RememberBody } from '../../../contract/memory/memory.js'
import {
  noCut,
  type PrivateCut,
  withoutPrivate,
  withoutPrivateTexts,
} from '../../ground/text/private-spans.js'

/**
 * Returns a text without its private parts (rules.md 1.1.1).
 * @throws AppError `validation_failed` when nothing else is left.
 */
export function publicContent(text: string, cut = noCut()): string {
  const content = withoutPrivate(text, cut)
  if (content.trim() === '')
    throw new AppError('validation_failed', 'content is empty without its private parts; nothing was saved')
  return content
}

/**
 * Returns a save without its private parts, including those in hints and structure, and their number.
 * @throws AppError as `publicContent`
 */
export function withoutPrivateParts(given: RememberBody): { body: RememberBody; cut: PrivateCut } {
  const cut = noCut()
  const content = publicContent(given.content, cut)
  if (content === given.content && !given.structured) return { body: given, cut }
  const structured = given.structured && withoutPrivateTexts(given.structured, cut)
  const hints = structured?.hints?.filter(hint => hint.trim() !== '')
  const body = {
    ...given,
    content,
    ...(structured && { structured: { ...structured, ...(hints && { hints }) } }),
  }
  return { body, cut }
}
