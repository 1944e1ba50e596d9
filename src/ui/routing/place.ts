export interface Place {
  /** Name of the page. */
  page: string
  /** What follows: `#/memories/ID` has one. */
  rest: readonly string[]
  query: Readonly<Record<string, string>>
}

export function placeOf(hash: string): Place {
  const [path = '', search = ''] = hash.replace(/^#\/?/u, '').split('?')
  const [page = '', ...rest] = path.split('/').map(decoded)
  return { page, rest: rest.filter(Boolean), query: Object.fromEntries(new URLSearchParams(search)) }
}

/** The address of a place, for links. */
export function addressOf(
  page: string,
  rest: readonly string[] = [],
  query: Readonly<Record<string, string | undefined>> = {},
): string {
  const search = new URLSearchParams(
    Object.entries(query).filter((pair): pair is [string, string] => Boolean(pair[1])),
  ).toString()
  const path = [page, ...rest].map(encodeURIComponent).join('/')
  return `#/${path}${search ? `?${search}` : ''}`
}

/** A text of an address that somebody made up may be no encoding of anything. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
