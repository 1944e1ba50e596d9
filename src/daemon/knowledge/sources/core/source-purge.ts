/** What the worker is woken by that takes away what buried sources brought; it finds them by their tombstones. */
export const sourcePurge = { kind: 'source_purge' } as const
