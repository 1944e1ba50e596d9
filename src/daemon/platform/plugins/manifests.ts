import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Logger } from 'pino'
import { pluginId, pluginManifest } from '../../../contract/platform/plugins.js'
import { faultWords } from '../../../lib/text/fault-words.js'
import { readContextFile } from '../../../store/files/context-file.js'
import type { Described } from './plugin.js'

/** Folders that are looked at. */
const maxPlugins = 50
const maxManifestBytes = 64 * 1024
/** Ids that begin like this come with the daemon. */
const ownPrefix = 'service.'

export interface Manifests {
  /** What the plugins in the workspace say of themselves; one that can't be understood has its problems listed. */
  read(): Promise<Described[]>
}

/** Manifests `plugins/<id>/plugin.json` of a workspace: data that is read, and no code that is run (plugins.md 2). */
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
        if (!isId) warnOnce(name, 'a folder of plugins is left out: it is not named as the id of a plugin is')
        return isId
      })
      const [read, others] = [named.toSorted().slice(0, maxPlugins), named.length - maxPlugins]
      if (others > 0) warnOnce('', `${others} folders of plugins are left out: ${maxPlugins} are read`)
      return Promise.all(read.map(id => describe(folder, id)))
    },
  }
}

async function describe(folder: string, id: string): Promise<Described> {
  const text = await readContextFile(folder, join(id, 'plugin.json'), maxManifestBytes + 1)
  const faulty = (...problems: string[]): Described => ({ id, bundled: false, manifest: undefined, problems })
  if (text === '') return faulty('there is no plugin.json that can be read')
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
  if (data.id !== id) return faulty(`plugin.json names the id ${data.id}, its folder is ${id}`)
  return { id, bundled: false, manifest: data, problems: [] }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    return error
  }
}
