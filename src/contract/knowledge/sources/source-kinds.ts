import { z } from 'zod'
import { endpoint } from '../../ground/endpoint.js'
import { name, timestamp } from '../../ground/fields.js'
import { secretReference } from '../../secrets/names.js'
import { syncModes } from './discord.js'
import { githubChoices, repository } from './github.js'
import { indexJobStatuses, sourceRecord } from './source-record.js'

/** GitHub tokens that could be names of secrets; Discord tokens can't. */
const rawToken = /^(?:gh[a-z]_|github_pat_|[0-9a-f]{40}$)/iu

/** A reference to a secret; an invalid one, or a token itself, is refused and never repeated. */
const tokenRef = z
  .string()
  .trim()
  .min(1)
  .max(500)
  .refine(text => secretReference.safeParse(text).success && !rawToken.test(text), {
    error:
      'tokenRef is the name of a secret, not the token: store the token with memory secrets set NAME, then use NAME',
  })

/**
 * A secret reference makes the daemon send that secret to a server, which needs the permission of commands
 * with secrets (secrets.md).
 */
const permissionFor = ({ body }: { body: { tokenRef?: string | null | undefined } }) =>
  body.tokenRef ? ('admin' as const) : undefined

const displayName = z.string().trim().min(1).max(255)
const glob = z.string().trim().min(1).max(500)

/** A text or a list of texts, as a list without duplicates. */
const texts = (item: z.ZodString, max: number) =>
  z
    .union([item, z.array(item).max(max)], { error: 'must be a text or a list of texts' })
    .transform(value => [...new Set(typeof value === 'string' ? [value] : value)])

const ofAgent = { name: displayName.nullish(), agentId: name.nullish(), agent_id: name.nullish() }

/** Hidden folders of Obsidian, its plugins, its trash and agents. */
export const vaultExcludes = ['.obsidian/**', '.trash/**', '**/.*/**', '**/.*'] as const

const vaultPath = z.string().trim().min(1).max(4096)
const vaultBody = z
  .object({
    path: vaultPath.nullish(),
    root: vaultPath.nullish(),
    excludeGlobs: z.array(glob).max(200).nullish(),
    ...ofAgent,
  })
  .refine(({ path, root }) => path || root, {
    path: ['path'],
    error: 'path is required: the absolute path of a vault',
  })
export type VaultBody = z.infer<typeof vaultBody>

/** The settings of an Obsidian source. */
export const obsidianSettings = z.object({
  path: vaultPath,
  excludeGlobs: z.array(glob),
  /** The credential that named the folder, unless it was an admin or the owner. */
  givenTo: z.string().optional(),
})
export type ObsidianSettings = z.infer<typeof obsidianSettings>

/** Id of a server; `@me` means the direct messages of a desktop cache. */
const guildIds = texts(
  z
    .string()
    .trim()
    .regex(/^(?:\d{5,20}|@me)$/, 'must be a server ID: copy it in Discord with developer mode on'),
  100,
)

const guildBody = z.object({
  guildIds: guildIds.nullish(),
  guildId: guildIds.nullish(),
  tokenRef: tokenRef.nullish(),
  channelFilter: texts(z.string().trim().min(1).max(200), 1000).nullish(),
  channels: texts(z.string().trim().min(1).max(200), 1000).nullish(),
  maxMessagesPerChannel: z.int().min(1).max(1_000_000).nullish(),
  includeThreads: z.boolean().nullish(),
  includeArchivedThreads: z.boolean().nullish(),
  includePrivateArchivedThreads: z.boolean().nullish(),
  includeMembers: z.boolean().nullish(),
  includeAttachments: z.boolean().nullish(),
  includeAttachmentText: z.boolean().nullish(),
  maxAttachmentTextBytes: z.int().min(1).max(26_214_400).nullish(),
  includeEmbeds: z.boolean().nullish(),
  includePolls: z.boolean().nullish(),
  includeThreadMembers: z.boolean().nullish(),
  since: timestamp.nullish(),
  syncMode: z.enum(syncModes).nullish(),
  desktopCachePath: z.string().trim().min(1).max(4096).nullish(),
  desktopCacheFullScan: z.boolean().nullish(),
  ...ofAgent,
})
export type GuildBody = z.infer<typeof guildBody>

const repoBody = z
  .object({
    repos: texts(repository, 100).nullish(),
    repo: texts(repository, 100).nullish(),
    tokenRef: tokenRef.nullish(),
    resourceTypes: githubChoices.resourceTypes.nullish(),
    state: githubChoices.state.nullish(),
    includeComments: z.boolean().nullish(),
    labels: githubChoices.labels.nullish(),
    docPaths: githubChoices.docPaths.nullish(),
    maxItemsPerRepo: githubChoices.maxItemsPerRepo.nullish(),
    ...ofAgent,
  })
  .refine(({ repos, repo }) => (repos ?? repo ?? []).length > 0, {
    path: ['repos'],
    error: 'repos is required: one or more of OWNER/REPO',
  })
  .refine(({ resourceTypes, tokenRef: token }) => token || !resourceTypes?.includes('discussions'), {
    path: ['tokenRef'],
    error: 'discussions need a token: give tokenRef, or remove them from resourceTypes',
  })
export type RepoBody = z.infer<typeof repoBody>

const added = z.object({
  source: sourceRecord,
  /** False for an existing source, which is indexed again. */
  created: z.boolean(),
  /** Artifacts that recall finds now. */
  indexed: z.int(),
  /** Its index job is queued or running. */
  queued: z.boolean(),
  job: z.object({ status: z.enum(indexJobStatuses), sourceId: z.string() }),
})
export type AddedSource = z.infer<typeof added>

export const addVault = endpoint({
  method: 'POST',
  path: '/api/sources/notevault',
  summary: 'Add an Obsidian vault as a source and follow its changes',
  permission: 'modify',
  mutates: true,
  body: vaultBody,
  response: added,
})

export const addGuild = endpoint({
  method: 'POST',
  path: '/api/sources/chatguild',
  summary: 'Add the channels of Discord servers as a source',
  permission: 'modify',
  permissionFor,
  mutates: true,
  body: guildBody,
  response: added,
})

export const addRepo = endpoint({
  method: 'POST',
  path: '/api/sources/coderepo',
  summary: 'Add issues, pull requests, discussions and documentation of GitHub repositories as a source',
  permission: 'modify',
  permissionFor,
  mutates: true,
  body: repoBody,
  response: added,
})
