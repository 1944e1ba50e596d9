import { basename } from 'node:path'
import type { Logger } from 'pino'
import {
  keepBrokenRegistry,
  readPluginRegistry,
  writePluginRegistry,
} from '../../../store/files/plugin-registry-file.js'
import type { Happened } from './audit-log.js'
import type { Bundled } from './bundled.js'
import { type PromptPlan, planPrompt, type VerdictOf } from './contributions.js'
import { type Change, decided, type Entries, entriesAfterLoss, withNew } from './decisions.js'
import type { Described, Plugin } from './plugin.js'
import { type Cause, changesSince, discovered, gone, grantsChanged, healthFailed, toldNow } from './told.js'

export interface RegistryOptions {
  file: string
  bundled: readonly Bundled[]
  verdictOf: VerdictOf
  clock: () => Date
  log: Logger
  /** Takes what there is to write to the audit log. */
  tell: (happened: Happened) => void
}

export interface Registry {
  /** By id. */
  list(): readonly Plugin[]
  find(id: string): Plugin | undefined
  prompt(): PromptPlan
  /** Takes what plugins say of themselves now; those that are missing are forgotten. */
  describe(described: readonly Described[]): void
  /** @throws AppError, or node's error of a write: nothing is changed then. */
  change(plugin: Plugin, change: Change, cause: Cause): Plugin
  /** @param problem undefined for a plugin that is well */
  setHealth(id: string, problem: string | undefined): void
}

interface Parts {
  described: readonly Described[]
  entries: Entries
  unhealthy: ReadonlyMap<string, string>
}

/** The parts, and what is derived of them. */
interface InForce extends Parts {
  plugins: readonly Plugin[]
  plan: PromptPlan
}

const byDaemon: Cause = { source: 'daemon' }

/** Which plugins there are and what was decided on them (plugins.md 3). */
export function createRegistry(options: RegistryOptions): Registry {
  const { bundled, verdictOf, clock, log } = options
  const record = openRegistryRecord(options)
  const now = (): string => clock().toISOString()
  const first = { described: bundled, entries: withNew(record.entries, bundled, now()), unhealthy: new Map() }
  const state: State = { inForce: derive(first, verdictOf), known: new Set(Object.keys(record.entries)) }
  const find = (id: string): Plugin | undefined => state.inForce.plugins.find(plugin => plugin.id === id)

  const settle = (
    parts: Parts,
    cause: Cause,
    write: (entries: Entries) => void,
    changes: readonly Happened[] = [],
  ): void => {
    const next = derive(parts, verdictOf)
    const entries = Object.fromEntries(
      next.plugins.map(plugin => [plugin.id, { ...plugin.entry, told: toldNow(plugin, next.plan) }]),
    )
    write(entries)
    const happened = [...changes, ...changesBetween(state, next, cause)]
    state.known = new Set(Object.keys(entries))
    state.inForce = derive({ ...parts, entries }, verdictOf)
    for (const one of happened) options.tell(one)
  }
  const writeIfPossible = (entries: Entries): void => {
    try {
      record.write(entries)
    } catch (error) {
      log.warn({ err: error }, 'the registry of plugins is not written; it is tried again at the next look')
    }
  }
  return {
    list: () => state.inForce.plugins,
    find,
    prompt: () => state.inForce.plan,
    describe: described => {
      const entries = withNew(state.inForce.entries, described, now())
      settle({ ...state.inForce, described, entries }, byDaemon, writeIfPossible)
    },
    change: (plugin, change, cause) => {
      const entry = decided(plugin, change, now())
      const entries = { ...state.inForce.entries, [plugin.id]: entry }
      const changes = grantsChanged(plugin, entry, cause)
      settle({ ...state.inForce, entries }, cause, record.write, changes)
      return find(plugin.id) as Plugin
    },
    setHealth: (id, problem) => {
      const { unhealthy } = state.inForce
      if (unhealthy.get(id) === problem) return
      if (problem !== undefined) options.tell(healthFailed(id, problem))
      settle({ ...state.inForce, unhealthy: withHealth(unhealthy, id, problem) }, byDaemon, writeIfPossible)
    },
  }
}

interface State {
  inForce: InForce
  /** Plugins that the audit log has heard of. */
  known: ReadonlySet<string>
}

function changesBetween({ inForce, known }: State, { plugins, plan }: InForce, cause: Cause): Happened[] {
  const missing = [...known].filter(id => !plugins.some(plugin => plugin.id === id))
  return [
    ...missing.flatMap(id => gone(id, inForce.entries[id], cause)),
    ...plugins.flatMap(plugin => [
      ...(known.has(plugin.id) ? [] : [discovered(plugin, cause)]),
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

function derive(parts: Parts, verdictOf: VerdictOf): InForce {
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

/** A plugin whose contribution can't be sent does not do what it says. */
function withFaults(plugin: Plugin, { leftOut }: PromptPlan): Plugin {
  const faults = leftOut.filter(({ pluginId, isFault }) => isFault && pluginId === plugin.id)
  if (plugin.unhealthy !== undefined || faults.length === 0) return plugin
  const sentences = faults.map(({ id, reason }) => `its contribution ${id} is left out: ${reason}`)
  return { ...plugin, unhealthy: sentences.join('; ') }
}

/** What was decided on plugins, as the file has it. */
interface RegistryRecord {
  /** As they were read. */
  entries: Entries
  /** Writes them where they differ from what the file holds. @throws node's error; the file is as it was. */
  write(entries: Entries): void
}

interface RegistryRecordOptions {
  file: string
  bundled: readonly Bundled[]
  clock: () => Date
  log: Logger
}

/**
 * Reads the registry. Where its file can't be understood, no plugin is on until somebody decides again: one that was
 * switched off must not come back by damage.
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
      'the registry of plugins is broken: it is set aside and no plugin is on until somebody enables it',
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

/** The same text for the same decisions. */
function textOf(entries: Entries): string {
  return JSON.stringify(Object.entries(entries).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}
