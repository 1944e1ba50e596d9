import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Logger } from 'pino'
import { AppError } from '../../../contract/ground/errors.js'
import type { PluginUse } from '../../../contract/ground/plugin-capabilities.js'
import {
  type AuditEvent,
  type PromptCondition,
  pluginId,
  pluginManifest,
} from '../../../contract/platform/plugins.js'
import { oneAtATime } from '../../../lib/concurrency/one-at-a-time.js'
import { within } from '../../../lib/concurrency/stop-waiting.js'
import { faultWords } from '../../../lib/text/fault-words.js'
import type { WorkspacePaths } from '../../../lib/workspace/paths.js'
import { readContextFile } from '../../../store/files/context-file.js'
import { type AuditFilter, createAuditLog, type PluginEvent } from './audit-log.js'
import { createVerdicts, type PromptContribution, type PromptPlan } from './contributions.js'
import type { PluginChange } from './decisions.js'
import {
  bundledPlugins,
  type DescribedPlugin,
  grantedTo,
  isRunning,
  mayUse,
  type Plugin,
  reasonOf,
  stateOf,
} from './plugin.js'
import type { ChangeCause } from './plugin-events.js'
import { createRegistry } from './registry.js'

/** The caller and the route of a denied request. */
interface DeniedRequest {
  actor: string
  /** Method and path pattern from the contract, which limits their number. */
  route: string
}

/** Repeats within this time are only counted; the next event reports their number. */
const quietMs = 60_000

interface Denials {
  /** @returns the event to write; undefined for a repeat within the minute */
  note(use: PluginUse, asking: DeniedRequest, reason: string): PluginEvent | undefined
  /** Events for repeats that are counted but not written yet. */
  rest(): PluginEvent[]
}

interface LastDenial {
  happened: PluginEvent
  at: number
  repeats: number
}

/** Limits the audit events of a looping client to one per minute and route. */
export function createDenials(clock: () => Date): Denials {
  const told = new Map<string, LastDenial>()
  return {
    note: ({ id, capability }, { actor, route }, reason) => {
      const now = clock().getTime()
      const key = `${id} ${capability} ${route}`
      const before = told.get(key)
      if (before && Math.abs(now - before.at) < quietMs) {
        before.repeats++
        return undefined
      }
      const happened = withRepeats(denial(id, { capability, actor, route, reason }), before)
      told.set(key, { happened, at: now, repeats: 0 })
      return happened
    },
    rest: () =>
      [...told.values()]
        .filter(({ repeats }) => repeats > 0)
        .map(one => withRepeats(denial(one.happened.pluginId, one.happened.data), one)),
  }
}

function denial(pluginId: string, data: PluginEvent['data']): PluginEvent {
  return {
    event: 'plugin.capability_denied',
    pluginId,
    result: 'denied',
    source: 'api',
    ...(data && { data }),
  }
}

function withRepeats(happened: PluginEvent, before: LastDenial | undefined): PluginEvent {
  if (!before?.repeats) return happened
  return { ...happened, data: { ...happened.data, repeatsBefore: before.repeats } }
}

/** Names what is missing and the command that fixes it, for the caller and the audit log. */
function denialOf(plugin: Plugin | undefined, { id, capability }: PluginUse): AppError {
  const state = plugin ? stateOf(plugin) : 'disabled'
  const reason = plugin && reasonOf(plugin)
  const message =
    plugin && isRunning(plugin)
      ? `the plugin ${id} lacks the capability ${capability}: memory plugins grant ${id} ${capability}`
      : `the plugin ${id} is ${state}${reason ? ` (${reason})` : ''}: memory plugins enable ${id}`
  const grantedCapabilities = plugin ? grantedTo(plugin) : []
  return new AppError('plugin_capability_denied', message, {
    pluginId: id,
    capability,
    state,
    grantedCapabilities,
  })
}

/** Limit of plugin folders. */
const maxPlugins = 50
const maxManifestBytes = 64 * 1024
/** Prefix of bundled plugins' ids. */
const ownPrefix = 'service.'

interface Manifests {
  /** Reads the workspace's plugins; a plugin with an invalid manifest lists its problems. */
  read(): Promise<DescribedPlugin[]>
}

/**
 * Reads the manifests `plugins/<id>/plugin.json` of a workspace: data only, no code is run (plugins.md 2).
 */
