import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Logger } from 'pino'
import { pluginId, pluginManifest } from '../../../contract/platform/plugins.js'
import { faultWords } from '../../../lib/text/fault-words.js'
import { readContextFile } from '../../../store/files/context-file.js'
import type { DescribedPlugin } from './plugin.js'

/** Limit of plugin folders. */
const maxPlugins = 50
const maxManifestBytes = 64 * 1024
/** Prefix of bundled plugins' ids. */
const ownPrefix = 'service.'

export interface Manifests {
  /** Reads the workspace's plugins; a plugin with an invalid manifest lists its problems. */
  read(): Promise<DescribedPlugin[]>
}

/**
 * Reads the manifests `plugins/<id>/plugin.json` of a workspace: data only, no code is run (plugins.md 2).
 */
export function createManifests(folder: string, log: Logger): Manifests {
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
