import { Flags, type Interfaces } from '@oclif/core'
import type { Request } from '../../contract/api.js'
import { CliError } from '../shell/cli-error.js'
import { fractionFlag, fractionOf, reasonFlag, requireReason } from './flags.js'

type PatchBody = NonNullable<Request<'PATCH /api/memory/:id'>['body']>

/** What of saved evidence can change (rules.md 4.6). */
export const editFlags = {
  tags: Flags.string({
    summary: 'Its tags from now on (comma-separated, repeatable).',
    aliases: ['tag'],
    char: 't',
    multiple: true,
    multipleNonGreedy: true,
    helpValue: 'TAGS',
    exclusive: ['clear-tags'],
  }),
  'clear-tags': Flags.boolean({ summary: 'Take all tags away.' }),
  importance: fractionFlag({ summary: 'How much it matters.' }),
  pin: Flags.boolean({ summary: 'Keep it at full weight whatever its age, or stop that.', allowNo: true }),
  reason: reasonFlag(),
  'if-version': Flags.integer({ summary: 'Only if it still has this version.', min: 1 }),
}

/** The request that the flags of edit ask for. @throws CliError when nothing is to change, or no reason is given. */
export function editBody(id: string, flags: Interfaces.InferredFlags<typeof editFlags>): PatchBody {
  const fields = {
    tags: flags['clear-tags'] ? null : flags.tags,
    importance: fractionOf('--importance', flags.importance),
    pinned: flags.pin,
  }
  if (Object.values(fields).every(value => value === undefined)) throw nothingToChange(id)
  const reason = requireReason(flags.reason, `memory edit ${id} ... --reason "sorted"`)
  return { ...fields, reason, if_version: flags['if-version'] }
}

function nothingToChange(id: string): CliError {
  return new CliError(
    'nothing says what to change: give --tags, --clear-tags, --importance, --pin or --no-pin',
    {
      code: 'change_required',
      exit: 'usage',
      nextSteps: [
        `memory edit ${id} --tags release --reason "sorted"`,
        `a new text replaces the old one: memory remember "..." --supersedes ${id}`,
      ],
    },
  )
}
