import { copyFileSync, readFileSync } from 'node:fs'
import { LowSync, type SyncAdapter } from 'lowdb'
import { type PluginRegistryFile, pluginRegistryFile } from '../../contract/platform/plugins.js'
import { renamePatientlySync } from '../../lib/files/patient-rename.js'
import { replaceFile } from '../../lib/files/replace-file.js'
import { storageFault } from '../../lib/files/storage-fault.js'

/** The result of reading the registry file. */
export type RegistryReadResult =
  | { kind: 'read'; registry: PluginRegistryFile }
  | { kind: 'missing' }
  | { kind: 'broken'; problem: string }

/** Reads the registry of plugins; never throws. */
export function readPluginRegistry(file: string): RegistryReadResult {
  try {
    const held = open(file)
    held.read()
    if (held.data === null) return { kind: 'missing' }
    return { kind: 'read', registry: pluginRegistryFile.parse(held.data) }
  } catch (error) {
    return { kind: 'broken', problem: (error as Error).message }
  }
}

/**
 * Copies a broken registry aside for inspection before another is written; a copy, so that a kill in between
 * loses nothing. An unreadable file is renamed instead.
 * @throws node's error, in which case the file must not be overwritten.
 */
export function keepBrokenRegistry(file: string, aside: string): void {
  try {
    copyFileSync(file, aside)
  } catch (error) {
    if (storageFault(error)) throw error
    renamePatientlySync(file, aside)
  }
}

/** Writes the registry atomically and to disk. @throws node's error. */
export function writePluginRegistry(file: string, registry: PluginRegistryFile): void {
  const held = open(file)
  held.data = registry
  held.write()
}

function open(file: string): LowSync<PluginRegistryFile | null> {
  return new LowSync(syncedJson(file), null)
}

/** lowdb's own adapter does not sync to disk. */
function syncedJson(file: string): SyncAdapter<PluginRegistryFile | null> {
  return {
    read: () => {
      try {
        return JSON.parse(readFileSync(file, 'utf8')) as PluginRegistryFile
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
        throw error
      }
    },
    write: registry => replaceFile(file, `${JSON.stringify(registry, null, 2)}\n`, 0o600),
  }
}
