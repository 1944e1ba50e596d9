import { resolve } from 'node:path'
import { Args, Flags } from '@oclif/core'
import { blockLines, putBlock, removeBlock } from '../../cli/memory/mirror/agents-block.js'
import { hereOf, projectFlag } from '../../cli/memory/project-flags.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { print } from '../../cli/terminal/output.js'
import { countOf } from '../../lib/text/count-of.js'

const mostMemories = 200

export default class MirrorBlock extends DaemonCommand {
  static override summary = 'Write rules and decisions into AGENTS.md or CLAUDE.md, for agents without hooks.'
  static override description =
    'Adds a marked block to FILE, or replaces it: pinned memories first, then by importance. The rest of the file ' +
    'stays as it is, and --remove restores it byte for byte.'
  static override examples = [
    '<%= config.bin %> mirror block AGENTS.md',
    '<%= config.bin %> mirror block CLAUDE.md --project shop',
    '<%= config.bin %> mirror block AGENTS.md --remove',
  ]
  static override args = {
    file: Args.string({ description: 'The file for agents.', required: true, ignoreStdin: true }),
  }
  static override flags = {
    project: projectFlag({
      summary: 'Project of the memories (default: that of the current folder).',
      char: 'p',
      helpValue: 'NAME',
    }),
    remove: Flags.boolean({ summary: 'Remove the block.' }),
  }

  async run(): Promise<{ file: string; memories: number; changed: boolean }> {
    const { args, flags } = await this.parse(MirrorBlock)
    const file = resolve(args.file)
    if (flags.remove) {
      const changed = removeBlock(file)
      if (!this.jsonEnabled()) print(changed ? `Removed the block from ${file}` : `${file} has no block`)
      return { file, memories: 0, changed }
    }
    const query = { type: 'rule,decision', limit: mostMemories, sort: 'importance', current: true } as const
    const { memories } = await this.call(
      'GET /api/memories',
      { query: { ...query, safety: 'clean', project: flags.project } },
      hereOf(flags),
    )
    const pinned = [...memories].sort((a, b) => b.pinned - a.pinned)
    const changed = putBlock(file, blockLines(pinned))
    const count = countOf(memories.length, 'rule or decision', 'rules and decisions')
    if (!this.jsonEnabled()) print(`${changed ? 'Wrote' : 'Already has'} ${count}: ${file}`)
    return { file, memories: memories.length, changed }
  }
}
