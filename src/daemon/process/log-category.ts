import type { Daemon } from '../platform/daemon/daemon.js'
import type { Domain } from '../platform/domain.js'
import type { Route } from '../platform/http/bind.js'

/** The daemon as one domain sees it: what that logs is of its category (telemetry.md 1). @param name of the domain. */
export function withCategory(daemon: Daemon, name: string): Daemon {
  return { ...daemon, log: daemon.log.child({ category: categoryOf(name) }) }
}

/** The routes of a domain, each with the daemon as that domain sees it. */
export function routesOf(name: string, { routes = [] }: Domain): Route[] {
  const seen = new WeakMap<Daemon, Daemon>()
  const asSeen = (daemon: Daemon): Daemon => {
    const known = seen.get(daemon) ?? withCategory(daemon, name)
    seen.set(daemon, known)
    return known
  }
  return routes.map(({ endpoint, handler }) => ({
    endpoint,
    handler: async () => {
      const handle = await handler()
      return (daemon, input) => handle(asSeen(daemon), input)
    },
  }))
}

/** `secretStore` is `secret-store`. */
function categoryOf(name: string): string {
  return name.replaceAll(/[A-Z]/gu, capital => `-${capital.toLowerCase()}`)
}
