import { Args, Flags } from '@oclif/core'
import { removalText, type ShownAgent } from '../../cli/agents/agents.js'
import { askAbout, type Preview } from '../../cli/consent/consent.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { print } from '../../cli/terminal/output.js'
import { ClientError } from '../../client/http/client-error.js'
import type { Reply } from '../../contract/api.js'
import { countOf } from '../../lib/text/count-of.js'

/** A large agent takes long; the daemon serves other requests in between. */
const timeoutMs = 3_600_000

export default class AgentsRemove extends DaemonCommand {
  static override summary = 'Remove an agent and archive its memories, or delete them with --purge.'
  static override description =
    "Shows what will be removed and asks for confirmation; with --purge you type the agent's name. Without a " +
    'terminal, --yes is required. Memories shared with other agents stay with them. --purge also deletes the ' +
    "agent's sessions, transcripts, summaries, messages and files, and memories archived by an earlier " +
    'removal. If a removal is interrupted, the daemon finishes it at its next start.'
  static override examples = [
    '<%= config.bin %> agents remove maya',
    '<%= config.bin %> agents remove maya --purge',
    '<%= config.bin %> agents remove maya --purge --yes --json',
  ]
  static override args = {
    name: Args.string({ description: 'Name of the agent.', required: true, ignoreStdin: true }),
  }
  static override flags = {
    purge: Flags.boolean({ summary: 'Permanently delete everything of the agent instead of archiving.' }),
    yes: Flags.boolean({ summary: 'Skip confirmation.', char: 'y' }),
  }

  async run(): Promise<Reply<'DELETE /api/agents/:name'>> {
    const { args, flags } = await this.parse(AgentsRemove)
    const { purge, yes } = flags
    const { name } = args
    const nextSteps = [`memory agents show ${name}   shows what it has`, 'add --yes to remove it']
    await askAbout({ yes, json: this.jsonEnabled(), nextSteps }, () => this.preview(name, purge))
    const query = purge ? { purge } : {}
    const removed = await this.call('DELETE /api/agents/:name', { params: { name }, query }, { timeoutMs })
    const memories = countOf(removed.memories, 'memory', 'memories')
    if (!this.jsonEnabled())
      print(purge ? `Deleted ${name} and ${memories} permanently` : `Removed ${name}; ${memories} archived`)
    return removed
  }

  private async preview(name: string, purge: boolean): Promise<Preview> {
    const lines = removalText(await this.find(name, purge), purge)
    const question = purge
      ? `Permanently delete everything of the agent ${name}?`
      : `Remove the agent ${name} and archive its memories?`
    return { lines, question, typed: purge ? name : undefined }
  }

  /** Returns the agent with counts. A purge may target an archived agent, which has no counts. */
  private async find(name: string, purge: boolean): Promise<ShownAgent> {
    try {
      return await this.call('GET /api/agents/:name', { params: { name }, query: { counts: true } })
    } catch (error) {
      const isGone = error instanceof ClientError && error.status === 404
      if (!purge || !isGone) throw error
      return { id: name, name, read_policy: 'shared', policy_group: null, created_at: '', updated_at: '' }
    }
  }
}
