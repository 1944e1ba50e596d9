import { AppError } from '../../../contract/ground/errors.js'
import type { RememberBody } from '../../../contract/memory/memory.js'
import { withoutPrivate, withoutPrivateTexts } from '../../ground/text/private-spans.js'

/**
 * Returns a text without its private parts (rules.md 1.1.1).
 * @throws AppError `validation_failed` when nothing else is left.
 */
export function publicContent(text: string): string {
  const content = withoutPrivate(text)
  if (content.trim() === '')
    throw new AppError('validation_failed', 'content is empty without its private parts; nothing was saved')
  return content
}

/**
 * Returns a save without its private parts, including those in hints and structure.
 * @throws AppError as `publicContent`
 */
export function withoutPrivateParts(body: RememberBody): RememberBody {
  const content = publicContent(body.content)
  if (content === body.content && !body.structured) return body
  const structured = body.structured && withoutPrivateTexts(body.structured)
  const hints = structured?.hints?.filter(hint => hint.trim() !== '')
  return {
    ...body,
    content,
    ...(structured && { structured: { ...structured, ...(hints && { hints }) } }),
  }
}
