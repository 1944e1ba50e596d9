import { z } from 'zod'
import { endpoint } from '../ground/endpoint.js'
import { queryBoolean } from '../ground/fields.js'

/** Seconds between two scheduled checks (operations.md 2.2). */
export const checkIntervalRange = { min: 300, max: 604_800 } as const
const checkInterval = z.int().min(checkIntervalRange.min).max(checkIntervalRange.max)

const channel = z.enum(['stable', 'nightly'])
export type UpdateChannel = z.infer<typeof channel>

/** `update` of agent.yaml (operations.md 2.2). */
export const updateSettings = z.object({
  /** Checks for a new release every `checkInterval`. */
  autoCheck: z.boolean().default(false),
  /** Checks, and installs new releases. */
  autoInstall: z.boolean().default(false),
  /** In seconds. */
  checkInterval: checkInterval.default(21_600),
  channel: channel.default('stable'),
  /** URL of the release manifest; by default the package registry is used. */
  manifestUrl: z
    .url({ protocol: /^https?$/ })
    .max(2000)
    .refine(url => !/^https?:\/\/[^/?#]*@/iu.test(url), 'must not contain a password')
    .optional(),
  /** Takes releases from the registry of npm. Nothing proves that the package there is this program's. */
  trustRegistry: z.boolean().default(false),
  /** Ed25519 public key of the manifest's signature: 32 bytes, base64. */
  manifestKey: z
    .string()
    .regex(/^[A-Za-z0-9+/]{43}=$/u, 'must be the 32 bytes of an Ed25519 public key in base64')
    .optional(),
})

/** A downloadable release for one platform. */
const asset = z.object({
  /** Values of `process.platform` and `process.arch` in Node. */
  platform: z.string().min(1).max(50),
  arch: z.string().min(1).max(50),
  /** May be relative to the manifest. */
  url: z.string().min(1).max(2000),
  sha256: z.string().regex(/^[0-9a-f]{64}$/iu),
  size: z
    .int()
    .min(1)
    .max(2 * 1024 ** 3),
})
export type ReleaseAsset = z.infer<typeof asset>

const release = z.object({
  version: z
    .string()
    .max(100)
    .regex(/^\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?$/u),
  channel,
  releaseUrl: z
    .url({ protocol: /^https?$/ })
    .max(2000)
    .nullish(),
  releaseNotes: z.string().max(100_000).nullish(),
  publishedAt: z.string().max(40).nullish(),
  assets: z.array(asset).max(100).default([]),
})

/** Content of `update.manifestUrl`: one release, or the newest of each channel. */
export const releaseManifest = z.union([release.transform(one => [one]), z.array(release).min(1).max(20)])
export type DescribedRelease = z.infer<typeof release>

/** The fields used from an npm registry's package. */
export const registryPackage = z.object({
  'dist-tags': z.record(z.string(), z.string()),
  time: z.record(z.string(), z.string()).optional(),
  homepage: z.string().optional().catch(undefined),
})

const found = z.object({
  version: z.string(),
  releaseUrl: z.string().nullable(),
  releaseNotes: z.string().nullable(),
  publishedAt: z.string().nullable(),
})
/** The newest release of a channel, from the manifest or the registry. */
export type AvailableRelease = z.infer<typeof found>

/** `.daemon/update.json`: update state that survives restarts. */
export const updateRecord = z.object({
  lastCheck: z
    .object({
      release: found.nullable(),
      error: z.string().nullable(),
      at: z.string(),
      channel,
      /** The URL that was checked. */
      asked: z.string(),
    })
    .nullable()
    .default(null),
  /** Time of the last scheduled check. */
  lookedAt: z.string().nullable().default(null),
  pendingRestartVersion: z.string().nullable().default(null),
  lastAutoUpdateAt: z.string().nullable().default(null),
  lastAutoUpdateError: z.string().nullable().default(null),
})
export type UpdateRecord = z.infer<typeof updateRecord>

const info = z.object({
  currentVersion: z.string(),
  /** Newest of the channel; null when unknown. */
  latestVersion: z.string().nullable(),
  updateAvailable: z.boolean(),
  releaseUrl: z.string().nullable(),
  releaseNotes: z.string().nullable(),
  publishedAt: z.string().nullable(),
  /** An installed version waits for a restart. */
  restartRequired: z.boolean(),
  pendingVersion: z.string().nullable(),
  /** The result is cached, and less than an hour old. */
  cached: z.boolean(),
  checkedAt: z.string(),
  channel,
  /** Reason why the check failed. */
  error: z.string().nullable(),
})
export type UpdateInfo = z.infer<typeof info>

const config = z.object({
  autoCheck: z.boolean(),
  autoInstall: z.boolean(),
  checkInterval: z.int(),
  channel,
})

const lastUpdate = {
  pendingRestartVersion: z.string().nullable(),
  lastAutoUpdateAt: z.string().nullable(),
  lastAutoUpdateError: z.string().nullable(),
}

export const checkUpdate = endpoint({
  method: 'GET',
  path: '/api/update/check',
  summary: 'Check for a newer release, at most once an hour unless forced',
  permission: 'diagnostics',
  mutates: false,
  query: z.object({ force: queryBoolean.default(false) }),
  response: info,
})

export const getUpdateConfig = endpoint({
  method: 'GET',
  path: '/api/update/config',
  summary: 'Get the update settings and the result of the last check',
  permission: 'diagnostics',
  mutates: false,
  response: config.extend({
    minInterval: z.int(),
    maxInterval: z.int(),
    ...lastUpdate,
    updateInProgress: z.boolean(),
  }),
})
export type UpdateState = z.infer<(typeof getUpdateConfig)['response']>

const admin = { method: 'POST', permission: 'admin', mutates: false, bucket: 'admin' } as const

export const setUpdateConfig = endpoint({
  ...admin,
  path: '/api/update/config',
  summary: 'Change the update settings; applies immediately',
  body: z.object({ autoCheck: z.boolean(), autoInstall: z.boolean(), checkInterval, channel }).partial(),
  response: z.object({ success: z.boolean(), config, persisted: z.boolean(), ...lastUpdate }),
})

/** Installation methods of this program (operations.md 2.3). */
export const installMethods = [
  'binary',
  'npm-global',
  'npm-local',
  'pnpm-global',
  'pnpm-local',
  'yarn-global',
  'yarn-local',
  'bun-global',
  'bun-local',
  'npx',
  'homebrew',
  'nix',
  'scoop',
  'winget',
  'image',
  'git',
  'unknown',
] as const
export type InstallMethod = (typeof installMethods)[number]

/** Error codes of a failed installation (operations.md 2.4). */
export const updateErrorCodes = [
  'check_failed',
  'manifest_invalid',
  'asset_missing',
  'download_failed',
  'checksum_mismatch',
  'install_failed',
  'verification_failed',
  'manual_install_required',
] as const
export type UpdateErrorCode = (typeof updateErrorCodes)[number]

export const runUpdate = endpoint({
  ...admin,
  path: '/api/update/run',
  summary: 'Install the newest release the same way as this one; it becomes active after a restart',
  response: z.object({
    success: z.boolean(),
    message: z.string(),
    /** Output of the installer. */
    output: z.string(),
    installedVersion: z.string().nullable(),
    restartRequired: z.boolean(),
    installMethod: z.enum(installMethods),
    activeExecutablePath: z.string(),
    /** True when the active path reports exactly the chosen version. */
    activeExecutableVerified: z.boolean(),
    /** Version reported by the active path after the installation. */
    observedVersion: z.string().nullable(),
    errorCode: z.enum(updateErrorCodes).nullable(),
    /** Command to run manually when the program cannot update itself. */
    command: z.string().nullable(),
  }),
})
export type UpdateOutcome = z.infer<(typeof runUpdate)['response']>
