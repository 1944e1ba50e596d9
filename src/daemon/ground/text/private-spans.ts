import { netTags, tagPattern, withoutElements } from './tag-spans.js'

const privateTag = tagPattern('private')

/**
 * The text without what its writer marked as private: `<private>...</private>` in any case, nested, with attributes or
 * escaped. A span that is never closed reaches to the end. Linear in the length; a second pass changes nothing.
 */
export function withoutPrivate(text: string): string {
  return withoutElements(text, privateTag, { nests: true, dropsUnclosed: () => true })
}

/** How many more private spans a text opens than it closes. */
export function netPrivateTags(text: string): number {
  return netTags(text, privateTag)
}

/** The same for every text in a value of JSON. */
export function withoutPrivateTexts<T>(value: T): T {
  const clean = (part: unknown): unknown => {
    if (typeof part === 'string') return withoutPrivate(part)
    if (Array.isArray(part)) return part.map(clean)
    if (typeof part !== 'object' || part === null) return part
    return Object.fromEntries(Object.entries(part).map(([key, inner]) => [withoutPrivate(key), clean(inner)]))
  }
  return clean(value) as T
}
