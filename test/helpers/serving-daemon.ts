import { createTraffic } from '../../src/lib/concurrency/traffic.js'

/** As much of a daemon as a bound route asks for before its handler, with what the handler of a test needs beside it. */
export function servingDaemon(rest: object = {}): never {
  return { auth: { mode: () => 'local' }, requestsInFlight: createTraffic(), ...rest } as never
}
