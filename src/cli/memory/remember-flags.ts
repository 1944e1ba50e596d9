import { Flags, type Interfaces } from '@oclif/core'
import type { Request } from '../../contract/api.js'
import { memoryTypes } from '../../contract/ground/wire-names.js'
import { clip, quoted } from '../../lib/text/clip.js'
import { isRecord } from '../../lib/text/json-of.js'
import { CliError } from '../shell/cli-error.js'
import { rowOf } from '../shell/listed-rows.js'
import { plainLine } from '../terminal/text.js'
import { fractionFlag, fractionOf, invalidFlag, momentFlag, momentOf } from './flags.js'
import { savingProjectFlags } from './project-flags.js'

type RememberBody = NonNullable<Request<'POST /api/memory/remember'>['body']>
type Structured = NonNullable<RememberBody['structured']>

/** Flags of remember: every field that a save can set (rules.md 4.3). */
export const rememberFlags = {
  file: Flags.string({ summary: 'Read the text from this file.', char: 'f', helpValue: 'PATH' }),
  type: Flags.string({ summary: 'Type of memory; detected from the text if omitted.', options: memoryTypes }),
  tags: Flags.string({
    summary: 'Tags (comma-separated, repeatable).',
    aliases: ['tag'],
    char: 't',
    multiple: true,
    multipleNonGreedy: true,
    helpValue: 'TAGS',
  }),
  importance: fractionFlag({ summary: 'Importance (default 0.8).' }),
  pin: Flags.boolean({ summary: 'Pin it: it never loses weight with age.', aliases: ['pinned'] }),
  ...savingProjectFlags,
  scope: Flags.string({
    summary: 'Separate scope; recall then needs the same --scope.',
    helpValue: 'NAME',
  }),
  who: Flags.string({ summary: 'Author.', helpValue: 'NAME' }),
  visibility: Flags.string({ summary: 'Visibility (default global).', options: ['global', 'private'] }),
  hint: Flags.string({
    summary: 'Another phrasing that should find it (repeatable; alias --hints).',
    aliases: ['hints'],
    multiple: true,
    multipleNonGreedy: true,
    helpValue: 'TEXT',
  }),
  supersedes: rowOf('memory', Flags.string({ summary: 'Memory that this one replaces.', helpValue: 'ID' })),
  reason: Flags.string({ summary: 'Reason for the replacement.', char: 'r', helpValue: 'TEXT' }),
  'created-at': momentFlag({ summary: 'When it was first written (imports).', helpGroup: 'TIME' }),
  'occurred-at': momentFlag({ summary: 'When it happened.', helpGroup: 'TIME' }),
  'observed-at': momentFlag({ summary: 'When it was observed.', helpGroup: 'TIME' }),
  'valid-from': momentFlag({ summary: 'Start of its validity.', helpGroup: 'TIME' }),
  'valid-until': momentFlag({ summary: 'End of its validity.', helpGroup: 'TIME' }),
  'review-after': momentFlag({ summary: 'Suggest a review after this time.', helpGroup: 'TIME' }),
  expires: Flags.string({
    summary:
      'When recall stops finding it: 2026-12-31, or a span such as 90d. 30 days later it is forgotten.',
    helpValue: 'WHEN',
    helpGroup: 'TIME',
  }),
  'source-type': Flags.string({ summary: 'Kind of source.', helpValue: 'NAME', helpGroup: 'SOURCE' }),
  'source-id': Flags.string({
    summary: 'Id at the source; a second save with the same id is ignored.',
    helpValue: 'ID',
    helpGroup: 'SOURCE',
  }),
  'source-path': Flags.string({ summary: 'Path at the source.', helpValue: 'PATH', helpGroup: 'SOURCE' }),
  'source-created-at': momentFlag({ summary: 'When the source was written.', helpGroup: 'SOURCE' }),
  'runtime-path': Flags.string({
    summary: 'Runtime path of the session.',
    helpValue: 'PATH',
    helpGroup: 'SOURCE',
  }),
  'session-id': Flags.string({ summary: 'Session it comes from.', helpValue: 'ID', helpGroup: 'SOURCE' }),
  structured: Flags.string({
    summary: 'Entities, aspects and hints as a JSON object, kept as evidence.',
    helpValue: 'JSON',
    helpGroup: 'SOURCE',
  }),
  'idempotency-key': Flags.string({
    summary: 'Key for retries: a repeated save returns the first memory.',
    helpValue: 'KEY',
    helpGroup: 'SOURCE',
  }),
}

