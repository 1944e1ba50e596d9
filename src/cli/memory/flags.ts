import { Flags } from '@oclif/core'
import { memoryTypes } from '../../contract/ground/wire-names.js'
import { parseMoment } from '../../lib/time/moment.js'
import { CliError } from '../shell/cli-error.js'

/** Types that reads accept: document chunks too. */
export const readableTypes = [...memoryTypes, 'document_chunk'] as const

/** A time: ISO 8601, a day, or a span before now such as 7d; parsed with `momentOf`. */
export const momentFlag = Flags.custom<string>({ helpValue: 'WHEN' })

/** A number from 0 to 1; parsed with `fractionOf`. */
export const fractionFlag = Flags.custom<string>({ helpValue: '0..1' })

/**
 * @returns ISO 8601 in UTC; for `--until` a day counts whole.
 * @throws CliError with the flag, its value and the accepted formats.
 */
export function momentOf(flag: string, text: string | undefined): string | undefined {
  try {
    return text === undefined
      ? undefined
      : parseMoment(text, Date.now(), flag === '--until' ? 'end' : 'begin')
  } catch (cause) {
    throw invalidFlag(flag, (cause as Error).message)
  }
}

/** @throws CliError with the flag and its value. */
export function fractionOf(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const value = Number(text)
  if (text.trim() !== '' && value >= 0 && value <= 1) return value
  throw invalidFlag(flag, `"${text}" is not a number from 0 to 1`)
}

/** Creates the error for a flag with an invalid value. */
export function invalidFlag(flag: string, fault: string): CliError {
  return new CliError(`${flag}: ${fault}`, { code: 'validation_failed', exit: 'usage' })
}

/** Filters of recall and forget (recall.md 1.3.3 and 1.3.4). */
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
  scope: Flags.string({
    summary: 'Only memories of this scope. Without it, scoped memories are excluded.',
    helpValue: 'NAME',
    helpGroup: 'FILTER',
  }),
  since: momentFlag({
    summary: 'Only memories created at or after this moment (2026-01-31, 7d, yesterday).',
    aliases: ['after'],
    helpGroup: 'FILTER',
  }),
  until: momentFlag({
    summary: 'Only memories created at or before this moment; a day counts whole.',
    aliases: ['before'],
    helpGroup: 'FILTER',
  }),
}

/** Reason for a change of a memory, recorded in its history; read with `reasonOf`. */
export const reasonFlag = Flags.custom<string>({
  summary: 'Reason for the change, recorded in the memory history.',
  char: 'r',
  helpValue: 'TEXT',
})

/** Returns the reason for the history: the given one, or how the change was made. */
export function reasonOf(given: string | undefined, fallback: string): string {
  return given?.trim() || fallback
}
