import { Args, Flags } from '@oclif/core'
import { removalText, type ShownAgent } from '../../cli/agents/agents.js'
import { askAbout, type Preview } from '../../cli/consent/consent.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { print } from '../../cli/terminal/output.js'
import { ClientError } from '../../client/http/client-error.js'
import type { Reply } from '../../contract/api.js'
import { countOf } from '../../lib/text/count-of.js'

/** A large agent takes its time; other requests go on meanwhile. */
const timeoutMs = 3_600_000

export default class AgentsRemove extends DaemonCommand {
  static override summary = 'Remove an agent: its memories are archived, or with --purge deleted for good.'
  static override description =
    'On a terminal it shows what would go and asks; --purge asks for the name to be typed. Without one it needs --yes. ' +
    'What others hold too stays theirs. --purge takes sessions, transcripts, summaries, messages and files of the agent ' +
    'as well, and what an earlier removal archived. A removal that is broken off is finished by the next start.'
  static override examples = [
    '<%= config.bin %> agents remove maya',
    '<%= config.bin %> agents remove maya --purge',
    '<%= config.bin %> agents remove maya --purge --yes --json',
  ]
  static override args = {
    name: Args.string({ description: 'Name of the agent.', required: true, ignoreStdin: true }),
  }
  static override flags = {
    purge: Flags.boolean({ summary: 'Delete everything of it for good instead.' }),
    yes: Flags.boolean({ summary: 'Do not ask.', char: 'y' }),
  }

  async run(): Promise<Reply<'DELETE /api/agents/:name'>> {
    const { args, flags } = await this.parse(AgentsRemove)
    const { purge, yes } = flags
    const { name } = args
    const nextSteps = [`memory agents show ${name} tells what there is of it`, 'add --yes to remove it']
    await askAbout({ yes, json: this.jsonEnabled(), nextSteps }, () => this.preview(name, purge))
    const query = purge ? { purge } : {}
    const removed = await this.call('DELETE /api/agents/:name', { params: { name }, query }, { timeoutMs })
    const memories = countOf(removed.memories, 'memory', 'memories')
    if (!this.jsonEnabled())
      print(purge ? `deleted ${name} and ${memories} for good` : `removed ${name}; ${memories} archived`)
    return removed
  }

  private async preview(name: string, purge: boolean): Promise<Preview> {
    const lines = removalText(await this.find(name, purge), purge)
    const question = purge
      ? `Delete all of the agent ${name} for good?`
      : `Remove the agent ${name} and archive its memories?`
    return { lines, question, typed: purge ? name : undefined }
  }

  /** What there is of it; a purge may be about an agent that was archived before, of which nothing is told. */
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
