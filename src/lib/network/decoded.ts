/** Decodes percent signs; returns undefined for a text that is encoded wrongly. */
export function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
