import { quoted } from '../../lib/text/clip.js'
import { CliError } from '../shell/cli-error.js'

/** What ends an address of git, and names no repository. */
const suffix = /\.git\/?$/u
/** `git@HOST:OWNER/REPO`, and a URL with whatever follows the repository: `/issues`, `/tree/main`. */
const addresses = [
  /^[\w.-]+@[\w.-]+:([^/\s]+\/[^/\s]+)$/u,
  /^(?:https?|ssh|git):\/\/[^/\s]+\/([^/\s]+\/[^/?#\s]+)/u,
]

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
