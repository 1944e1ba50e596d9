import { readContextFile } from '../../../store/files/context-file.js'
import { withoutPrivate } from '../../ground/text/private-spans.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import type { StartSettings } from './start-settings.js'

export interface Identity {
  name: string
  description: string
  /** What the session is told of it; empty when there is nothing. */
  text: string
}

const nobody: Identity = { name: '', description: '', text: '' }
const maxFileBytes = 65_536
const maxName = 200
const maxDescription = 1000
/** Characters of an identity file that its profile does not limit. */
const defaultMaxChars = 4000

/**
 * Who the agent is, by IDENTITY.md and the identity files of the harness's profile; nobody unless identities are
 * managed here (rules.md 4.12).
 */
export async function readIdentity(
  { paths }: Pick<Daemon, 'paths'>,
  { includeIdentity, identityFiles }: StartSettings,
): Promise<Identity> {
  if (!includeIdentity) return nobody
  const own = withoutPrivate(await readContextFile(paths.root, paths.identity, maxFileBytes))
  const parsed = parseIdentity(own)
  if (!identityFiles) return { ...parsed, text: identityLine(parsed) }
  const texts = await Promise.all(
    identityFiles.map(async ({ path, maxChars = defaultMaxChars }) => {
      const text = withoutPrivate(await readContextFile(paths.root, path, maxFileBytes)).trim()
      return text.slice(0, maxChars).toWellFormed()
    }),
  )
  return { ...parsed, text: texts.filter(Boolean).join('\n\n') }
}

/**
 * The name and description that an IDENTITY.md states: `name:` and `description:` (list items, bold ones and front
 * matter too), else its first heading and the first paragraph below.
 */
export function parseIdentity(markdown: string): Omit<Identity, 'text'> {
  const lines = markdown.split(/\r?\n/u).map(line => line.trim())
  const heading = lines.findIndex(line => /^#{1,6}\s+\S/u.test(line))
  const name = fieldIn(lines, 'name') ?? (lines[heading] ?? '').replace(/^#+\s+/u, '')
  const paragraph = lines
    .slice(heading + 1)
    .find(line => line !== '' && !/^(?:#|---)/u.test(line) && !field.test(line))
  const description = fieldIn(lines, 'description') ?? (heading < 0 ? '' : (paragraph ?? ''))
  return {
    name: name.slice(0, maxName).toWellFormed(),
    description: description.slice(0, maxDescription).toWellFormed(),
  }
}

const field = /^(?:[-*]\s+)?(?:\*\*|__)?([A-Za-z]+)(?:\*\*|__)?:(?:\*\*|__)?\s*(.*)$/u

function fieldIn(lines: readonly string[], wanted: string): string | undefined {
  for (const line of lines) {
    const [, name = '', value = ''] = field.exec(line) ?? []
    const plain = value.replace(/^(["'])(.*)\1$/u, '$2').trim()
    if (name.toLowerCase() === wanted && plain !== '') return plain
  }
  return undefined
}

function identityLine({ name, description }: Omit<Identity, 'text'>): string {
  return [name, description].filter(Boolean).join(': ')
}
