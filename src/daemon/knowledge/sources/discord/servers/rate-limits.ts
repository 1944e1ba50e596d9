import { wireLimited } from '../../../../../contract/knowledge/discord-wire.js'

type Headers = Readonly<Record<string, string | string[] | undefined>>

/** A bucket of requests that the server counts together. */
interface Bucket {
  remaining: number
  /** When it is full again, in milliseconds of our own clock. */
  fullAt: number
}

/**
 * What Discord allows, learned of its replies: a bucket for each route and channel or server, and one limit of all
 * requests. Times are taken as "in so many seconds", never as an hour of theirs: clocks differ.
 */
export class RateLimits {
  /** Which bucket a route is counted in, once it answered. */
  readonly #bucketOf = new Map<string, string>()
  readonly #buckets = new Map<string, Bucket>()
  #allFreeAt = 0

  constructor(readonly now: () => number) {}

  /** How long to wait before the next request of a route; 0 for not at all. */
  waitMs(route: string): number {
    const bucket = this.#buckets.get(this.#bucketOf.get(route) ?? '')
    const bucketFreeAt = bucket && bucket.remaining <= 0 ? bucket.fullAt : 0
    return Math.max(0, this.#allFreeAt - this.now(), bucketFreeAt - this.now())
  }

  /** Learns of the headers of any reply. */
  note(route: string, headers: Headers): void {
    const remaining = Number(headers['x-ratelimit-remaining'] ?? Number.NaN)
    const resetAfter = Number(headers['x-ratelimit-reset-after'] ?? Number.NaN)
    if (Number.isNaN(remaining) || Number.isNaN(resetAfter)) return
    const name = `${headers['x-ratelimit-bucket'] ?? ''} ${majorOf(route)}`
    this.#bucketOf.set(route, name)
    this.#buckets.set(name, { remaining, fullAt: this.now() + resetAfter * 1000 })
  }

  /**
   * Learns of a refusal (429): the route waits, or everything.
   * @param body as JSON; one that a proxy wrote is none, and speaks for all routes
   * @returns how long the server wants us to wait
   */
  limited(route: string, headers: Headers, body: unknown): number {
    const told = wireLimited.safeParse(body)
    const seconds = told.success ? told.data.retry_after : Number(headers['retry-after'] ?? 60)
    const ms = Math.max(0, (Number.isFinite(seconds) ? seconds : 60) * 1000)
    const isGlobal = !told.success || told.data.global || headers['x-ratelimit-global'] === 'true'
    if (isGlobal) this.#allFreeAt = this.now() + ms
    else {
      const name = this.#bucketOf.get(route) ?? ` ${route}`
      this.#bucketOf.set(route, name)
      this.#buckets.set(name, { remaining: 0, fullAt: this.now() + ms })
    }
    return ms
  }
}

/** A path as its limit sees it: numbers that are no channel, server or webhook do not make another route. */
export function routeOf(path: string): string {
  return path.replace(/(?<=\/)\d{15,}/gu, (id, at: number) =>
    /\/(?:channels|guilds|webhooks)\/$/u.test(path.slice(0, at)) ? id : ':id',
  )
}

/** Buckets of one name count apart for each channel and each server. */
function majorOf(route: string): string {
  return /^\/(?:channels|guilds|webhooks)\/\d+/u.exec(route)?.[0] ?? ''
}
