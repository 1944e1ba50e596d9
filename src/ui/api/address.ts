export type QueryValues = Readonly<Record<string, string | number | boolean | undefined>>

/** Fills the parameters into an endpoint's path: `/api/memory/:id` and `{ id }`. */
export function pathOf(path: string, params: unknown, query: QueryValues = {}): string {
  const values = (params ?? {}) as Readonly<Record<string, unknown>>
  const filled = path.replace(/:(\w+)/gu, (_match, name: string) => encodeURIComponent(String(values[name])))
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [`${encodeURIComponent(name)}=${encodeURIComponent(value)}`],
  )
  return pairs.length > 0 ? `${filled}?${pairs.join('&')}` : filled
}
