import { Flags } from '@oclif/core'
import {
  connectionFlags,
  harnessArgs,
  installedHarnesses,
  nothingNamed,
  targetsOf,
} from '../cli/sessions/connect/connection-flags.js'
import type { Harness, Transport } from '../cli/sessions/connect/entries/harness.js'
import type { SettledPlans } from '../cli/sessions/connect/settle-plans.js'
import type { HarnessState } from '../cli/sessions/connect/state.js'
import { CliCommand } from '../cli/shell/cli-command.js'
import { CliError } from '../cli/shell/cli-error.js'
import { type Colors, colorsFor, print, printNote } from '../cli/terminal/output.js'

export default class Connect extends CliCommand {
  static override summary = 'Give a coding agent its memory: install hooks and the MCP server.'
  static override description =
    'Without a harness it lists which are here and what they have of ours. It shows the exact change of each ' +
    'settings file and asks; without a terminal --yes is needed. Everything that is not ours stays byte for byte, a ' +
    'copy of each file is kept, and memory disconnect gives it back. docs/harnesses.md ' +
    'says what each one gets, what it costs and what is sent.'
  static override examples = [
    '<%= config.bin %> connect',
    '<%= config.bin %> connect claude',
    '<%= config.bin %> connect codex gemini --dry-run',
    '<%= config.bin %> connect --all --yes',
    '<%= config.bin %> connect claude --transport http',
    '<%= config.bin %> connect claude gemini --allow-tools',
  ]
  static override args = harnessArgs
  static override flags = {
    all: Flags.boolean({ summary: 'All harnesses that are installed.' }),
    ...connectionFlags,
    transport: Flags.option({
      summary:
        'How hooks reach the daemon: a process each, or HTTP by the harness itself (Claude Code only).',
      options: ['command', 'http'] as const,
      default: 'command' as Transport,
    })(),
    'no-mcp': Flags.boolean({ summary: 'Hooks only, no MCP server.' }),
    'allow-tools': Flags.boolean({
      summary:
        'Let the agent call the memory tools without asking; headless runs of Claude Code and Gemini CLI have none otherwise.',
      allowNo: true,
    }),
  }

  async run(): Promise<SettledPlans | { harnesses: object[] }> {
    const { args, flags } = await this.parse(Connect)
    const { connector } = await import('../cli/sessions/connect/connector.js')
    const { machine, ...does } = await connector(this.globals.workspace)
    const words = args.harness
    if (!words?.length && !flags.all) {
      if (flags.yes || flags['dry-run']) throw nothingNamed('connect')
      return this.list(does.states(flags.scope), does.statesText)
    }
    const targets = targetsOf(words, flags, () => ({
      found: installedHarnesses(machine),
      none: 'no harness that memory connects is installed here',
    }))
    requireTransport(targets, flags.transport)
    return does.connect({
      targets,
      options: {
        scope: flags.scope,
        transport: flags.transport,
        withMcp: !flags['no-mcp'],
        allowTools: flags['allow-tools'],
      },
      flags,
      isJson: this.jsonEnabled(),
    })
  }

  private list(
    states: readonly HarnessState[],
    statesText: (states: readonly HarnessState[], colors: Colors) => string,
  ): { harnesses: object[] } {
    if (!this.jsonEnabled()) {
      print(statesText(states, colorsFor()))
      printNote(colorsFor(process.stderr).dim('\nmemory connect HARNESS   shows what would change, and asks'))
    }
    return {
      harnesses: states.map(({ record, ...state }) => ({
        ...state,
        connection: record && { time: record.time, version: record.version, transport: record.transport },
      })),
    }
  }
}

/** @throws CliError `usage` for a harness that cannot call HTTP itself. */
function requireTransport(targets: readonly Harness[], transport: Transport): void {
  const unable = targets.filter(({ transports }) => !transports.includes(transport))
  if (unable.length === 0) return
  const titles = unable.map(({ title }) => title).join(', ')
  throw new CliError(
    `--transport ${transport} is for Claude Code only: ${titles} can run commands, not call HTTP`,
    {
      code: 'usage',
      exit: 'usage',
      nextSteps: ['leave --transport away for them', 'memory connect claude --transport http'],
    },
  )
}
