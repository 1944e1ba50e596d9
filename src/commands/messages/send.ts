import { Args, Flags } from '@oclif/core'
import { showSent } from '../../cli/agents/messages.js'
import { readContent } from '../../cli/memory/input.js'
import { CliError } from '../../cli/shell/cli-error.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { printNote } from '../../cli/terminal/output.js'
import type { Reply, Request } from '../../contract/api.js'
import { quoted } from '../../lib/text/clip.js'

/** What the other server may take unless --timeout says otherwise, in seconds. */
const usualTimeoutS = 20
/** Beside the other server's time: for the daemon itself. */
const ownTimeMs = 10_000

const wanted = {
  purpose: 'send',
  nextSteps: [
    'memory messages send "the schema is merged" --to ben',
    'git diff | memory messages send - --to ben',
  ],
}

type Body = NonNullable<Request<'POST /api/cross-agent/messages'>['body']>

export default class MessagesSend extends DaemonCommand {
  static override summary = 'Send a message to an agent, to a session, or to all.'
  static override description =
    'A message to an agent waits in its inbox for seven days, or until the agent marks it as read; its hooks tell it. ' +
    'A note says when no agent of that name is known yet. ' +
    'With --acp it goes to an agent of another server (Agent Communication Protocol); the exit code is 1 when it did not ' +
    'arrive, or nobody knows.'
  static override examples = [
    '<%= config.bin %> messages send "the schema is merged" --to ben',
    '<%= config.bin %> messages send "who holds the staging database?" --all --type question',
    '<%= config.bin %> messages send "please review" --acp https://agents.example/acp --to reviewer',
  ]
  static override args = {
    content: Args.string({
      description: 'The text; - reads it from stdin.',
      multiple: true,
      ignoreStdin: true,
    }),
  }
  static override flags = {
    to: Flags.string({ summary: 'The agent.', helpValue: 'AGENT', exclusive: ['all'] }),
    session: Flags.string({
      summary: 'A live session; memory agents presence lists them.',
      helpValue: 'KEY',
      exclusive: ['all', 'acp'],
    }),
    all: Flags.boolean({ summary: 'Every agent.', exclusive: ['acp'] }),
    type: Flags.string({
      summary: 'What it is.',
      options: ['info', 'question', 'assist_request', 'decision_update'],
      default: 'info',
    }),
    acp: Flags.string({
      summary: 'Base address of another server; --to names the agent there.',
      helpValue: 'URL',
      dependsOn: ['to'],
    }),
    timeout: Flags.integer({
      summary: 'Seconds that the other server may take.',
      min: 1,
      max: 120,
      default: usualTimeoutS,
    }),
    file: Flags.string({ summary: 'Take the text from a file; - reads stdin.', helpValue: 'PATH' }),
  }

  async run(): Promise<Reply<'POST /api/cross-agent/messages'>> {
    const { args, flags } = await this.parse(MessagesSend)
    if (!flags.to && !flags.session && !flags.all)
      throw new CliError('nobody is named: --to AGENT, --session KEY or --all', {
        code: 'missing_fields',
        exit: 'usage',
        nextSteps: wanted.nextSteps,
      })
    const words = args.content
    const content = await readContent({ words, file: flags.file, wanted })
    const target = flags.acp
      ? {
          via: 'acp' as const,
          acp_base_url: flags.acp,
          acp_target_agent_name: flags.to,
          acp_timeout_ms: flags.timeout * 1000,
        }
      : { to_agent_id: flags.to, to_session_key: flags.session, broadcast: flags.all || undefined }
    const message = await this.call(
      'POST /api/cross-agent/messages',
      { body: { content, type: flags.type as Body['type'], ...target } },
      flags.acp
        ? { timeoutMs: flags.timeout * 1000 + ownTimeMs, waitingFor: 'waiting for the other server' }
        : {},
    )
    showSent(message, { json: this.jsonEnabled() })
    if (flags.to !== undefined && !flags.acp) await this.noteUnknown(flags.to)
    return message
  }

  /** A slip in a name is no fault: an agent may come that has it. Who may not see the roster is told nothing. */
  private async noteUnknown(name: string): Promise<void> {
    const { agents } = await this.call('GET /api/agents').catch(() => ({ agents: [] }))
    if (agents.length > 0 && !agents.some(({ id }) => id === name))
      printNote(`No agent ${quoted(name)} is known here (memory agents list); it waits for one of that name.`)
  }
}
