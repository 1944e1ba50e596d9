import { basename } from 'node:path'
import type { Logger } from 'pino'
import {
  keepBrokenRegistry,
  readPluginRegistry,
  writePluginRegistry,
} from '../../../store/files/plugin-registry-file.js'
import type { PluginEvent } from './audit-log.js'
import { type PromptPlan, planPrompt, type VerdictOf } from './contributions.js'
import {
  addNewEntries,
  applyChange,
  entriesAfterLoss,
  type PluginChange,
  type RegistryEntries,
} from './decisions.js'
import type { BundledPluginInfo, DescribedPlugin, Plugin } from './plugin.js'
import {
  auditedState,
  type ChangeCause,
  changesSince,
  discoveredEvent,
  grantEvents,
  healthFailedEvent,
  removedEvents,
} from './plugin-events.js'

export interface RegistryOptions {
  file: string
  bundled: readonly BundledPluginInfo[]
  verdictOf: VerdictOf
  clock: () => Date
  log: Logger
  /** Receives events for the audit log. */
  tell: (happened: PluginEvent) => void
}

export interface Registry {
  /** Sorted by id. */
  list(): readonly Plugin[]
  find(id: string): Plugin | undefined
  prompt(): PromptPlan
  /** Takes the current manifests; missing plugins are dropped. */
  describe(described: readonly DescribedPlugin[]): void
  /** @throws AppError, or node's error of a write; nothing is changed then */
  change(plugin: Plugin, change: PluginChange, cause: ChangeCause): Plugin
  /** @param problem undefined for a healthy plugin */
  setHealth(id: string, problem: string | undefined): void
}

interface RegistryParts {
  described: readonly DescribedPlugin[]
  entries: RegistryEntries
  unhealthy: ReadonlyMap<string, string>
}

/** The parts with everything derived from them. */
interface DerivedRegistry extends RegistryParts {
  plugins: readonly Plugin[]
  plan: PromptPlan
}

const byDaemon: ChangeCause = { source: 'daemon' }

/** The known plugins and the decisions about them (plugins.md 3). */
export function createRegistry(options: RegistryOptions): Registry {
  const { bundled, verdictOf, clock, log } = options
  const record = openRegistryRecord(options)
  const now = (): string => clock().toISOString()
  const entries = addNewEntries(record.entries, bundled, now())
  const state: RegistryState = {
    inForce: derive({ described: bundled, entries, unhealthy: new Map() }, verdictOf),
    known: new Set(Object.keys(record.entries)),
  }
  const find = (id: string): Plugin | undefined => state.inForce.plugins.find(plugin => plugin.id === id)
  const settle = (
    parts: RegistryParts,
    cause: ChangeCause,
    write: (entries: RegistryEntries) => void,
    changes: readonly PluginEvent[] = [],
  ): void => {
    const next = derive(parts, verdictOf)
    const entries = Object.fromEntries(
      next.plugins.map(plugin => [plugin.id, { ...plugin.entry, told: auditedState(plugin, next.plan) }]),
    )
    write(entries)
    const happened = [...changes, ...changesBetween(state, next, cause)]
    state.known = new Set(Object.keys(entries))
    state.inForce = derive({ ...parts, entries }, verdictOf)
    for (const one of happened) options.tell(one)
  }
  const writeIfPossible = (entries: RegistryEntries): void => {
    try {
      record.write(entries)
    } catch (error) {
      log.warn({ err: error }, 'plugin registry not written; retried at the next refresh')
    }
  }
  return {
    list: () => state.inForce.plugins,
    find,
    prompt: () => state.inForce.plan,
    describe: described => {
      const entries = addNewEntries(state.inForce.entries, described, now())
      settle({ ...state.inForce, described, entries }, byDaemon, writeIfPossible)
    },
    change: (plugin, change, cause) => {
      const entry = applyChange(plugin, change, now())
      const entries = { ...state.inForce.entries, [plugin.id]: entry }
      const changes = grantEvents(plugin, entry, cause)
      settle({ ...state.inForce, entries }, cause, record.write, changes)
      return find(plugin.id) as Plugin
    },
    setHealth: (id, problem) => {
      const { unhealthy } = state.inForce
      if (unhealthy.get(id) === problem) return
      if (problem !== undefined) options.tell(healthFailedEvent(id, problem))
      settle({ ...state.inForce, unhealthy: withHealth(unhealthy, id, problem) }, byDaemon, writeIfPossible)
    },
  }
}

