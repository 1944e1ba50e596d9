import { Args, Flags } from '@oclif/core'
import { CliCommand } from '../cli/shell/cli-command.js'
import { dialectHarnesses, harnessHooks } from '../contract/sessions/harness-names.js'
import { main } from '../hook/main.js'

export default class Hook extends CliCommand {
  static override summary = 'Pass a hook of a coding agent to the daemon.'
  static override description =
    'Coding agents run it; "memory connect" tells them to. Reads the JSON that the agent writes, prints what the agent ' +
    'takes into its context, and never fails: without a daemon it prints nothing, says why on stderr, and exits 0. ' +
    'SERVICE_BYPASS=1 or SERVICE_NO_HOOKS=1 makes it do nothing. While no daemon answers, what ends a session is kept ' +
    'in the workspace and handed over later.'
  static override examples = [
    '<%= config.bin %> hook session-start -H claude-code < event.json',
    '<%= config.bin %> hook user-prompt-submit -H codex --timeout 500 < event.json',
  ]
  static override enableJsonFlag = false
  static override args = {
    name: Args.string({
      description: 'The hook.',
      required: true,
      options: [...harnessHooks, 'checkpoint'],
      ignoreStdin: true,
    }),
  }
  static override flags = {
    harness: Flags.string({
      char: 'H',
      summary: 'The agent that calls.',
      required: true,
      options: [...dialectHarnesses],
    }),
    timeout: Flags.integer({
      summary:
        'Milliseconds that all of it may take (default: 3000 for session-start, 1000 for the others; ' +
        'SERVICE_PROMPT_SUBMIT_TIMEOUT wins for user-prompt-submit).',
      helpValue: 'MS',
    }),
    agent: Flags.string({
      summary: 'Act as this agent (default: the daemon decides by the credential).',
      helpGroup: 'GLOBAL',
      helpValue: 'ID',
    }),
  }

  async run(): Promise<void> {
    process.exitCode = await main(this.argv)
  }
}
