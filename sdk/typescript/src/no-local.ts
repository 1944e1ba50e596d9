import { ConnectionError } from './errors.js'
import type { Place } from './http.js'

/** Bundles for browsers contain this file instead of `local.ts`: a page cannot read the registration. */
export async function findDaemon(): Promise<Place> {
  throw new ConnectionError('a browser cannot find the local daemon; give its url', { code: 'not_running' })
}
