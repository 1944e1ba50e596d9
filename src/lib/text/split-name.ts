const humps = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_a-zA-Z]+/gu

/** The words of a name, in lower case: `readHTTPHeader_v2` is read, http, header, v, 2. */
export function wordsOfName(name: string): string[] {
  return (name.match(humps) ?? []).map(word => word.toLowerCase())
}
