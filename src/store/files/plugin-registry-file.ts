import { copyFileSync, readFileSync, renameSync } from 'node:fs'
import { LowSync, type SyncAdapter } from 'lowdb'
import { type PluginRegistryFile, pluginRegistryFile } from '../../contract/platform/plugins.js'
import { replaceFile } from '../../lib/files/replace-file.js'
import { storageFault } from '../../lib/files/storage-fault.js'

/** What the file of the registry holds. */
export type StoredRegistry =
  | { kind: 'read'; registry: PluginRegistryFile }
  | { kind: 'missing' }
  | { kind: 'broken'; problem: string }

/** Reads the registry of plugins; never throws. */
export function readPluginRegistry(file: string): StoredRegistry {
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
 * Keeps a registry that can't be understood for a person to look at, before another is written. It is copied, so that
 * a kill in between leaves it where it was; one that can't be read is renamed.
 * @throws node's error: then nothing may be written over it.
 */
export function keepBrokenRegistry(file: string, aside: string): void {
  try {
    copyFileSync(file, aside)
  } catch (error) {
    if (storageFault(error)) throw error
    renameSync(file, aside)
  }
}

/** Readers meet the old registry or the new one; it is on the disk when this returns. @throws node's error. */
export function writePluginRegistry(file: string, registry: PluginRegistryFile): void {
  const held = open(file)
  held.data = registry
  held.write()
}

function open(file: string): LowSync<PluginRegistryFile | null> {
  return new LowSync(syncedJson(file), null)
}

/** lowdb's own adapter does not wait for the disk. */
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
