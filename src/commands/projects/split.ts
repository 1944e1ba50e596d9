import { isAbsolute } from 'node:path'
import { Args, Flags } from '@oclif/core'
import { askAbout } from '../../cli/consent/consent.js'
import { projectArgument } from '../../cli/memory/project-flags.js'
import { nameAndKey } from '../../cli/operations/projects.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { colorsFor, print, printNote } from '../../cli/terminal/output.js'
import type { Reply } from '../../contract/api.js'
import { countOf } from '../../lib/text/count-of.js'

type SplitReply = Reply<'POST /api/projects/split'>

const nextSteps = ['add --dry-run to see what would be split off', 'add --yes to split it off']

export default class ProjectsSplit extends DaemonCommand {
  static override summary = 'Make one folder or key of a project a project of its own.'
  static override description =
    'A folder that was split off stays apart, whatever its repository says. Memories saved from now on belong ' +
    'to it; those saved under a key go with the key. memory projects show lists folders and keys, and the id ' +
    'with which memory projects undo takes the change back.'
  static override examples = [
    '<%= config.bin %> projects split shop ~/work/shop-rewrite',
    '<%= config.bin %> projects split shop git.example/me/shop --name my-shop',
  ]
  static override args = {
    project: Args.string({ description: 'Name, key, folder or remote.', required: true, ignoreStdin: true }),
    part: Args.string({ description: 'Folder or key to split off.', required: true, ignoreStdin: true }),
  }
  static override flags = {
    name: Flags.string({ summary: 'Short name of the new project.', helpValue: 'NAME' }),
    'dry-run': Flags.boolean({ summary: 'Show what would be split off without changing it.' }),
    yes: Flags.boolean({ summary: 'Skip confirmation.', char: 'y', exclusive: ['dry-run'] }),
  }

  async run(): Promise<SplitReply> {
    const { args, flags } = await this.parse(ProjectsSplit)
    const given = {
      project: projectArgument(args.project),
      part: projectArgument(args.part),
      name: flags.name,
    }
    const split = (dryRun: boolean) => this.call('POST /api/projects/split', { body: { ...given, dryRun } })
    const json = this.jsonEnabled()
    if (flags['dry-run']) {
      const preview = await split(true)
      if (json) return preview
      print(splitLines(preview, given.part).join('\n'))
      printNote(colorsFor(process.stderr).dim('No changes made.'))
      return preview
    }
    await askAbout({ yes: flags.yes, json, nextSteps }, async () => ({
      lines: splitLines(await split(true), given.part),
      question: `Split it off from ${args.project}?`,
    }))
    const reply = await split(false)
    if (!json) print(`${colorsFor().green('✓')} Split off ${nameAndKey(reply.project)}`)
    return reply
  }
}

function splitLines({ project }: SplitReply, part: string): string[] {
  return [
    `${nameAndKey(project)} becomes a project of its own`,
    `  ${countOf(project.memories, 'memory', 'memories')}, ${countOf(project.sessions, 'session')}`,
    ...(isAbsolute(part) ? ['  memories saved in this folder so far stay where they are'] : []),
  ]
}
