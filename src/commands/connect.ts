import { Flags } from '@oclif/core'
import type { ConnectResult } from '../cli/sessions/connect/confirm-and-apply-plans.js'
import {
  connectionFlags,
  harnessArgs,
  installedHarnesses,
  noHarnessError,
  targetsOf,
} from '../cli/sessions/connect/connection-flags.js'
import type { Harness, Transport } from '../cli/sessions/connect/entries/harness.js'
import type { HarnessState } from '../cli/sessions/connect/state.js'
import { CliCommand } from '../cli/shell/cli-command.js'
import { CliError } from '../cli/shell/cli-error.js'
import { type Colors, colorsFor, print, printNote } from '../cli/terminal/output.js'

export default class Connect extends CliCommand {
  static override summary = 'Connect a coding agent: install its hooks and MCP server.'
  static override description =
    'Without an argument, lists the installed coding agents and what is connected. Says what it adds to ' +
    'each settings file and asks; d shows the exact change. Without a terminal, --yes is required. Nothing else in a ' +
    'file is touched, and a copy of each file is kept for memory disconnect. See docs/harnesses.md for what ' +
    'each agent gets, what it costs and what is sent.'
  static override examples = [
    '<%= config.bin %> connect',
    '<%= config.bin %> connect claude',
    '<%= config.bin %> connect codex gemini --dry-run',
    '<%= config.bin %> connect --all --yes',
    '<%= config.bin %> connect claude --transport http',
    '<%= config.bin %> connect claude gemini --allow-tools',
    '<%= config.bin %> connect --list',
  ]
  static override args = harnessArgs
  static override flags = {
    all: Flags.boolean({ summary: 'Connect all installed coding agents.' }),
    list: Flags.boolean({
      summary: 'List every agent and MCP client that can be connected, installed or not.',
      exclusive: ['all', 'yes', 'dry-run'],
    }),
    ...connectionFlags,
    transport: Flags.option({
      summary: 'How hooks reach the daemon: by running a command, or by HTTP (Claude Code only).',
      options: ['command', 'http'] as const,
      default: 'command' as Transport,
    })(),
    'no-mcp': Flags.boolean({ summary: 'Install only hooks, no MCP server.' }),
    'allow-tools': Flags.boolean({
      summary:
        'Allow the memory tools without asking; headless runs of Claude Code and Gemini CLI need this.',
      allowNo: true,
    }),
  }

  async run(): Promise<ConnectResult | { harnesses: object[] }> {
    const { args, flags } = await this.parse(Connect)
    const { connector } = await import('../cli/sessions/connect/connector.js')
    const { machine, ...does } = await connector(this.globals.workspace)
    const words = args.harness
    if (flags.list) return this.list(does.states(flags.scope), does.statesText)
    if (!words?.length && !flags.all) {
      if (flags.yes || flags['dry-run']) throw noHarnessError('connect')
      const states = does.states(flags.scope)
      return this.list(states.filter(isUsual), does.statesText)
    }
    const targets = targetsOf(words, flags, () => ({
      found: installedHarnesses(machine),
      none: 'no supported coding agent is installed on this machine',
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
      printNote(
        colorsFor(process.stderr).dim(
          '\nmemory connect HARNESS   previews the changes and asks\nmemory connect --list    also names agents that were not found',
        ),
      )
    }
    return {
      harnesses: states.map(({ record, ...state }) => ({
        ...state,
        connection: record && { time: record.time, version: record.version, transport: record.transport },
      })),
    }
  }
}

/** Agents of which there is nothing to say are listed only on request, apart from the first ones. */
function isUsual({ state }: HarnessState, position: number): boolean {
  return position < usualCount || (state !== 'not-installed' && state !== 'by-hand')
}

const usualCount = 6

/** @throws CliError `usage` for a harness that does not support the requested transport. */
function requireTransport(targets: readonly Harness[], transport: Transport): void {
  const unable = targets.filter(({ transports }) => !transports.includes(transport))
  if (unable.length === 0) return
  const titles = unable.map(({ title }) => title).join(', ')
  throw new CliError(
    `--transport ${transport} works only with Claude Code: ${titles} cannot call HTTP hooks`,
    {
      code: 'usage',
      exit: 'usage',
      nextSteps: ['omit --transport for them', 'memory connect claude --transport http'],
    },
  )
}
