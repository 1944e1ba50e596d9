import { z } from 'zod'
import { endpoint } from '../ground/endpoint.js'
import { name, queryInt, staysAt, timestamp } from '../ground/fields.js'
import { agentQuery } from '../memory/record.js'
import { skillName, usedSkillName } from './skill-names.js'

/** Maximum length of a source. */
const maxSource = 500

/** One segment of a repository's address. */
const part = '[A-Za-z0-9_][A-Za-z0-9._-]*'

const host = '[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?'

const path = `${part}(?:/${part})*`

/** A branch, tag or commit after `#`, or one of several skills after `@`. */
const choice = `(?:[#@]${path})*`

/** A package with its scope; a repository with a path in it; a repository's URL. */
const forms = [
  `(?:@${part}/)?${part}${choice}`,
  `(?:github:|gitlab:)?${part}/${path}${choice}`,
  `https://${host}(?::\\d{1,5})?(?:/${path})?/?${choice}`,
  `(?:ssh://)?git@${host}[:/]${path}${choice}`,
].map(form => new RegExp(`^${form}$`, 'u'))

const skill = z.object({
  /** Name of its folder, used in other routes. */
  name: z.string(),
  description: z.string(),
  version: z.string().nullable(),
  author: z.string().nullable(),
  license: z.string().nullable(),
  /** A user may call it by name; true by default. */
  user_invocable: z.boolean(),
  arg_hint: z.string().nullable(),
  /** Path of its folder. */
  path: z.string(),
  /** Problems in its SKILL.md, one sentence each. */
  problems: z.array(z.string()),
})
export type Skill = z.infer<typeof skill>

const params = z.object({ name: skillName })

export const listSkills = endpoint({
  method: 'GET',
  path: '/api/skills',
  summary: 'List installed skills by name',
  permission: 'recall',
  mutates: false,
  response: z.object({
    skills: z.array(skill),
    count: z.int(),
    /** Folders that are not skills, with the reason. */
    skipped: z.array(z.object({ name: z.string(), reason: z.string() })),
    stays: staysAt.optional(),
  }),
})
export type SkillList = z.infer<(typeof listSkills)['response']>

export const getSkill = endpoint({
  method: 'GET',
  path: '/api/skills/:name',
  summary: 'Get a skill with its SKILL.md',
  permission: 'recall',
  mutates: false,
  perDaemon: ['not_found'],
  params,
  response: skill.extend({
    /** The whole SKILL.md. */
    content: z.string(),
    /** Paths in its folder, the first 500. */
    files: z.array(z.string()),
    fileCount: z.int(),
  }),
})
export type SkillRecord = z.infer<(typeof getSkill)['response']>

const found = z.object({
  name: z.string(),
  description: z.string(),
  installed: z.boolean(),
  /** Source for the installation. */
  source: z.string().nullable(),
  /** Number of installations according to the registry. */
  installs: z.int().nullable(),
})
export type SkillSearchResult = z.infer<typeof found>

export const searchSkills = endpoint({
  method: 'GET',
  path: '/api/skills/search',
  summary: 'Search the public registry of skills',
  permission: 'recall',
  mutates: false,
  query: z.object({
    q: z
      .string({
        error: issue => (issue.input === undefined ? 'q is required: the words to search for' : undefined),
      })
      .trim()
      .min(1, 'q is required: the words to search for')
      .max(200),
    limit: queryInt({ min: 1, max: 100 }).default(20),
  }),
  response: z.object({
    results: z.array(found),
    /** False when the registry could not be reached; `error` has the reason. */
    success: z.literal(false).optional(),
    error: z.string().optional(),
  }),
})
export type SkillSearch = z.infer<(typeof searchSkills)['query']>
export type SkillSearchReply = z.infer<(typeof searchSkills)['response']>

