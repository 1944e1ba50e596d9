import {
  registryReply,
  type SkillSearch,
  type SkillSearchReply,
  type SkillSearchResult,
} from '../../../contract/agents/skills.js'
import { jsonOf } from '../../../lib/text/json-of.js'
import { unscannedLine } from '../../../lib/text/one-line.js'
import { ApiFault } from '../../ground/fetch/api-faults.js'
import { type ExchangeReply, exchange, openConnection, urlWithoutQuery } from '../../ground/fetch/exchange.js'
import type { Ground } from '../../ground/ground.js'
import { skillFolders } from './skill-folder.js'

type Deps = Pick<Ground, 'paths' | 'environment' | 'log'>

const publicRegistry = 'https://skills.sh'
const deadlineMs = 10_000
const maxReplyBytes = 1024 * 1024
const maxDescription = 1000

/**
 * Searches the public registry. When the registry can't be reached, returns no results and the reason
 * (skills.md 3).
 */
export async function searchSkills(deps: Deps, { q, limit }: SkillSearch): Promise<SkillSearchReply> {
  const asked = await queryRegistry(deps, q, limit).catch((error: unknown) => {
    if (error instanceof ApiFault) return error
    throw error
  })
  if (asked instanceof ApiFault) {
    deps.log.warn({ err: asked }, 'skill registry not reachable')
    return { results: [], success: false, error: asked.message }
  }
  const installed = new Set((await skillFolders(deps)).map(({ name }) => name))
  return { results: asked.map(skill => ({ ...skill, installed: installed.has(skill.name) })) }
}

/**
 * Returns the registry's sources of skills with exactly this name, most installed first; [] when it can't be
 * reached.
 */
export async function findSkillSources(deps: Deps, name: string): Promise<string[]> {
  const found = await queryRegistry(deps, name, 50).catch((error: unknown) => {
    if (error instanceof ApiFault) return []
    throw error
  })
  return found
    .filter(skill => skill.name === name)
    .sort((a, b) => (b.installs ?? 0) - (a.installs ?? 0))
    .flatMap(({ source }) => source ?? [])
}

/**
 * Queries the registry, without following redirects to hosts nobody configured.
 * @throws ApiFault unless the reply is a list of skills.
 */
async function queryRegistry(
  { environment }: Pick<Deps, 'environment'>,
  query: string,
  limit: number,
): Promise<Omit<SkillSearchResult, 'installed'>[]> {
  const url = searchUrl(environment.SKILLS_API_URL || publicRegistry)
  url.searchParams.set('q', query)
  url.searchParams.set('limit', String(limit))
  const agent = await openConnection()
  try {
    const headers = { accept: 'application/json' }
    const reply = await exchange(agent, { url, headers, maxBytes: maxReplyBytes, deadlineMs })
    if (reply.status !== 200)
      throw new ApiFault('refused', `${urlWithoutQuery(url)} answered ${reply.status}`)
    return skillsIn(reply).slice(0, limit)
  } finally {
    await agent.destroy()
  }
}

/** @throws ApiFault for an invalid address. */
function searchUrl(base: string): URL {
  const url = URL.canParse(base) ? new URL(base) : undefined
  if (!url || !/^https?:$/u.test(url.protocol) || url.username || url.password)
    throw new ApiFault(
      'refused',
      'SKILLS_API_URL is not a registry address; use http(s)://host without user or password',
    )
  url.pathname = `${url.pathname.replace(/(?<!\/)\/+$/u, '')}/api/search`
  return url
}

function skillsIn({ url, bytes }: ExchangeReply): Omit<SkillSearchResult, 'installed'>[] {
  const reply = registryReply.safeParse(jsonOf(bytes.toString('utf8')))
  if (!reply.success)
    throw new ApiFault('unreachable', `${urlWithoutQuery(url)} did not answer with a list of skills`)
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
