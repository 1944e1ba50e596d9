import { createTraffic } from '../../src/lib/concurrency/in-flight.js'

const noProjects = { ready: async () => undefined }

/**
 * The parts of a daemon that a bound route needs before its handler, plus those for the handler under test.
 */
export function servingDaemon(rest: object = {}): never {
  return {
    auth: { mode: () => 'local' },
    requestsInFlight: createTraffic(),
    projects: noProjects,
    ...rest,
  } as never
}
