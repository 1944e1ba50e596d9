import type { Dispatcher } from 'undici'

const maxRedirects = 5
const redirects = new Set([301, 302, 303, 307, 308])

export interface RedirectSteps {
  /** One request, which follows nothing itself. */
  ask(url: URL): Promise<Dispatcher.ResponseData>
  /** The address that a redirect leads to. @throws where it is not asked. */
  next(location: string, from: URL): URL
  /** What is thrown after as many as are followed. */
  tooMany(most: number): Error
}

/** Asks an address, and then where each redirect leads to. @returns the first reply that is none, its body not read. */
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
