import { resolve } from 'node:path'
import { Args, Flags } from '@oclif/core'
import { type ImportFromReply, importFromLines, placesOf } from '../../cli/memory/import-from.js'
import { projectFlag } from '../../cli/memory/project-flags.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { print } from '../../cli/terminal/output.js'
import type { Reply } from '../../contract/api.js'
import { type MemoryProgram, memoryPrograms } from '../../contract/knowledge/import-adapters.js'
import { countOf } from '../../lib/text/count-of.js'

/** A palace of hundreds of thousands of drawers takes minutes. */
const timeoutMs = 1_800_000

export default class ImportFrom extends DaemonCommand {
  static override summary = "Import another program's memories from its own files."
  static override description =
    'Reads the files and databases of PROGRAM, by default where it keeps them, and never changes them. Types, ' +
    'tags, projects and dates are kept where the program has them, and what does not become a memory is counted. ' +
    'A second import adds only what is new. Memories that you forgot stay forgotten; --undo forgets all that ' +
    'came from the program, and memory undo takes that back.'
  static override examples = [
    '<%= config.bin %> import from claude-memory --dry-run',
    '<%= config.bin %> import from mem0 ~/.mem0/history.db',
    '<%= config.bin %> import from chatgpt-memory ~/Downloads/export/conversations.json',
    '<%= config.bin %> import from mem0 --undo',
  ]
  static override args = {
    program: Args.string({
      description: 'The program whose memories are imported.',
      options: [...memoryPrograms],
      required: true,
      ignoreStdin: true,
    }),
    path: Args.string({
      description: 'Files or folders of the program.',
      multiple: true,
      ignoreStdin: true,
    }),
  }
  static override flags = {
    project: projectFlag({
      summary: 'Project for all of them, instead of their own.',
      char: 'p',
      helpValue: 'NAME',
    }),
    'dry-run': Flags.boolean({ summary: 'Show what would become what, without importing it.' }),
    undo: Flags.boolean({
      summary: 'Forget all that was imported from the program, or from PATH.',
      exclusive: ['dry-run', 'project'],
    }),
  }

  async run(): Promise<ImportFromReply | Reply<'POST /api/import/undo'>> {
    const { args, flags } = await this.parse(ImportFrom)
    const from = args.program as MemoryProgram
    const named = args.path ?? []
    const agentId = this.globals.agent
    if (flags.undo) return this.undo(from, named)
    const body = {
      from,
      paths: placesOf(from, named),
      project: flags.project,
      agentId,
      dryRun: flags['dry-run'],
    }
    const reply = await this.call('POST /api/import/from', { body }, { timeoutMs })
    if (!this.jsonEnabled()) print(importFromLines(reply).join('\n'))
    return reply
  }

  private async undo(from: MemoryProgram, named: readonly string[]): Promise<Reply<'POST /api/import/undo'>> {
    const paths = named.length > 0 ? named.map(path => resolve(path)) : undefined
    const body = { from, paths, agentId: this.globals.agent }
    const reply = await this.call('POST /api/import/undo', { body }, { timeoutMs })
    const { forgotten, pinned } = reply
    if (!this.jsonEnabled()) {
      print(`Forgot ${countOf(forgotten, 'memory', 'memories')} of ${from}`)
      if (pinned > 0) print(`  ${pinned} pinned since, so they stay`)
      if (forgotten > 0) print('To bring all of them back within 30 days: memory undo')
    }
    return reply
  }
}
