import { countUnclosedTags, tagPattern, withoutElements } from './tag-spans.js'

const privateTag = tagPattern('private')

/**
 * Removes `<private>...</private>` in any case, nested, with attributes or escaped. An unclosed span extends
 * to the end. Linear in the length and idempotent.
 */
export function withoutPrivate(text: string): string {
  return withoutElements(text, privateTag, { nests: true, dropsUnclosed: () => true })
}

/** The number of private spans opened minus those closed. */
export function netPrivateTags(text: string): number {
  return countUnclosedTags(text, privateTag)
}

/** Removes private spans from every string in a JSON value. */
export function withoutPrivateTexts<T>(value: T): T {
  const clean = (part: unknown): unknown => {
    if (typeof part === 'string') return withoutPrivate(part)
    if (Array.isArray(part)) return part.map(clean)
    if (typeof part !== 'object' || part === null) return part
    return Object.fromEntries(Object.entries(part).map(([key, inner]) => [withoutPrivate(key), clean(inner)]))
  }
  return clean(value) as T
}
