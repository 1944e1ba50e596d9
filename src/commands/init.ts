import { mkdir, writeFile } from 'node:fs/promises'
import { Flags } from '@oclif/core'
import { CliCommand } from '../cli/shell/cli-command.js'
import { CliError } from '../cli/shell/cli-error.js'
import { colorsFor, print, printNote } from '../cli/terminal/output.js'
import { unusableWorkspace } from '../client/daemon/locate.js'
import { workspacePaths } from '../lib/workspace/paths.js'
import { settingsTemplate } from '../lib/workspace/settings-template.js'

export default class Init extends CliCommand {
  static override summary = 'Write agent.yaml with every setting, its default and a comment.'
  static override description =
    'Optional: everything works without this file. An existing file is kept unless you give --force.'
  static override examples = ['<%= config.bin %> init', '<%= config.bin %> init --workspace ./team-memory']
  static override flags = {
    force: Flags.boolean({ summary: 'Overwrite an existing agent.yaml.' }),
  }

  async run(): Promise<{ workspace: string; settings: string }> {
    const { flags } = await this.parse(Init)
    const { root, settings } = workspacePaths(this.globals.workspace)
    const fault = unusableWorkspace({ root })
    if (fault) throw fault
    await mkdir(root, { recursive: true, mode: 0o700 })
    await writeFile(settings, settingsTemplate, { flag: flags.force ? 'w' : 'wx', mode: 0o600 }).catch(
      error => {
        throw alreadyThere(settings, error)
      },
    )
    if (!this.jsonEnabled()) {
      print(`Wrote ${settings}`)
      printNote(nextSteps())
    }
    return { workspace: root, settings }
  }
}

function alreadyThere(file: string, cause: NodeJS.ErrnoException): Error {
  if (cause.code !== 'EEXIST') return cause
  return new CliError(`${file} already exists; nothing was changed`, {
    code: 'already_exists',
    exit: 'refused',
    nextSteps: ['memory config set KEY VALUE   changes one setting', 'memory init --force   overwrites it'],
    cause,
  })
}

function nextSteps(): string {
  const { dim } = colorsFor(process.stderr)
  return [
    dim('Next:'),
    '  memory remember "the deploy needs the VPN"',
    '  memory recall "how do I deploy"',
    '  memory health',
  ].join('\n')
}
