const humps = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_a-zA-Z]+/gu

/** Splits an identifier into words in lower case: `readHTTPHeader_v2` becomes read, http, header, v, 2. */
export function wordsOfName(name: string): string[] {
  return (name.match(humps) ?? []).map(word => word.toLowerCase())
}
