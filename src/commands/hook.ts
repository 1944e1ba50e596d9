import { Args, Flags } from '@oclif/core'
import { CliCommand } from '../cli/shell/cli-command.js'
import { dialectHarnesses, harnessHooks } from '../contract/sessions/harness-names.js'
import { main } from '../hook/main.js'

export default class Hook extends CliCommand {
  static override summary = 'Forward a hook of a coding agent to the daemon.'
  static override description =
    "Run by coding agents after memory connect. Reads the agent's JSON from stdin and prints what the agent " +
    'adds to its context. It never fails: without a daemon it prints nothing, logs the reason to stderr, and ' +
    'exits with 0. tool-use notes a use of a tool in the workspace and asks no daemon. SERVICE_BYPASS=1 or SERVICE_NO_HOOKS=1 turns it off. While the daemon is unavailable, the ' +
    'end of a session is saved in the workspace and delivered later.'
  static override examples = [
    '<%= config.bin %> hook session-start -H claude-code < event.json',
    '<%= config.bin %> hook user-prompt-submit -H codex --timeout 500 < event.json',
  ]
  static override enableJsonFlag = false
  static override args = {
    name: Args.string({
      description: 'Name of the hook.',
      required: true,
      options: [...harnessHooks, 'checkpoint', 'tool-use'],
      ignoreStdin: true,
    }),
  }
  static override flags = {
    harness: Flags.string({
      char: 'H',
      summary: 'The coding agent that runs the hook.',
      required: true,
      options: [...dialectHarnesses],
    }),
    timeout: Flags.integer({
      summary:
        'Time limit in milliseconds (default: 3000 for session-start, 1000 for others; ' +
        'SERVICE_PROMPT_SUBMIT_TIMEOUT overrides it for user-prompt-submit).',
      helpValue: 'MS',
    }),
    plugin: Flags.boolean({
      summary: 'Do nothing if memory connect has connected the agent. Plug-ins of agents use it.',
    }),
    agent: Flags.string({
      summary: 'Act as this agent (default: the agent of the credential).',
      helpGroup: 'GLOBAL',
      helpValue: 'ID',
    }),
  }

  async run(): Promise<void> {
    process.exitCode = await main(this.argv)
  }
}
