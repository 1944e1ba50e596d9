export const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/iu

/** Matches a text that is exactly one UUID in lower case, the form generated here. */
export const wholeUuid = new RegExp(`^${uuid.source}$`)

/** Characters of an id that are shown: the last ones, which are random in a UUID of version 7. */
export const shortIdLength = 8

/** The fewest characters of an id that are accepted for all of it. */
export const shortestIdPart = 6

/** Matches a beginning or end of an id anywhere in a text. */
export const idPart = /[0-9a-f][0-9a-f-]{4,33}[0-9a-f]/iu

const wholePart = new RegExp(`^${idPart.source}$`, 'iu')

/** The end of an id, which texts show instead of all of it; ids of other forms stay whole. */
export function shortId(id: string): string {
  return wholeUuid.test(id) ? id.slice(-shortIdLength) : id
}

/** Returns true for a text that may be the beginning or the end of an id. */
export function isIdPart(text: string): boolean {
  return wholePart.test(text)
}

/** Returns true if an id begins or ends with a text; letters match in either case. */
export function hasIdPart(id: string, text: string): boolean {
  const [whole, given] = [id.toLowerCase(), text.toLowerCase()]
  return whole.startsWith(given) || whole.endsWith(given)
}
