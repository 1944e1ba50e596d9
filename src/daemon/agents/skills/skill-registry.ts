import {
  type FoundSkill,
  registryReply,
  type SkillSearch,
  type SkillSearchReply,
} from '../../../contract/agents/skills.js'
import { clip } from '../../../lib/clip.js'
import { jsonOf } from '../../../lib/json-of.js'
import { unscannedLine } from '../../../lib/one-line.js'
import { readAtMost } from '../../../lib/read-at-most.js'
import { within } from '../../../lib/within.js'
import type { Ground } from '../../ground/ground.js'
import { skillFolders } from './skill-folder.js'

type Deps = Pick<Ground, 'paths' | 'environment' | 'log'>

const publicRegistry = 'https://skills.sh'
const deadlineMs = 10_000
const maxReplyBytes = 1024 * 1024
const maxDescription = 1000

/** What the registry was asked and did not answer as it should; the message says what and where. */
class RegistryFault extends Error {}

/** Searches the public registry. One that cannot be asked is no error of the caller's: nothing is found, and why (skills.md 3). */
export async function searchSkills(deps: Deps, { q, limit }: SkillSearch): Promise<SkillSearchReply> {
  const asked = await askRegistry(deps, q, limit).catch((error: unknown) => {
    if (error instanceof RegistryFault) return error
    throw error
  })
  if (asked instanceof RegistryFault) {
    deps.log.warn({ err: asked }, 'the registry of skills was not asked')
    return { results: [], success: false, error: asked.message }
  }
  const installed = new Set((await skillFolders(deps)).map(({ name }) => name))
  return { results: asked.map(skill => ({ ...skill, installed: installed.has(skill.name) })) }
}

/** Sources that the registry has for a skill of exactly this name, the most installed one first; none when it cannot be asked. */
export async function sourcesOf(deps: Deps, name: string): Promise<string[]> {
  const found = await askRegistry(deps, name, 50).catch((error: unknown) => {
    if (error instanceof RegistryFault) return []
    throw error
  })
  return found
    .filter(skill => skill.name === name)
    .sort((a, b) => (b.installs ?? 0) - (a.installs ?? 0))
    .flatMap(({ source }) => source ?? [])
}

/** @throws RegistryFault. */
async function askRegistry(
  { environment }: Pick<Deps, 'environment'>,
  query: string,
  limit: number,
): Promise<Omit<FoundSkill, 'installed'>[]> {
  const url = searchUrl(environment.SKILLS_API_URL || publicRegistry)
  url.searchParams.set('q', query)
  url.searchParams.set('limit', String(limit))
  const place = `${url.origin}${url.pathname}`
  const stop = new AbortController()
  const late = (): Error => new RegistryFault(`${place} did not answer within ${deadlineMs / 1000} s`)
  try {
    const text = await within(readReply(url, place, stop.signal), deadlineMs, late)
    return parseReply(text, place).slice(0, limit)
  } catch (error) {
    if (error instanceof RegistryFault) throw error
    throw new RegistryFault(`${place} can't be reached: ${reasonOf(error)}`)
  } finally {
    stop.abort()
  }
}

/** @throws RegistryFault for an address that is none. */
function searchUrl(base: string): URL {
  const url = URL.canParse(base) ? new URL(base) : undefined
  if (!url || !/^https?:$/u.test(url.protocol) || url.username || url.password)
    throw new RegistryFault(
      'SKILLS_API_URL is no address of a registry: it takes http(s)://host, without a password',
    )
  url.pathname = `${url.pathname.replace(/\/+$/u, '')}/api/search`
  return url
}

/** No redirects: they would lead where nobody said. */
async function readReply(url: URL, place: string, signal: AbortSignal): Promise<string> {
  const { request } = await import('undici')
  const { statusCode, body } = await request(url, {
    headers: { accept: 'application/json', 'user-agent': 'memory-service' },
    signal,
  })
  const tooLarge = (): Error => new RegistryFault(`${place} answered more than ${maxReplyBytes} bytes`)
  const bytes = await readAtMost(body, maxReplyBytes, tooLarge)
  if (statusCode !== 200) throw new RegistryFault(`${place} answered ${statusCode}`)
  return bytes.toString('utf8')
}

function parseReply(text: string, place: string): Omit<FoundSkill, 'installed'>[] {
  const reply = registryReply.safeParse(jsonOf(text))
  if (!reply.success) throw new RegistryFault(`${place} answered something that is no list of skills`)
  return reply.data.skills.flatMap(skill =>
    skill
      ? [
          {
            name: unscannedLine(skill.name, 200),
            description: unscannedLine(skill.description ?? '', maxDescription),
            source: skill.source ?? null,
            installs: skill.installs ?? null,
          },
        ]
      : [],
  )
}

function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  return clip(message || code || 'no reason given', 200)
}
