import { Args, Flags, type Interfaces } from '@oclif/core'
import { fractionFlag, fractionOf, reasonFlag, requireReason } from '../cli/memory/flags.js'
import { CliError } from '../cli/shell/cli-error.js'
import { DaemonCommand } from '../cli/shell/daemon-command.js'
import { rowOf } from '../cli/shell/listed-rows.js'
import { colorsFor, print, shownId } from '../cli/terminal/output.js'
import type { Request } from '../contract/api.js'

type PatchBody = NonNullable<Request<'PATCH /api/memory/:id'>['body']>

/** Editable fields of a saved memory (rules.md 4.6). */
const editFlags = {
  tags: Flags.string({
    summary: 'New tags, replacing the old ones (comma-separated, repeatable).',
    aliases: ['tag'],
    char: 't',
    multiple: true,
    multipleNonGreedy: true,
    helpValue: 'TAGS',
    exclusive: ['clear-tags'],
  }),
  'clear-tags': Flags.boolean({ summary: 'Remove all tags.' }),
  importance: fractionFlag({ summary: 'How important the memory is.' }),
  pin: Flags.boolean({
    summary: 'Pin the memory so that it does not fade with age; --no-pin unpins it.',
    allowNo: true,
  }),
  reason: reasonFlag(),
  'if-version': Flags.integer({ summary: 'Only if the memory still has this version.', min: 1 }),
}

export default class Edit extends DaemonCommand {
  static override summary = 'Change the tags, importance or pin of a memory.'
  static override description =
    'The text and type of a memory never change. To replace them, save a new memory with memory remember ' +
    '--supersedes ID.'
  static override examples = [
    '<%= config.bin %> edit 0198c0de-0000-7000-8000-000000000001 --tags release,ci --reason "sorted"',
    '<%= config.bin %> edit 0198c0de-0000-7000-8000-000000000001 --no-pin --importance 0.3 --reason "matters less"',
  ]
  static override args = {
    id: rowOf('memory', Args.string({ description: 'Id of the memory.', required: true, ignoreStdin: true })),
  }
  static override flags = editFlags

  async run() {
    const { args, flags } = await this.parse(Edit)
    const body = editBody(args.id, flags)
    const reply = await this.call('PATCH /api/memory/:id', { params: { id: args.id }, body })
    if (this.jsonEnabled()) return reply
    const colors = colorsFor()
    const version = colors.dim(`version ${reply.newVersion ?? reply.currentVersion}`)
    const word = reply.status === 'no_changes' ? colors.yellow('Unchanged') : colors.green('Changed')
    print(`${word}  ${colors.bold(shownId(reply.id))}  ${version}`)
    return reply
  }
}

/** Converts the flags of edit to a request. @throws CliError without a change or a reason. */
function editBody(id: string, flags: Interfaces.InferredFlags<typeof editFlags>): PatchBody {
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
  return new CliError('nothing to change: give --tags, --clear-tags, --importance, --pin or --no-pin', {
    code: 'change_required',
    exit: 'usage',
    nextSteps: [
      `memory edit ${id} --tags release --reason "sorted"`,
      `to replace the text: memory remember "..." --supersedes ${id}`,
    ],
  })
}
