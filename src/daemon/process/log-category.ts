import type { Daemon } from '../platform/daemon/daemon.js'
import type { Domain } from '../platform/domain.js'
import type { Route } from '../platform/http/bind.js'

/** The daemon with a logger of the domain's category (telemetry.md 1). @param name of the domain */
export function withCategory(daemon: Daemon, name: string): Daemon {
  return { ...daemon, log: daemon.log.child({ category: categoryOf(name) }) }
}

/** The routes of a domain, which get the daemon with the domain's logger. */
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

/** Converts `secretStore` to `secret-store`. */
function categoryOf(name: string): string {
  return name.replaceAll(/[A-Z]/gu, capital => `-${capital.toLowerCase()}`)
}