interface RegistryState {
  inForce: DerivedRegistry
  /** Plugins already reported to the audit log. */
  known: ReadonlySet<string>
}

function changesBetween(
  { inForce, known }: RegistryState,
  { plugins, plan }: DerivedRegistry,
  cause: ChangeCause,
): PluginEvent[] {
  const missing = [...known].filter(id => !plugins.some(plugin => plugin.id === id))
  return [
    ...missing.flatMap(id => removedEvents(id, inForce.entries[id], cause)),
    ...plugins.flatMap(plugin => [
      ...(known.has(plugin.id) ? [] : [discoveredEvent(plugin, cause)]),
      ...changesSince(plugin, plan, cause),
    ]),
  ]
}

function withHealth(
  unhealthy: ReadonlyMap<string, string>,
  id: string,
  problem: string | undefined,
): ReadonlyMap<string, string> {
  const others = [...unhealthy].filter(([other]) => other !== id)
  return new Map(problem === undefined ? others : [...others, [id, problem]])
}

function derive(parts: RegistryParts, verdictOf: VerdictOf): DerivedRegistry {
  const { described, entries, unhealthy } = parts
  const plugins = described
    .flatMap(one => {
      const entry = entries[one.id]
      return entry ? [{ ...one, entry, unhealthy: unhealthy.get(one.id) }] : []
    })
    .toSorted((a, b) => (a.id < b.id ? -1 : 1))
  const plan = planPrompt(plugins, verdictOf)
  return { ...parts, plugins: plugins.map(plugin => withFaults(plugin, plan)), plan }
}

/** A plugin whose contribution can't be used does not work as declared, so it is degraded. */
function withFaults(plugin: Plugin, { leftOut }: PromptPlan): Plugin {
  const faults = leftOut.filter(({ pluginId, isFault }) => isFault && pluginId === plugin.id)
  if (plugin.unhealthy !== undefined || faults.length === 0) return plugin
  const sentences = faults.map(({ id, reason }) => `its contribution ${id} is omitted: ${reason}`)
  return { ...plugin, unhealthy: sentences.join('; ') }
}

/** The stored decisions about plugins. */
interface RegistryRecord {
  /** As read at the start. */
  entries: RegistryEntries
  /** Writes the entries if they differ from the file. @throws node's error; the file is then unchanged */
  write(entries: RegistryEntries): void
}

interface RegistryRecordOptions {
  file: string
  bundled: readonly BundledPluginInfo[]
  clock: () => Date
  log: Logger
}

/**
 * Reads the registry. After damage every plugin stays disabled until an administrator decides: damage must
 * not re-enable one that was disabled.
 */
function openRegistryRecord({ file, bundled, clock, log }: RegistryRecordOptions): RegistryRecord {
  const stored = readPluginRegistry(file)
  const now = clock().toISOString()
  const aside = stored.kind === 'broken' ? `${file}.broken-${now.replace(/\W/gu, '')}` : undefined
  const entries = stored.kind === 'read' ? stored.registry.plugins : {}
  const state = { held: stored.kind === 'read' ? textOf(entries) : undefined, aside }
  if (stored.kind === 'broken')
    log.error(
      { problem: stored.problem, aside },
      'plugin registry damaged and set aside; every plugin is disabled until an administrator enables it',
    )
  return {
    entries: aside === undefined ? entries : entriesAfterLoss(bundled, basename(aside), now),
    write: next => {
      const text = textOf(next)
      if (text === state.held) return
      if (state.aside !== undefined) keepBrokenRegistry(file, state.aside)
      state.aside = undefined
      writePluginRegistry(file, { version: 1, plugins: next })
      state.held = text
    },
  }
}

/** Equal entries give equal text. */
function textOf(entries: RegistryEntries): string {
  return JSON.stringify(Object.entries(entries).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}
