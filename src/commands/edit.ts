import { Args, Flags, type Interfaces } from '@oclif/core'
import { fractionFlag, fractionOf, reasonFlag, reasonOf } from '../cli/memory/flags.js'
import { replacementOf } from '../cli/memory/record.js'
import { expiryOf } from '../cli/memory/remember-flags.js'
import { CliError } from '../cli/shell/cli-error.js'
import { DaemonCommand } from '../cli/shell/daemon-command.js'
import { rowOf } from '../cli/shell/listed-rows.js'
import { colorsFor, print, shownId } from '../cli/terminal/output.js'
import type { Request } from '../contract/api.js'
import { memoryTypes } from '../contract/ground/wire-names.js'

type PatchBody = NonNullable<Request<'PATCH /api/memory/:id'>['body']>

type RememberType = NonNullable<Request<'POST /api/memory/remember'>['body']>['type']
type EditFlags = Interfaces.InferredFlags<typeof editFlags>

const edited = 'edited on the command line'

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
  text: Flags.string({
    summary: 'New text: saves a new version that replaces the memory and keeps its other fields.',
    helpValue: 'TEXT',
  }),
  type: Flags.string({
    summary: 'New type: saves a new version that replaces the memory, since a saved type never changes.',
    options: memoryTypes,
    helpValue: 'TYPE',
  }),
  project: Flags.string({
    summary: 'Project to which the memory belongs from now on.',
    helpValue: 'NAME',
  }),
  'clear-tags': Flags.boolean({ summary: 'Remove all tags.' }),
  importance: fractionFlag({ summary: 'How important the memory is.' }),
  pin: Flags.boolean({
    summary: 'Pin the memory so that it does not fade with age; --no-pin unpins it.',
    allowNo: true,
  }),
  expires: Flags.string({
    summary: 'When recall stops finding it: 2026-12-31, a span such as 90d, or never.',
    helpValue: 'WHEN',
  }),
  reason: reasonFlag(),
  'if-version': Flags.integer({ summary: 'Only if the memory still has this version.', min: 1 }),
}

export default class Edit extends DaemonCommand {
  static override summary = 'Change the text, type, project, tags, importance, pin or expiry of a memory.'
  static override description =
    'A new text or type is saved as a new memory that supersedes the old one; the old one ' +
    'stays readable with its history. All other fields change in place.'
  static override examples = [
    '<%= config.bin %> edit 0198c0de-0000-7000-8000-000000000001 --text "We deploy on Mondays" --reason "moved"',
    '<%= config.bin %> edit 0198c0de-0000-7000-8000-000000000001 --tags release,ci --reason "sorted"',
    '<%= config.bin %> edit @1 --expires 90d',
    '<%= config.bin %> edit 0198c0de-0000-7000-8000-000000000001 --no-pin --importance 0.3 --reason "matters less"',
  ]
  static override args = {
    id: rowOf('memory', Args.string({ description: 'Id of the memory.', required: true, ignoreStdin: true })),
  }
  static override flags = editFlags

  async run() {
    const { args, flags } = await this.parse(Edit)
    if (flags.text !== undefined || flags.type !== undefined) return this.#replace(args.id, flags)
    const body = editBody(args.id, flags)
    const reply = await this.call('PATCH /api/memory/:id', { params: { id: args.id }, body })
    if (this.jsonEnabled()) return reply
    const colors = colorsFor()
    const version = colors.dim(`version ${reply.newVersion ?? reply.currentVersion}`)
    const word = reply.status === 'no_changes' ? colors.yellow('Unchanged') : colors.green('Changed')
    print(`${word}  ${colors.bold(shownId(reply.id))}  ${version}`)
    return reply
  }

  /** Saves a new version with the fields of the old one, unless flags name others. */
  async #replace(id: string, flags: EditFlags) {
    const reason = reasonOf(flags.reason, edited)
    const old = await this.call('GET /api/memory/:id', { params: { id } })
    const { text, type, project, pin } = flags
    const changes = {
      ...(text !== undefined && { content: text }),
      ...(type !== undefined && { type: type as RememberType }),
      ...(project !== undefined && { project }),
      ...(pin !== undefined && { pinned: pin }),
      ...(flags.expires !== undefined && { expiresAt: whenOf(flags.expires, undefined) }),
      ...(flags.tags && { tags: flags.tags }),
      ...(flags['clear-tags'] && { tags: undefined }),
      importance: fractionOf('--importance', flags.importance) ?? old.importance,
    }
    const reply = await this.call('POST /api/memory/remember', {
      body: replacementOf(old, { ...changes, reason }),
    })
    if (!this.jsonEnabled()) {
      const colors = colorsFor()
      const [was, is] = [old.id, reply.id].map(one => colors.bold(shownId(one)))
      if (old.id === reply.id) print(`${colors.yellow('Unchanged')}  ${was}`)
      else print(`${colors.green('Replaced')}  ${was} by ${is}`)
    }
    return reply
  }
}

/** Converts the flags of edit to a request. @throws CliError without a change. */
function editBody(id: string, flags: EditFlags): PatchBody {
  const fields = {
    tags: flags['clear-tags'] ? null : flags.tags,
    importance: fractionOf('--importance', flags.importance),
    pinned: flags.pin,
    project: flags.project,
    expiresAt: whenOf(flags.expires, 'never' as const),
  }
  if (Object.values(fields).every(value => value === undefined)) throw nothingToChange(id)
  return { ...fields, reason: reasonOf(flags.reason, edited), if_version: flags['if-version'] }
}

/** Returns the time of `--expires`, or what no expiry is. */
function whenOf<Never>(text: string | undefined, never: Never): string | Never | undefined {
  return text === 'never' ? never : expiryOf(text)
}

function nothingToChange(id: string): CliError {
  return new CliError(
    'nothing to change: give --text, --type, --project, --tags, --clear-tags, --importance, --pin, --no-pin or --expires',
    {
      code: 'change_required',
      exit: 'usage',
      nextSteps: [`memory edit ${id} --tags release`, `to replace the text: memory edit ${id} --text "..."`],
    },
  )
}
