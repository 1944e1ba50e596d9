/** One cached reply: under which address, and its body as the network brought it. */
export interface CacheEntry {
  url: string
  /** Still compressed. */
  body: Buffer
  /** `content-encoding` of the reply; empty where it names none. */
  encoding: string
}

/** The address in the key of an entry: Chromium puts the page that asked before it. */
export function addressIn(key: string): string | undefined {
  return /https:\/\/(?:\w+\.)?discord(?:app)?\.com\/\S*$/u.exec(key)?.[0]
}

/** What the kept headers of a reply say of its encoding. */
export function encodingIn(headers: Buffer): string {
  return /content-encoding:\s*([\w-]+)/iu.exec(headers.toString('latin1'))?.[1]?.toLowerCase() ?? ''
}
