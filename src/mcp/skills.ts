import type { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { McpError } from '@modelcontextprotocol/sdk/types.js'
import { z } from 'zod'
import { nameFault } from '../contract/agents/skill-names.js'
import type { Reply } from '../contract/api.js'
import { decoded } from '../lib/network/decoded.js'
import { harmless } from '../lib/text/harmless.js'
import { resourceNotFound } from './modern/envelope.js'
import { asProtocolErrors } from './protocol-errors.js'
import type { Call } from './tool/tool.js'

/** The extension that offers skills of the workspace to clients without their own folder for them. */
export const skillsExtension = 'io.modelcontextprotocol/skills'

const scheme = 'skill://'
const fileName = '/SKILL.md'

/** Lists change with `memory skills install` and `remove`; other users have other skills. */
const caching = { ttlMs: 60_000, cacheScope: 'private' as const }

const listRequest = z.object({ method: z.literal('skills/list') })
const getRequest = z.object({ method: z.literal('skills/get'), params: z.object({ uri: z.string() }) })

type SkillRecord = Reply<'GET /api/skills/:name'>

/** Adds the installed skills: their list, and each with the digest of its file. */
export function addSkills(server: Server, call: Call): void {
  server.setRequestHandler(listRequest, () =>
    asProtocolErrors(async () => {
      const { skills } = await call('GET /api/skills')
      return { skills: await Promise.all(skills.map(({ name }) => skillNamed(call, name))), ...caching }
    }),
  )
  server.setRequestHandler(getRequest, ({ params: { uri } }) =>
    asProtocolErrors(async () => ({ skill: await skillNamed(call, nameIn(uri)), ...caching })),
  )
}

/** The content of a skill's file for `resources/read`; undefined for an address of another kind. */
export async function readSkill(call: Call, uri: string) {
  if (!uri.startsWith(scheme)) return undefined
  const { content } = await call('GET /api/skills/:name', { params: { name: nameIn(uri) } })
  return { contents: [{ uri, mimeType: 'text/markdown', text: harmless(content) }] }
}

async function skillNamed(call: Call, name: string) {
  const skill = await call('GET /api/skills/:name', { params: { name } })
  return { uri: addressOf(name), frontmatter: frontmatterOf(skill), resources: await filesOf(skill) }
}

function frontmatterOf({ name, description, version, author, license }: SkillRecord) {
  const more = Object.entries({ version, author, license }).filter(([, value]) => value !== null)
  return { name, description: harmless(description), ...Object.fromEntries(more) }
}

/** The list of files; `dynamic` for a skill with more than the one that is served. */
async function filesOf({ name, content, fileCount }: SkillRecord) {
  if (fileCount !== 1) return 'dynamic'
  const bytes = Buffer.from(harmless(content))
  // The global `crypto`: importing node:crypto would cost each start of the stdio server some milliseconds.
  const hash = Buffer.from(await crypto.subtle.digest('SHA-256', bytes)).toString('hex')
  return [{ uri: addressOf(name), digest: `sha256:${hash}`, size: bytes.length }]
}

function addressOf(name: string): string {
  return `${scheme}${encodeURIComponent(name)}${fileName}`
}

/** @throws McpError for an address of another form */
function nameIn(uri: string): string {
  const isSkill = uri.startsWith(scheme) && uri.endsWith(fileName)
  const name = isSkill ? decoded(uri.slice(scheme.length, -fileName.length)) : undefined
  if (name !== undefined && nameFault(name) === undefined) return name
  throw new McpError(resourceNotFound, `unknown skill ${uri}; skills/list names those that there are`)
}
