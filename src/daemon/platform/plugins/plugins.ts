import type { Logger } from 'pino'
import { AppError } from '../../../contract/ground/errors.js'
import type { BundledPlugin, PluginUse } from '../../../contract/ground/plugin-capabilities.js'
import type { AuditEvent } from '../../../contract/platform/plugins.js'
import type { WorkspacePaths } from '../../../lib/paths.js'
import { type AuditFilter, createAuditLog, type Happened } from './audit-log.js'
import { bundledPlugins } from './bundled.js'
import { createVerdicts, type PromptPlan } from './contributions.js'
import type { Change } from './decisions.js'
import { type Asking, createDenials } from './denials.js'
import { grantedTo, isRunning, mayUse, type Plugin, reasonOf, stateOf } from './plugin.js'
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
  /** A plugin that finds itself broken is degraded until it says that it is well again (undefined). */
  reportHealth(id: BundledPlugin, problem: string | undefined): void
  /** Writes an event to the audit log: redacted, soon; never throws. */
  audit(happened: Happened): void
  /** Newest first. */
  readAudit(filter: AuditFilter): Promise<AuditEvent[]>
  close(): Promise<void>
}

export interface PluginsOptions {
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
  const verdicts = createVerdicts()
  const tell = (happened: Happened): void => {
    audit.append(happened)
    log.info({ plugin: happened.pluginId, event: happened.event, result: happened.result }, 'plugin event')
  }
  const registry = createRegistry({
    file: paths.pluginRegistry,
    bundled: bundledPlugins(version),
    verdictOf: verdicts.of,
    clock,
    log,
    tell,
  })
  const allows = ({ id, capability }: PluginUse): boolean => {
    const plugin = registry.find(id)
    return plugin !== undefined && mayUse(plugin, capability)
  }
  return {
    list: registry.list,
    find: registry.find,
    refresh: async () => {
      try {
        const described = bundledPlugins(version)
        await verdicts.judge(
          described.flatMap(({ manifest }) => manifest.promptContributions.map(({ content }) => content)),
        )
        registry.describe(described)
      } catch (error) {
        log.warn({ err: error }, 'plugins not looked for')
      }
    },
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
    reportHealth: registry.reportHealth,
    audit: tell,
    readAudit: audit.read,
    close: async () => {
      for (const happened of denials.rest()) audit.append(happened)
      await audit.written()
    },
  }
}

/** Says what is missing and who can mend it; the same for a caller and for the audit log. */
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
