export const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/iu

/** Matches a text that is exactly one UUID in lower case, the form generated here. */
export const wholeUuid = new RegExp(`^${uuid.source}$`)
