import { Flags, type Interfaces } from '@oclif/core'
import type { Request } from '../../contract/api.js'
import type { RecallChannel } from '../../contract/memory/memory.js'
import { filterFlags, fractionFlag, fractionOf, momentOf, readableTypes } from './flags.js'
import { branchFlag, readingProjectFlags } from './project-flags.js'

export type RecallBody = NonNullable<Request<'POST /api/memory/recall'>['body']>

/** Flags of recall: its filters (recall.md 1.3.2 to 1.3.4), limit and verbosity. */
export const recallFlags = {
  type: Flags.string({
    summary: 'Only memories of these types (repeatable).',
    options: readableTypes,
    multiple: true,
    multipleNonGreedy: true,
    helpGroup: 'FILTER',
  }),
  ...filterFlags,
  ...readingProjectFlags,
  ...branchFlag,
  pinned: Flags.boolean({ summary: 'Only pinned memories.', allowNo: true, helpGroup: 'FILTER' }),
  'importance-min': fractionFlag({
    summary: 'Only memories of at least this importance.',
    helpGroup: 'FILTER',
  }),
  'read-policy': Flags.string({
    summary: 'Restrict the memories that the agent can see.',
    options: ['isolated', 'shared', 'group'],
    helpGroup: 'FILTER',
  }),
  'policy-group': Flags.string({
    summary: 'Group for the read policy "group".',
    helpValue: 'NAME',
    helpGroup: 'FILTER',
  }),
  'keyword-query': Flags.string({ summary: 'Different words for the keyword search.', helpValue: 'WORDS' }),
  limit: Flags.integer({ summary: 'Maximum number of results.', char: 'n', default: 10, min: 1, max: 100 }),
  'min-score': fractionFlag({ summary: 'Minimum score of a result.', aliases: ['score-min'] }),
  explain: Flags.boolean({ summary: 'Say why each row was found.' }),
  verbose: Flags.boolean({ summary: 'With --explain, show the numbers too.', char: 'v' }),
  full: Flags.boolean({ summary: 'Show full texts.' }),
  trial: Flags.boolean({ summary: 'Do not count or record this recall.' }),
  channel: Flags.string({
    summary: 'Use only this search channel (repeatable); requires --trial.',
    options: ['keyword', 'hints', 'vector', 'claims', 'traversal'] satisfies RecallChannel[],
    multiple: true,
    multipleNonGreedy: true,
    dependsOn: ['trial'],
  }),
}

/** Converts the flags to filters; fields without a flag are undefined. @throws CliError. */
export function recallFilters(flags: Interfaces.InferredFlags<typeof recallFlags>) {
  return {
    type: flags.type as RecallBody['type'],
    tags: flags.tags,
    who: flags.who,
    project: flags.project,
    branch: flags.branch,
    scope: flags.scope,
    since: momentOf('--since', flags.since),
    until: momentOf('--until', flags.until),
    pinned: flags.pinned,
    importance_min: fractionOf('--importance-min', flags['importance-min']),
    readPolicy: flags['read-policy'] as RecallBody['readPolicy'],
    policyGroup: flags['policy-group'],
    score_min: fractionOf('--min-score', flags['min-score']),
  } satisfies Omit<RecallBody, 'query'>
}
