import type { Logger } from 'pino'
import type { PluginUse } from '../../../contract/ground/plugin-capabilities.js'
import type { AuditEvent, PromptCondition } from '../../../contract/platform/plugins.js'
import { oneAtATime } from '../../../lib/concurrency/one-at-a-time.js'
import { within } from '../../../lib/concurrency/stop-waiting.js'
import type { WorkspacePaths } from '../../../lib/workspace/paths.js'
import { type AuditFilter, createAuditLog, type Happened } from './audit-log.js'
import { bundledPlugins } from './bundled.js'
import { createVerdicts, type PromptContribution, type PromptPlan } from './contributions.js'
import type { Change } from './decisions.js'
import { type Asking, createDenials, denialOf } from './denials.js'
import { createManifests } from './manifests.js'
import { type Described, isRunning, mayUse, type Plugin } from './plugin.js'
import { createRegistry } from './registry.js'
import type { Cause } from './told.js'

/** The plugins of this daemon: what they may do, what they add to prompts, and what happened to them (docs/plugins.md). */
export interface Plugins {
  /** By id. */
  list(): readonly Plugin[]
  find(id: string): Plugin | undefined
  /** Looks for plugins that came or went. Never throws: what can't be read or written is logged. */
  refresh(): Promise<void>
  /**
   * Decides on a plugin; it is on the disk when this resolves.
   * @throws AppError `validation_failed` for a grant that makes no sense, `conflict` for a blocked plugin that is to be
   *   enabled, and node's error of a full disk: nothing is changed then.
   */
  change(plugin: Plugin, change: Change, cause: Cause): Promise<Plugin>
  /** Whether a plugin is on and was granted what is asked for. */
  allows(use: PluginUse): boolean
  /** @throws AppError `plugin_capability_denied`, which is noted in the audit log. */
  assertAllowed(use: PluginUse, asking: Asking): void
  /** What sessions are told by plugins, and what they are not told and why. */
  promptContributions(): PromptPlan
  /** Those of them that a session that starts now is told. Never rejects. */
  sessionContributions(): Promise<PromptContribution[]>
  /** Asks the plugins that are on how they are: one that is broken is degraded until it is well again. Never rejects. */
  checkHealth(): Promise<void>
  /** Writes an event to the audit log: redacted, soon; never throws. */
  audit(happened: Happened): void
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

/** Reads what was decided on plugins; what is new is written by the first `refresh`. */
export function createPlugins(options: PluginsOptions): Plugins {
  const { paths, version, clock, newId, log } = options
  const audit = createAuditLog({ file: paths.pluginAudit, clock, newId, log })
  const denials = createDenials(clock)
  const bundled = bundledPlugins(version)
  const verdicts = createVerdicts(bundled)
  const tell = (happened: Happened): void => {
    audit.append(happened)
    log.info({ plugin: happened.pluginId, event: happened.event, result: happened.result }, 'plugin event')
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
  const refresh = lookingFor(options, verdicts, found => registry.describe([...bundled, ...found]))
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
    sessionContributions: () => dueNow(registry.prompt().contributions, options),
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

/** Looks at manifests and their texts, one look after the other: a look forgets verdicts that it does not need. */
function lookingFor(
  { paths, log }: Pick<PluginsOptions, 'paths' | 'log'>,
  verdicts: ReturnType<typeof createVerdicts>,
  use: (found: readonly Described[]) => void,
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
        log.warn({ err: error }, 'plugins not looked for')
      }
    })
}

/** What plugins depend on, and the registry can't know. */
interface PluginFacts {
  /** Whether a fact that a contribution waits for is the case now. */
  isMet: (condition: PromptCondition) => Promise<boolean>
  /** By id, for plugins that can tell: what is wrong with them. */
  checks: Readonly<Record<string, () => Promise<string | undefined>>>
  log: Logger
}

/** A session does not wait longer for a fact. */
const conditionWaitMs = 200

/** What is wrong with a plugin; undefined for one that is well, or can't find out. Never rejects. */
async function healthOf(
  id: string,
  { checks, log }: Pick<PluginFacts, 'checks' | 'log'>,
): Promise<string | undefined> {
  try {
    return await checks[id]?.()
  } catch (error) {
    log.warn({ err: error, plugin: id }, 'the health of a plugin is not known')
    return 'how it is could not be found out; memory daemon logs says why'
  }
}

/** The contributions whose conditions are met. A fact that can't be found out counts as none: a session starts all the same. */
async function dueNow(
  contributions: readonly PromptContribution[],
  { isMet, log }: Pick<PluginFacts, 'isMet' | 'log'>,
): Promise<PromptContribution[]> {
  const due = await Promise.all(
    contributions.map(async ({ when }) => {
      if (when === undefined) return true
      try {
        return await within(isMet(when), conditionWaitMs, () => new Error('no answer in time'))
      } catch (error) {
        log.warn({ err: error, condition: when }, 'a contribution to the prompt is left out')
        return false
      }
    }),
  )
  return contributions.filter((_, position) => due[position])
}
