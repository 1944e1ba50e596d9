import { Args } from '@oclif/core'
import { editBody, editFlags } from '../cli/memory/edit-flags.js'
import { DaemonCommand } from '../cli/shell/daemon-command.js'
import { colorsFor, print } from '../cli/terminal/output.js'

export default class Edit extends DaemonCommand {
  static override summary = 'Change the tags, the importance or the pin of a memory.'
  static override description =
    'What was remembered stays as it is: text and type never change. Save a new memory with --supersedes instead.'
  static override examples = [
    '<%= config.bin %> edit 0198c0de-0000-7000-8000-000000000001 --tags release,ci --reason "sorted"',
    '<%= config.bin %> edit 0198c0de-0000-7000-8000-000000000001 --no-pin --importance 0.3 --reason "matters less"',
  ]
  static override args = {
    id: Args.string({ description: 'Id of the memory.', required: true, ignoreStdin: true }),
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
    print(`${word}  ${colors.bold(reply.id)}  ${version}`)
    return reply
  }
}