function createManifests(folder: string, log: Logger): Manifests {
  const warned = new Set<string>()
  const warnOnce = (name: string, why: string): void => {
    if (warned.size < maxPlugins && !warned.has(name)) log.warn({ folder: join(folder, name) }, why)
    warned.add(name)
  }
  return {
    read: async () => {
      const found = await readdir(folder, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return []
        throw error
      })
      const folders = found.filter(one => one.isDirectory()).map(({ name }) => name)
      const named = folders.filter(name => {
        const isId = pluginId.safeParse(name).success && !name.startsWith(ownPrefix)
        if (!isId) warnOnce(name, 'plugin folder skipped: its name is not a valid plugin id')
        return isId
      })
      const [read, others] = [named.toSorted().slice(0, maxPlugins), named.length - maxPlugins]
      if (others > 0) warnOnce('', `${others} plugin folders skipped: at most ${maxPlugins} are read`)
      return Promise.all(read.map(id => describe(folder, id)))
    },
  }
}

async function describe(folder: string, id: string): Promise<DescribedPlugin> {
  const text = await readContextFile(folder, join(id, 'plugin.json'), maxManifestBytes + 1)
  const faulty = (...problems: string[]): DescribedPlugin => ({
    id,
    bundled: false,
    manifest: undefined,
    problems,
  })
  if (text === '') return faulty('plugin.json is missing or unreadable')
  if (Buffer.byteLength(text) > maxManifestBytes)
    return faulty(`plugin.json has more than ${maxManifestBytes} bytes`)
  const json = parsed(text)
  if (json instanceof Error) return faulty(`plugin.json is not JSON: ${json.message}`)
  const { data, error } = pluginManifest.safeParse(json, { error: faultWords })
  if (!data)
    return faulty(
      ...error.issues
        .slice(0, 20)
        .map(({ path, message }) => `plugin.json: ${path.length > 0 ? `${path.join('.')}: ` : ''}${message}`),
    )
  if (data.id !== id) return faulty(`plugin.json has the id ${data.id}, but its folder is ${id}`)
  return { id, bundled: false, manifest: data, problems: [] }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    return error
  }
}

/** The plugins of this daemon: permissions, prompt contributions and audit log (docs/plugins.md). */
export interface Plugins {
  /** Sorted by id. */
  list(): readonly Plugin[]
  find(id: string): Plugin | undefined
  /** Finds new and removed plugins. Never throws: failures are logged. */
  refresh(): Promise<void>
  /**
   * Changes a plugin; the change is on disk when this resolves.
   * @throws AppError `validation_failed` for an invalid grant, `conflict` for enabling a blocked plugin, and
   * node's error on a full disk; nothing is changed then
   */
  change(plugin: Plugin, change: PluginChange, cause: ChangeCause): Promise<Plugin>
  /** True when a plugin is running and has the capability. */
  allows(use: PluginUse): boolean
  /** @throws AppError `plugin_capability_denied`, recorded in the audit log */
  assertAllowed(use: PluginUse, asking: DeniedRequest): void
  /** Contributions that sessions get, and omitted ones with reasons. */
  promptContributions(): PromptPlan
  /** Contributions for a session that starts now. Never rejects. */
  sessionContributions(): Promise<PromptContribution[]>
  /** Checks the health of running plugins: a broken one is degraded until it recovers. Never rejects. */
  checkHealth(): Promise<void>
  /** Queues an event for the audit log, redacted; never throws. */
  audit(happened: PluginEvent): void
  /** Newest first. */
  readAudit(filter: AuditFilter): Promise<AuditEvent[]>
  close(): Promise<void>
}

export interface PluginsOptions extends PluginFacts {
  paths: Pick<WorkspacePaths, 'plugins' | 'pluginRegistry' | 'pluginAudit'>
  version: string
  clock: () => Date
  newId: () => string
  log: Logger
}

