import { z } from 'zod'
import { endpoint } from '../ground/endpoint.js'

/** Name of a remote or branch; git would treat a leading dash as an option (operations.md 1.2). */
const gitName = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .regex(
    /^(?![-./])(?!.*(?:\.\.|\/\/|@\{|\.lock(?:\/|$)))[\p{L}\p{N}._/+@-]+(?<![./])$/u,
    'must be a git name such as origin or main, without a leading dash',
  )

/** Seconds between two runs of the timer. */
const syncInterval = z.int().min(60).max(604_800)

/** `git` of agent.yaml (operations.md 1.2). */
export const gitSettings = z.object({
  /** Commits changes every `syncInterval`. */
  autoCommit: z.boolean().default(false),
  /** Commits, pulls and pushes every `syncInterval`. */
  autoSync: z.boolean().default(false),
  /** In seconds. */
  syncInterval: syncInterval.default(300),
  remote: gitName.default('origin'),
  branch: gitName.default('main'),
})

const config = z.object({
  /** True when the workspace is a git repository. */
  enabled: z.boolean(),
  autoCommit: z.boolean(),
  autoSync: z.boolean(),
  syncInterval: z.int(),
  remote: z.string(),
  branch: z.string(),
})
export type GitConfig = z.infer<typeof config>

/** The result of git; an external failure is not an error of the request. */
const outcome = z.object({
  success: z.boolean(),
  /** The steps done, one per line. */
  output: z.string(),
  error: z.string().nullable(),
})
export type GitOutcome = z.infer<typeof outcome>

/**
 * A security setting that agent.yaml changes and a person has not accepted; masked JSON, null where unset.
 */
const waitingSetting = z.object({
  key: z.string(),
  /** The value in force. */
  before: z.string().nullable(),
  /** The value in agent.yaml. */
  after: z.string().nullable(),
})
export type WaitingSetting = z.infer<typeof waitingSetting>

const leftOut = z.object({ path: z.string(), reason: z.string() })

export const gitStatus = endpoint({
  method: 'GET',
  path: '/api/git/status',
  summary: 'Get the state of the workspace repository: branch, uncommitted files, commits to push and pull',
  permission: 'diagnostics',
  mutates: false,
  response: z.object({
    enabled: z.boolean(),
    branch: z.string().nullable(),
    /** Commits missing on the remote as of the last fetch; null when unknown. */
    ahead: z.int().nullable(),
    behind: z.int().nullable(),
    /** True when a commit would not be empty. */
    dirty: z.boolean(),
    lastCommit: z.object({ id: z.string(), message: z.string(), at: z.string() }).nullable(),
    /** URL of the remote, without credentials. */
    remoteUrl: z.string().nullable(),
    /** The first paths that would be committed. */
    uncommitted: z.array(z.string()),
    uncommittedCount: z.int(),
    /** The first paths skipped as too large or not plain files. */
    leftOut: z.array(leftOut),
    /** Security settings that wait for a person: memory git settings. */
    waitingSettings: z.array(waitingSetting),
    /** Reason why committing or syncing is impossible now. */
    problem: z.string().nullable(),
    /** Result of this daemon's last commit, pull, push or sync. */
    lastRun: z
      .object({ action: z.string(), at: z.string(), success: z.boolean(), error: z.string().nullable() })
      .nullable(),
  }),
})
export type GitStatus = z.infer<(typeof gitStatus)['response']>

const admin = { method: 'POST', permission: 'admin', mutates: false, bucket: 'admin' } as const

export const gitPull = endpoint({
  ...admin,
  path: '/api/git/pull',
  summary: 'Fetch the remote branch and rebase local commits onto it',
  response: outcome,
})

export const gitPush = endpoint({
  ...admin,
  path: '/api/git/push',
  summary: 'Push the branch to the remote',
  response: outcome,
})

export const gitSync = endpoint({
  ...admin,
  path: '/api/git/sync',
  summary: 'Commit changes, pull and push',
  response: outcome,
})

export const gitInit = endpoint({
  ...admin,
  // The remote's commits become files that agents read, and git connects to it as the daemon's user.
  runsPrograms: ({ remoteUrl }: { remoteUrl?: string }) => remoteUrl !== undefined,
  path: '/api/git/init',
  summary: 'Make the workspace a git repository, optionally with a remote',
  body: z.object({
    /** URL of the remote; without one the repository stays on this machine. */
    remoteUrl: z
      .string()
      .trim()
      .min(1)
      .max(2000)
      // A control character could add a line to git's configuration.
      .regex(/^(?!-)[^\p{Cc}\s]+$/u, 'must be a git URL without spaces, such as git@host:me/memory.git')
      .refine(url => !/^ext::/iu.test(url), 'ext:: runs commands and is not allowed')
      .refine(url => /[:/\\]/u.test(url), 'must be a URL or a path, such as git@host:me/memory.git')
      .optional(),
    dryRun: z.boolean().default(false),
  }),
  response: outcome.extend({
    dryRun: z.boolean(),
    /** True when the repository is new. */
    created: z.boolean(),
    /** Files in the first commit. */
    files: z.array(z.string()),
    leftOut: z.array(leftOut),
  }),
})

export const getGitConfig = endpoint({
  method: 'GET',
  path: '/api/git/config',
  summary: 'Get the git settings of the workspace',
  permission: 'diagnostics',
  mutates: false,
  response: config,
})

export const setGitConfig = endpoint({
  ...admin,
  path: '/api/git/config',
  summary: 'Change the git settings of the workspace; applies immediately',
  body: z
    .object({
      autoCommit: z.boolean(),
      autoSync: z.boolean(),
      syncInterval,
      remote: gitName,
      branch: gitName,
    })
    .partial(),
  response: z.object({ success: z.boolean(), config }),
})

const waitingSettings = z.object({
  /** Names what waits; a decision about something else is refused. */
  version: z.string(),
  settings: z.array(waitingSetting),
})
export type WaitingSettingsReply = z.infer<typeof waitingSettings>

export const readWaitingSettings = endpoint({
  method: 'GET',
  path: '/api/git/settings',
  summary: 'Get the security settings of agent.yaml that wait for a person, with those in force',
  permission: 'admin',
  mutates: false,
  response: waitingSettings,
})

export const decideWaitingSettings = endpoint({
  ...admin,
  path: '/api/git/settings',
  summary: 'Accept the waiting security settings, or restore those in force; on this machine only',
  body: z.object({
    decision: z.enum(['accept', 'refuse']),
    /** The version read before. */
    version: z.string().min(1).max(100),
  }),
  response: z.object({ success: z.literal(true), settings: z.array(waitingSetting) }),
})
