import { Flags, type Interfaces } from '@oclif/core'
import { filterFlags, fractionFlag, fractionOf, memoryTypes, momentOf } from './flags.js'

/** Flags of export: which memories, and where to. */
export const exportFlags = {
  out: Flags.string({ summary: 'Write to this file instead of stdout.', char: 'o', helpValue: 'FILE' }),
  force: Flags.boolean({ summary: 'Replace the file if it exists.', dependsOn: ['out'] }),
  deleted: Flags.boolean({ summary: 'Forgotten memories too.' }),
  type: Flags.string({ summary: 'Only memories of this type.', options: memoryTypes, helpGroup: 'FILTER' }),
  ...filterFlags,
  scope: Flags.string({ summary: 'Only memories of this scope.', helpValue: 'NAME', helpGroup: 'FILTER' }),
  pinned: Flags.boolean({ summary: 'Only pinned memories.', allowNo: true, helpGroup: 'FILTER' }),
  'importance-min': fractionFlag({
    summary: 'Only memories of at least this importance.',
    helpGroup: 'FILTER',
  }),
}

/** The query that the flags of export ask for. @throws CliError. */
export function exportQuery(flags: Interfaces.InferredFlags<typeof exportFlags>) {
  return {
    deleted: flags.deleted || undefined,
    type: flags.type,
    tags: flags.tags?.join(','),
    who: flags.who,
    project: flags.project,
    scope: flags.scope,
    pinned: flags.pinned,
    importance_min: fractionOf('--importance-min', flags['importance-min']),
    since: momentOf('--since', flags.since),
    until: momentOf('--until', flags.until),
  }
}