/** An argument as the parser classified it. */
interface Token {
  type: 'arg' | 'flag'
  input: string
  flag?: string
}

type KnownFlags = Readonly<Record<string, { type: string } | undefined>>

/**
 * Rejects a text in two parts of which the second follows the value of a flag: `--tags a b c` after a text
 * would append two words to it.
 * @param known flags of the command, including the global ones.
 * @throws CliError that names the words and the correct form.
 */
export function requireOneText(tokens: readonly Token[], known: KnownFlags): void {
  const at = tokens.findIndex(
    ({ type }, index) =>
      type === 'arg' &&
      takesValue(tokens[index - 1], known) &&
      tokens.slice(0, index).some(one => one.type === 'arg'),
  )
  if (at < 0) return
  const { flag, input } = tokens[at - 1] as Token
  const end = tokens.findIndex(({ type }, index) => index > at && type === 'flag')
  const words = tokens.slice(at, end < 0 ? undefined : end).map(word => word.input)
  const given = [input, ...words].map(word => clip(plainLine(word), 40))
  const value = flag === 'tags' ? given.join(',') : `"${given.join(' ')}"`
  throw new CliError(`${quoted(words.join(' '))} after --${flag} would be added to the text`, {
    code: 'invalid_input',
    exit: 'usage',
    nextSteps: [`--${flag} ${value}   if the flag was meant`, 'otherwise put the whole text in quotes'],
  })
}

function takesValue(token: Token | undefined, known: KnownFlags): boolean {
  return token?.type === 'flag' && known[token.flag ?? '']?.type === 'option'
}

/** Converts the flags of remember to a request. @param agent the global `--agent`. @throws CliError. */
export function rememberBody(
  content: string,
  flags: Interfaces.InferredFlags<typeof rememberFlags>,
  agent: string | undefined,
): RememberBody {
  return {
    content,
    type: flags.type as RememberBody['type'],
    tags: flags.tags,
    importance: fractionOf('--importance', flags.importance),
    pinned: flags.pin || undefined,
    project: flags.project,
    scope: flags.scope,
    who: flags.who,
    visibility: flags.visibility as RememberBody['visibility'],
    supersedes: flags.supersedes,
    reason: flags.reason,
    agentId: agent,
    sessionId: flags['session-id'],
    createdAt: momentOf('--created-at', flags['created-at']),
    occurredAt: momentOf('--occurred-at', flags['occurred-at']),
    observedAt: momentOf('--observed-at', flags['observed-at']),
    validFrom: momentOf('--valid-from', flags['valid-from']),
    validUntil: momentOf('--valid-until', flags['valid-until']),
    reviewAfter: momentOf('--review-after', flags['review-after']),
    expiresAt: expiryOf(flags.expires),
    sourceType: flags['source-type'],
    sourceId: flags['source-id'],
    sourcePath: flags['source-path'],
    sourceCreatedAt: momentOf('--source-created-at', flags['source-created-at']),
    runtimePath: flags['runtime-path'],
    idempotencyKey: flags['idempotency-key'],
    structured: structuredOf(flags),
  }
}

/** Returns the end of a day, or a time after now. @throws CliError with the value and the formats. */
export function expiryOf(text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  const now = Date.now()
  const at = Date.parse(momentOf('--expires', text) ?? '')
  const isSpan = /^\s*\d+\s*[a-z]+\s*$/iu.test(text)
  const expires = isSpan ? 2 * now - at : at
  if (expires > now) return new Date(expires).toISOString()
  throw invalidFlag('--expires', `"${text}" is not in the future: use 2027-01-31 or a span such as 90d`)
}

function structuredOf({
  structured,
  hint,
}: {
  structured?: string
  hint?: string[]
}): Structured | undefined {
  const given = structured === undefined ? undefined : parseStructured(structured)
  return hint ? { ...given, hints: [...(given?.hints ?? []), ...hint] } : given
}

function parseStructured(text: string): Structured {
  try {
    const value: unknown = JSON.parse(text)
    if (isRecord(value)) return value as Structured
  } catch {
    // Falls through: invalid JSON and a value other than an object have the same remedy.
  }
  throw invalidFlag(
    '--structured',
    `"${text.slice(0, 60)}" is not a JSON object such as {"hints":["how do we ship"]}`,
  )
}
