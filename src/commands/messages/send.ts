import { Args, Flags } from '@oclif/core'
import { showSent } from '../../cli/agents/messages.js'
import { readContent } from '../../cli/memory/input.js'
import { CliError } from '../../cli/shell/cli-error.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { printNote } from '../../cli/terminal/output.js'
import type { Reply, Request } from '../../contract/api.js'
import { quoted } from '../../lib/text/clip.js'

/** Default time limit for the other server, in seconds. */
const usualTimeoutS = 20
/** Time for the daemon itself, in addition to the other server's. */
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
  static override summary = 'Send a message to an agent, a session or all agents.'
  static override description =
    'A message to an agent stays in its inbox for seven days, or until the agent marks it as read; the ' +
    "agent's hooks announce it. A note warns if no agent of that name is known yet. With --acp, the message " +
    'goes to an agent on another server (Agent Communication Protocol). The exit code is 1 if it is not ' +
    'delivered or its delivery is uncertain.'
  static override examples = [
    '<%= config.bin %> messages send "the schema is merged" --to ben',
    '<%= config.bin %> messages send "who is using the staging database?" --all --type question',
    '<%= config.bin %> messages send "please review" --acp https://agents.example/acp --to reviewer',
  ]
  static override args = {
    content: Args.string({
      description: 'The message text; - reads stdin.',
      multiple: true,
      ignoreStdin: true,
    }),
  }
  static override flags = {
    to: Flags.string({ summary: 'Recipient agent.', helpValue: 'AGENT', exclusive: ['all'] }),
    session: Flags.string({
      summary: 'Recipient session; to list live sessions: memory agents presence.',
      helpValue: 'KEY',
      exclusive: ['all', 'acp'],
    }),
    all: Flags.boolean({ summary: 'Send to every agent.', exclusive: ['acp'] }),
    type: Flags.string({
      summary: 'Type of the message.',
      options: ['info', 'question', 'assist_request', 'decision_update'],
      default: 'info',
    }),
    acp: Flags.string({
      summary: 'Base URL of another server; --to names the agent there.',
      helpValue: 'URL',
      dependsOn: ['to'],
    }),
    timeout: Flags.integer({
      summary: 'Seconds to wait for the other server.',
      min: 1,
      max: 120,
      default: usualTimeoutS,
    }),
    file: Flags.string({ summary: 'Read the text from a file; - reads stdin.', helpValue: 'PATH' }),
  }

  async run(): Promise<Reply<'POST /api/cross-agent/messages'>> {
    const { args, flags } = await this.parse(MessagesSend)
    if (!flags.to && !flags.session && !flags.all)
      throw new CliError('no recipient: give --to AGENT, --session KEY or --all', {
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

  /**
   * Warns about an unknown name, which is not an error because such an agent may register later. Callers that
   * may not list agents get no warning.
   */
  private async noteUnknown(name: string): Promise<void> {
    const { agents } = await this.call('GET /api/agents').catch(() => ({ agents: [] }))
    if (agents.length > 0 && !agents.some(({ id }) => id === name))
      printNote(`No agent is named ${quoted(name)} yet (memory agents list); the message waits for it.`)
  }
}
