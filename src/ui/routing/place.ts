import { decoded } from '../../lib/network/decoded.js'

export interface PageAddress {
  /** Name of the page. */
  page: string
  /** Further parts of the address: `#/memories/ID` has one. */
  rest: readonly string[]
  query: Readonly<Record<string, string>>
}

/** A typed address may contain an invalid encoding. */
export function placeOf(hash: string): PageAddress {
  const [path = '', search = ''] = hash.replace(/^#\/?/u, '').split('?')
  const [page = '', ...rest] = path.split('/').map(part => decoded(part) ?? part)
  return { page, rest: rest.filter(Boolean), query: Object.fromEntries(new URLSearchParams(search)) }
}

/** Returns the address of a page for links. */
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
