import { Args } from '@oclif/core'
import { type CommandNode, readCommandNodes } from '../cli/completion/model.js'
import { bashScript, fishScript, powershellScript, zshScript } from '../cli/completion/shell-scripts.js'
import { CliCommand } from '../cli/shell/cli-command.js'
import { print } from '../cli/terminal/output.js'

const scripts: Readonly<Record<string, (bin: string, places: readonly CommandNode[]) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
  powershell: powershellScript,
}

export default class Completion extends CliCommand {
  static override summary = 'Print a shell completion script.'
  static override description =
    'Add the line from the examples to the startup file of your shell: ~/.bashrc, ~/.zshrc (after compinit), ' +
    '~/.config/fish/config.fish or $PROFILE.'
  static override examples = [
    'eval "$(<%= config.bin %> completion bash)"',
    'eval "$(<%= config.bin %> completion zsh)"',
    '<%= config.bin %> completion fish | source',
    '<%= config.bin %> completion powershell | Out-String | Invoke-Expression',
  ]
  static override args = {
    shell: Args.string({
      description: 'Your shell.',
      options: Object.keys(scripts),
      required: true,
      ignoreStdin: true,
    }),
  }

  async run(): Promise<{ shell: string; script: string }> {
    const { shell } = (await this.parse(Completion)).args
    const script = scripts[shell]!('memory', await readCommandNodes())
    if (!this.jsonEnabled()) print(script)
    return { shell, script }
  }
}
