/** What diagnostics judge, and `composite`: all of it together. */
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
