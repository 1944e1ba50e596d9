import { basename } from 'node:path'
import type { Logger } from 'pino'
import {
  keepBrokenRegistry,
  readPluginRegistry,
  writePluginRegistry,
} from '../../../store/files/plugin-registry-file.js'
import type { Bundled } from './bundled.js'
import { type Entries, entriesAfterLoss } from './decisions.js'

/** What was decided on plugins, as the file has it. */
export interface RegistryRecord {
  /** As they were read. */
  entries: Entries
  /** Writes them where they differ from what the file holds. @throws node's error; the file is as it was. */
  write(entries: Entries): void
}

export interface RegistryRecordOptions {
  file: string
  bundled: readonly Bundled[]
  clock: () => Date
  log: Logger
}

/**
 * Reads the registry. Where its file can't be understood, no plugin is on until somebody decides again: one that was
 * switched off must not come back by damage.
 */
export function openRegistryRecord({ file, bundled, clock, log }: RegistryRecordOptions): RegistryRecord {
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