/** Reads the decisions about plugins; the first `refresh` writes what is new. */
export function createPlugins(options: PluginsOptions): Plugins {
  const { paths, version, clock, newId, log } = options
  const audit = createAuditLog({ file: paths.pluginAudit, clock, newId, log })
  const denials = createDenials(clock)
  const bundled = bundledPlugins(version)
  const verdicts = createVerdicts(bundled)
  const tell = (happened: PluginEvent): void => {
    audit.append(happened)
    const { pluginId: plugin, event, result } = happened
    log.info({ plugin, event, result }, logLineOf(happened))
  }
  const registry = createRegistry({
    file: paths.pluginRegistry,
    bundled,
    verdictOf: verdicts.of,
    clock,
    log,
    tell,
  })
  const allows = ({ id, capability }: PluginUse): boolean => {
    const plugin = registry.find(id)
    return plugin !== undefined && mayUse(plugin, capability)
  }
  const refresh = createRefresh(options, verdicts, found => registry.describe([...bundled, ...found]))
  return {
    list: registry.list,
    find: registry.find,
    refresh,
    change: async (plugin, change, cause) => {
      const changed = registry.change(plugin, change, cause)
      await audit.written()
      return changed
    },
    allows,
    assertAllowed: (use, asking) => {
      if (allows(use)) return
      const denied = denialOf(registry.find(use.id), use)
      const happened = denials.note(use, asking, denied.message)
      if (happened) tell(happened)
      throw denied
    },
    promptContributions: registry.prompt,
    sessionContributions: () => withMetConditions(registry.prompt().contributions, options),
    checkHealth: async () => {
      for (const { id } of registry.list().filter(isRunning))
        registry.setHealth(id, await healthOf(id, options))
    },
    audit: tell,
    readAudit: audit.read,
    close: async () => {
      for (const happened of denials.rest()) audit.append(happened)
      await audit.written()
    },
  }
}

/**
 * Returns a line such as `plugin service.secrets enabled by ann`. Uses of a plugin are logged without the
 * caller, whose name may be any text of a request.
 */
function logLineOf({ event, pluginId, result, data }: PluginEvent): string {
  const what = event.replace(/^plugin\./u, '').replaceAll(/[._]/gu, ' ')
  const by = event.startsWith('plugin.') && typeof data?.actor === 'string' ? ` by ${data.actor}` : ''
  return `plugin ${pluginId} ${what}${by}${result === 'ok' ? '' : ` (${result})`}`
}

/** Runs one refresh at a time, because a refresh drops verdicts that it does not need. */
function createRefresh(
  { paths, log }: Pick<PluginsOptions, 'paths' | 'log'>,
  verdicts: ReturnType<typeof createVerdicts>,
  use: (found: readonly DescribedPlugin[]) => void,
): () => Promise<void> {
  const manifests = createManifests(paths.plugins, log)
  const inTurn = oneAtATime()
  return () =>
    inTurn(async () => {
      try {
        const found = await manifests.read()
        await verdicts.judge(found)
        use(found)
      } catch (error) {
        log.warn({ err: error }, 'plugin folders not read')
      }
    })
}

/** Facts about plugins that the registry can't determine itself. */
interface PluginFacts {
  /** Checks whether a contribution's condition is met now. */
  isMet: (condition: PromptCondition) => Promise<boolean>
  /** Health checks by plugin id; they return the problem. */
  checks: Readonly<Record<string, () => Promise<string | undefined>>>
  log: Logger
}

/** A session waits at most this long for a condition. */
const conditionWaitMs = 200

/** A plugin's problem; undefined when it is healthy or has no check. Never rejects. */
async function healthOf(
  id: string,
  { checks, log }: Pick<PluginFacts, 'checks' | 'log'>,
): Promise<string | undefined> {
  try {
    return await checks[id]?.()
  } catch (error) {
    log.warn({ err: error, plugin: id }, 'plugin health check failed')
    return 'its health check failed; see memory daemon logs'
  }
}

/**
 * Contributions whose conditions are met. A condition that can't be checked counts as unmet, so that the
 * session still starts.
 */
async function withMetConditions(
  contributions: readonly PromptContribution[],
  { isMet, log }: Pick<PluginFacts, 'isMet' | 'log'>,
): Promise<PromptContribution[]> {
  const due = await Promise.all(
    contributions.map(async ({ when }) => {
      if (when === undefined) return true
      try {
        return await within(isMet(when), conditionWaitMs, () => new Error('no answer in time'))
      } catch (error) {
        log.warn({ err: error, condition: when }, 'prompt contribution omitted')
        return false
      }
    }),
  )
  return contributions.filter((_, position) => due[position])
}
