import { Args, Flags } from '@oclif/core'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { colorsFor, print, showOutput } from '../../cli/terminal/output.js'
import { ClientError } from '../../client/http/client-error.js'
import type { Reply } from '../../contract/api.js'

/** Covers the daemon's time limits for the installer, the registry and moving the result. */
const timeoutMs = 90_000

export default class SkillsInstall extends DaemonCommand {
  static override summary = 'Install a skill into the workspace.'
  static override description =
    "Runs npx skills on the daemon's machine, for at most 60 seconds. Without --source, the skill is looked " +
    'up in the registry, where it must have a single source. Agents follow a skill with all their ' +
    'permissions: read it before you use it.'
  static override examples = [
    '<%= config.bin %> skills install pdf --source anthropics/skills',
    '<%= config.bin %> skills install pdf --source https://github.com/anthropics/skills --replace',
  ]
  static override args = {
    name: Args.string({ description: 'Name of the skill.', required: true, ignoreStdin: true }),
  }
  static override flags = {
    source: Flags.string({
      summary: 'Where to get the skill: OWNER/REPOSITORY, an https address, or a package name.',
      helpValue: 'SOURCE',
    }),
    replace: Flags.boolean({ summary: 'Replace an installed skill of this name.' }),
  }

  async run(): Promise<Reply<'POST /api/skills/install'>> {
    const { args, flags } = await this.parse(SkillsInstall)
    const { source, replace } = flags
    const installed = await this.call(
      'POST /api/skills/install',
      { body: { name: args.name, source, replace } },
      { timeoutMs, waitingFor: `installing ${args.name}` },
    ).catch((error: unknown) => {
      if (error instanceof ClientError && !this.jsonEnabled()) showOutput(error.body?.output)
      throw error
    })
    if (!this.jsonEnabled()) {
      print(
        `${colorsFor().green('✓')} Installed ${installed.name} from ${installed.source} in ${installed.path}`,
      )
      print(`Read it before you use it: memory skills show ${installed.name}`)
    }
    return installed
  }
}
