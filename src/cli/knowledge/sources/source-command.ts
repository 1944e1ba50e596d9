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

/** What ends an address of git, and names no repository. */
const suffix = /\.git\/?$/u

/** `git@HOST:OWNER/REPO`, and a URL with whatever follows the repository: `/issues`, `/tree/main`. */
const addresses = [
  /^[\w.-]+@[\w.-]+:([^/\s]+\/[^/\s]+)$/u,
  /^(?:https?|ssh|git):\/\/[^/\s]+\/([^/\s]+\/[^/?#\s]+)/u,
]

const isSourceId = new RegExp(`^(?:${[...Object.values(sourceKind), 'import'].join('|')}):`, 'u')

/** What commands of sources share: waiting for a reading, and how it ended. */
export abstract class SourceCommand extends DaemonCommand {
  protected source(sourceId: string): Promise<ShownSource> {
    return call('GET /api/sources/:sourceId', { params: { sourceId } }, this.globals)
  }

  /** The id of a source that was given by its id, or by its name where one source alone has it. */
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

  /** Tells of a source that was added; with `wait` once it is read. The exit code is 1 for a reading that failed. */
  protected async tellAdded(
    added: Reply<'POST /api/sources/notevault'>,
    { wait }: { wait: boolean },
  ): Promise<Reply<'POST /api/sources/notevault'> | ShownSource> {
    const { id } = added.source
    if (!wait) {
      if (this.jsonEnabled()) return added
      print(id)
      printNote(
        added.created
          ? 'Next: memory sources watch tells how far it is; memory recall finds what it says'
          : 'It was there already, and is read again.',
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

  /** Shows the job after a request for it. */
  protected tellJob<Told extends Reply<'POST /api/sources/:sourceId/sync'>>(told: Told): Told {
    if (!this.jsonEnabled()) print(jobLine(told.job))
    return told
  }
}

/** A repository as the API takes it, from what people copy: its name, or its address. @throws CliError `invalid_input` */
export function repositoryName(word: string): string {
  const found = addresses.map(address => address.exec(word)?.[1]).find(Boolean) ?? word
  const name = found.replace(suffix, '')
  if (/^[^/\s:]+\/[^/\s:]+$/u.test(name)) return name
  throw new CliError(`${quoted(word)} names no repository`, {
    code: 'invalid_input',
    exit: 'usage',
    nextSteps: ['give OWNER/REPO, as in cli/cli, or the address of its page'],
  })
}
