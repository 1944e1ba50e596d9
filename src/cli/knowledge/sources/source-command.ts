import { call } from '../../../client/call.js'
import type { Reply } from '../../../contract/api.js'
import { sourceKind } from '../../../contract/ground/wire-names.js'
import { quoted } from '../../../lib/text/clip.js'
import { CliError } from '../../shell/cli-error.js'
import { DaemonCommand } from '../../shell/daemon-command.js'
import { exitCodes } from '../../shell/exit-codes.js'
import { colorsFor, print, printNote } from '../../terminal/output.js'
import { plainLine } from '../../terminal/text.js'
import { followSource, type ShownSource } from './follow-source.js'
import { jobLine, sourceText } from './source-text.js'

/** Suffix of git addresses that is not part of the repository's name. */
const suffix = /\.git\/?$/u

/** `git@HOST:OWNER/REPO`, and URLs with any path after the repository: `/issues`, `/tree/main`. */
const addresses = [
  /^[\w.-]+@[\w.-]+:([^/\s]+\/[^/\s]+)$/u,
  /^(?:https?|ssh|git):\/\/[^/\s]+\/([^/\s]+\/[^/?#\s]+)/u,
]

const shortestId = 6

const isSourceId = new RegExp(`^(?:${[...Object.values(sourceKind), 'import'].join('|')}):`, 'u')

/** Base of the commands on sources: waits for a source to be read and shows the outcome. */
export abstract class SourceCommand extends DaemonCommand {
  protected source(sourceId: string): Promise<ShownSource> {
    return call('GET /api/sources/:sourceId', { params: { sourceId } }, this.globals)
  }

  /** Returns the id of a source, given its id or its unique name. */
  protected async idOf(given: string): Promise<string> {
    if (isSourceId.test(given)) return given
    const { sources } = await this.call('GET /api/sources', { query: { agentId: this.globals.agent } })
    const [first, ...others] = sources.filter(({ name }) => name === given)
    if (!first || others.length === 0) return first?.id ?? given
    throw new CliError(`${others.length + 1} sources have the name "${plainLine(given)}"`, {
      code: 'invalid_input',
      exit: 'usage',
      nextSteps: [`give an id: ${[first, ...others].map(({ id }) => id).join(', ')}`],
    })
  }

  /** Returns the id of a folder that is kept in sync, given its id, the end of it or its name. */
  protected async folderIdOf(given: string): Promise<string | undefined> {
    if (isSourceId.test(given)) return undefined
    const { connectors } = await this.call('GET /api/connectors')
    const named = connectors.filter(
      ({ id, display_name }) =>
        display_name === given ||
        (given.length >= shortestId && (id.startsWith(given) || id.endsWith(given))),
    )
    return named.length === 1 ? named[0]?.id : undefined
  }

  /** Reports an added source, after waiting for it with `wait`. Sets exit code 1 if reading failed. */
  protected async printAdded(
    added: Reply<'POST /api/sources/notevault'>,
    { wait }: { wait: boolean },
  ): Promise<Reply<'POST /api/sources/notevault'> | ShownSource> {
    const { id } = added.source
    if (!wait) {
      if (this.jsonEnabled()) return added
      print(id)
      printNote(
        added.created
          ? 'Next: memory sources watch shows the progress; memory recall searches its contents'
          : 'It already exists and is synced again.',
      )
      return added
    }
    return this.waitFor(id)
  }

  /** Waits until a source is read and shows it. */
  protected async waitFor(id: string): Promise<ShownSource> {
    const source = await followSource(() => this.source(id))
    if (source.indexJob?.status === 'failed') process.exitCode = exitCodes.failure.code
    if (!this.jsonEnabled()) print(sourceText(source, { colors: colorsFor(), now: Date.now() }))
    return source
  }

  /** Shows the job that a request started. */
  protected printJob<JobReply extends Reply<'POST /api/sources/:sourceId/sync'>>(reply: JobReply): JobReply {
    if (!this.jsonEnabled()) print(jobLine(reply.job))
    return reply
  }
}

/**
 * Extracts a repository's name from an address or name as people copy it. @throws CliError `invalid_input`
 */
export function repositoryName(word: string): string {
  const found = addresses.map(address => address.exec(word)?.[1]).find(Boolean) ?? word
  const name = found.replace(suffix, '')
  if (/^[^/\s:]+\/[^/\s:]+$/u.test(name)) return name
  throw new CliError(`${quoted(word)} is not a repository`, {
    code: 'invalid_input',
    exit: 'usage',
    nextSteps: ['give OWNER/REPO, such as cli/cli, or the address of its page'],
  })
}
