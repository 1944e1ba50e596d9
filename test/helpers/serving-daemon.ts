import { createTraffic } from '../../src/lib/concurrency/traffic.js'

/**
 * The parts of a daemon that a bound route needs before its handler, plus those for the handler under test.
 */
export function servingDaemon(rest: object = {}): never {
  return { auth: { mode: () => 'local' }, requestsInFlight: createTraffic(), ...rest } as never
}
