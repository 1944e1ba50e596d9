import type { ModelCall, PassTokens } from '../reader.js'

/**
 * Counts what caches of the provider did. A read is a hit; a write without a read is a miss; a provider that tells
 * nothing, or zero of both, may have no cache at all: unknown (telemetry.md 4).
 */
export function createPassTokens(): { add(call: ModelCall): void; told(): PassTokens } {
  const told: PassTokens = {
    tokensCacheRead: null,
    tokensCacheWrite: null,
    tokenCoverage: 'unavailable',
    cacheRequests: 0,
    cacheHits: 0,
    cacheMisses: 0,
    cacheUnknown: 0,
    cacheWrites: 0,
  }
  return {
    told: () => ({ ...told }),
    add: ({ cacheReadTokens: read, cacheWriteTokens: written, counted }) => {
      told.tokensCacheRead = read === null ? told.tokensCacheRead : (told.tokensCacheRead ?? 0) + read
      told.tokensCacheWrite =
        written === null ? told.tokensCacheWrite : (told.tokensCacheWrite ?? 0) + written
      // What is estimated in a part is estimated in all.
      told.tokenCoverage = told.tokenCoverage === 'locally_estimated' ? told.tokenCoverage : counted
      told.cacheRequests++
      if (read) told.cacheHits++
      else if (written) told.cacheMisses++
      else told.cacheUnknown++
      if (written) told.cacheWrites++
    },
  }
}
