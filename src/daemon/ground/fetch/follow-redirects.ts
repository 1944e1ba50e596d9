import type { Dispatcher } from 'undici'

const maxRedirects = 5
const redirects = new Set([301, 302, 303, 307, 308])

export interface RedirectSteps {
  /** Sends one request without following redirects. */
  ask(url: URL): Promise<Dispatcher.ResponseData>
  /** Resolves a redirect's target. @throws when the target is forbidden. */
  next(location: string, from: URL): URL
  /** The error thrown after the maximum number of redirects. */
  tooMany(most: number): Error
}

/**
 * Follows redirects from an address. @returns the first reply that is not a redirect, with its body unread.
 */
export async function followRedirects(
  first: URL,
  { ask, next, tooMany }: RedirectSteps,
): Promise<{ reply: Dispatcher.ResponseData; url: URL }> {
  let url = first
  for (let hops = 0; ; hops++) {
    const reply = await ask(url)
    const { location } = reply.headers
    if (!redirects.has(reply.statusCode) || typeof location !== 'string') return { reply, url }
    await reply.body.dump()
    if (hops === maxRedirects) throw tooMany(maxRedirects)
    url = next(location, url)
  }
}
