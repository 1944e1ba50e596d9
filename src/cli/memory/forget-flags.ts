import { Flags, type Interfaces } from '@oclif/core'
import { filterFlags, memoryTypes, momentOf, reasonFlag } from './flags.js'
import { type ForgetTarget, forgetBatch } from './forget.js'

/** Flags of forget: what to forget, why, and whether to ask (rules.md 4.8). */
export const forgetFlags = {
  query: Flags.string({ summary: 'Memories that match these words.', char: 'q', helpValue: 'WORDS' }),
  type: Flags.string({ summary: 'Only memories of this type.', options: memoryTypes, helpGroup: 'FILTER' }),
  ...filterFlags,
  scope: Flags.string({
    summary: 'Only memories of this scope; without it those of every scope too.',
    helpValue: 'NAME',
    helpGroup: 'FILTER',
  }),
  'source-type': Flags.string({
    summary: 'Only memories of this kind of source.',
    helpValue: 'NAME',
    helpGroup: 'FILTER',
  }),
  limit: Flags.integer({ summary: 'At most this many.', char: 'n', min: 1, max: forgetBatch }),
  reason: reasonFlag(),
  force: Flags.boolean({ summary: 'Also forget pinned memories.' }),
  'dry-run': Flags.boolean({ summary: 'Show what would be forgotten and stop.' }),
  yes: Flags.boolean({ summary: 'Do not ask.', char: 'y', exclusive: ['dry-run'] }),
}

/** What the arguments and flags of forget name. @param agent the global `--agent`. */
export function forgetTarget(
  ids: string[] | undefined,
  flags: Interfaces.InferredFlags<typeof forgetFlags>,
  agent: string | undefined,
): ForgetTarget {
  return {
    ids,
    query: flags.query,
    type: flags.type as ForgetTarget['type'],
    tags: flags.tags,
    who: flags.who,
    project: flags.project,
    scope: flags.scope,
    source_type: flags['source-type'],
    since: momentOf('--since', flags.since),
    until: momentOf('--until', flags.until),
    limit: flags.limit ?? (flags.query === undefined ? forgetBatch : undefined),
    agentId: agent,
  }
}
