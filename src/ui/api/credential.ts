const key = 'memory-service.credential'

/**
 * What the page shows to be let in: in the storage of this tab and nowhere else, so that it ends with the tab, and
 * sent as a header only, so that no other page can make the browser send it.
 */
export function credential(): string | undefined {
  return sessionStorage.getItem(key) ?? undefined
}

export function keepCredential(text: string): void {
  sessionStorage.setItem(key, text)
}

export function dropCredential(): void {
  sessionStorage.removeItem(key)
}

/** Of every request of the page: who asks, and that it is the page that does, for what is counted of its use. */
export function headersOfPage(): Record<string, string> {
  const text = credential()
  return { 'x-service-surface': 'dashboard', ...(text !== undefined && { authorization: `Bearer ${text}` }) }
}
