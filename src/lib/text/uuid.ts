/** A UUID anywhere in a text. */
export const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/iu

/** A text that is nothing but a UUID as they are made here, in small letters. */
export const wholeUuid = new RegExp(`^${uuid.source}$`)
