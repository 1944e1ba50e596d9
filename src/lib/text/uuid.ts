export const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/iu

/** Matches a text that is exactly one UUID in lower case, the form generated here. */
export const wholeUuid = new RegExp(`^${uuid.source}$`)

/** Characters of an id that are shown: the last ones, which are random in a UUID of version 7. */
export const shortIdLength = 8

/** The end of an id, which texts show instead of all of it and every id field accepts. */
export function shortId(id: string): string {
  return id.slice(-shortIdLength)
}