export const installSkill = endpoint({
  method: 'POST',
  path: '/api/skills/install',
  summary: 'Install a skill from its source; takes up to 60 seconds',
  permission: 'admin',
  mutates: false,
  body: z.object({
    name: skillName,
    /** Source of the skill; by default the registry's, or else the name. */
    source: z
      .string()
      .superRefine((text, context) => {
        const fault = sourceFault(text)
        if (fault)
          context.addIssue({ code: 'custom', message: `${JSON.stringify(text.slice(0, 100))} ${fault}` })
      })
      .nullish(),
    /** Replaces an installed skill of this name. */
    replace: z.boolean().default(false),
  }),
  response: z.object({
    success: z.literal(true),
    name: z.string(),
    /** Output of the installer, truncated to its end if long. */
    output: z.string(),
    source: z.string(),
    path: z.string(),
  }),
})
export type InstallBody = z.infer<(typeof installSkill)['body']>
export type InstallReply = z.infer<(typeof installSkill)['response']>

export const removeSkill = endpoint({
  method: 'DELETE',
  path: '/api/skills/:name',
  summary: 'Remove an installed skill and its folder',
  permission: 'admin',
  mutates: false,
  perDaemon: ['not_found'],
  params,
  response: z.object({ success: z.literal(true), name: z.string(), message: z.string() }),
})
export type RemoveReply = z.infer<(typeof removeSkill)['response']>

/** The registry's reply to a search; malformed parts count as absent. */
export const registryReply = z.object({
  skills: z
    .array(
      z
        .object({
          name: z.string().min(1).max(200),
          source: z.string().max(500).optional().catch(undefined),
          description: z.string().optional().catch(undefined),
          installs: z.int().min(0).optional().catch(undefined),
        })
        .optional()
        .catch(undefined),
    )
    .max(1000),
})

/**
 * Returns why a text is not a valid source of skills; undefined when it is. Local folders, URLs with a
 * password, options and other protocols are refused, because git and ssh would act on some of them (skills.md
 * 5).
 */
export function sourceFault(text: string): string | undefined {
  const isSource = text.length <= maxSource && !text.includes('..') && forms.some(form => form.test(text))
  if (isSource) return undefined
  return 'is not a skill source: use owner/repository, owner/repository/path, https://host/path, git@host:path, or a package name'
}

const dayMs = 86_400_000

export const recordSkillUse = endpoint({
  method: 'POST',
  path: '/api/skills/:name/usage',
  summary: 'Record that an agent used a skill',
  permission: 'remember',
  mutates: false,
  params: z.object({ name: usedSkillName }),
  body: z.object({
    success: z.boolean(),
    latencyMs: z.number().min(0).max(dayMs).nullish(),
    agentId: name.nullish(),
    agent_id: name.nullish(),
  }),
  response: z.object({ success: z.literal(true), name: z.string() }),
})

export type SkillUseBody = z.infer<(typeof recordSkillUse)['body']>

/** A date, or a time in UTC. */
const utc = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}(?:T[\d:.]+Z)?$/u, 'must be ISO 8601 in UTC, such as 2026-01-31T09:00:00Z')
  .pipe(timestamp)

export const skillAnalytics = endpoint({
  method: 'GET',
  path: '/api/skills/analytics',
  summary: 'Get usage, success rates and durations of skills',
  permission: 'recall',
  mutates: false,
  query: agentQuery.extend({
    since: utc.optional(),
    limit: queryInt({ min: 1, max: 100 }).default(10),
  }),
  response: z.object({
    totalCalls: z.int(),
    /** From 0 to 1; 0 without calls. */
    successRate: z.number(),
    topSkills: z.array(
      z.object({
        skillName: z.string(),
        count: z.int(),
        successCount: z.int(),
        /** Average over the calls with a latency; 0 if there are none. */
        avgLatencyMs: z.number(),
      }),
    ),
    /** Milliseconds, by nearest rank over the calls with a latency; 0 if there are none. */
    latency: z.object({ p50: z.number(), p95: z.number() }),
  }),
})

export type SkillAnalyticsQuery = z.infer<(typeof skillAnalytics)['query']>

export type SkillAnalytics = z.infer<(typeof skillAnalytics)['response']>
