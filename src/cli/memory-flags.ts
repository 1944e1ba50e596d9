import { Flags } from '@oclif/core'
import type { Request } from '../contract/api.js'
import { CliError } from './cli-error.js'
import { parseMoment } from './memory-age.js'

type MemoryType = NonNullable<NonNullable<Request<'POST /api/memory/remember'>['body']>['type']>

/** Written out, because the schemas that list them must not load at start. */
export const memoryTypes = [
  'fact',
  'preference',
  'decision',
  'rule',
  'learning',
  'issue',
  'procedural',
  'semantic',
] as const satisfies readonly MemoryType[]

/** A moment: ISO 8601, or a span before now such as 7d. Its value is ISO 8601 in UTC. */
export const momentFlag = Flags.custom<string>({
  helpValue: 'WHEN',
  parse: async text => {
    try {
      return parseMoment(text, Date.now())
    } catch (cause) {
      throw new CliError((cause as Error).message, { code: 'validation_failed', exit: 'usage', cause })
    }
  },
})

/** A number from 0 to 1. */
export const fractionFlag = Flags.custom<number>({
  helpValue: '0..1',
  parse: async text => {
    const value = Number(text)
    if (text.trim() !== '' && value >= 0 && value <= 1) return value
    throw new CliError(`"${text}" is not a number from 0 to 1`, { code: 'validation_failed', exit: 'usage' })
  },
})

/** Flags that narrow recall and forget (spec 1, 1.3.3 and 1.3.4). */
export const filterFlags = {
  tags: Flags.string({
    summary: 'Only memories with every one of these tags (comma-separated, repeatable).',
    aliases: ['tag'],
    char: 't',
    multiple: true,
    multipleNonGreedy: true,
    helpValue: 'TAGS',
    helpGroup: 'FILTER',
  }),
  who: Flags.string({ summary: 'Only memories by this author.', helpValue: 'NAME', helpGroup: 'FILTER' }),
  project: Flags.string({
    summary: 'Only memories of this project.',
    char: 'p',
    helpValue: 'NAME',
    helpGroup: 'FILTER',
  }),
  scope: Flags.string({
    summary: 'Only memories of this scope; without it scoped memories are left out.',
    helpValue: 'NAME',
    helpGroup: 'FILTER',
  }),
  since: momentFlag({
    summary: 'Only memories created at or after this moment (2026-01-31, 7d, yesterday).',
    helpGroup: 'FILTER',
  }),
  until: momentFlag({
    summary: 'Only memories created at or before this moment.',
    helpGroup: 'FILTER',
  }),
}

/** Why a memory changes; the history keeps it. */
export const reasonFlag = Flags.custom<string>({
  summary: 'Why; the history of the memory keeps it.',
  char: 'r',
  helpValue: 'TEXT',
})

/** @throws CliError when a reason is missing, with the whole command that has one. */
export function requireReason(reason: string | undefined, example: string): string {
  if (reason?.trim()) return reason.trim()
  throw new CliError('a reason is needed: the history keeps it', {
    code: 'reason_required',
    exit: 'usage',
    nextSteps: [example],
  })
}
