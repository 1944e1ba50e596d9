/** Domains of diagnostics, and `composite` for all of them. */
export const domainNames = [
  'queue',
  'storage',
  'index',
  'provider',
  'mutation',
  'duplicate',
  'connector',
  'update',
  'graph',
  'openclaw',
  'composite',
] as const
