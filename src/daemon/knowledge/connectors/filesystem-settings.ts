import { isAbsolute, resolve } from 'node:path'
import { type FilesystemSettings, filesystemSettings } from '../../../contract/knowledge/connectors.js'
import { quoted } from '../../../lib/text/clip.js'
import { faultWords } from '../../../lib/text/fault-words.js'

/** Aborts a sync; its message becomes the connector's `last_error`. */
export class SyncFault extends Error {}

/**
 * Parses the registered settings of a connector and adds defaults.
 * @throws SyncFault naming the field
 */
export function settingsOf(configJson: string): FilesystemSettings {
  const parsed = filesystemSettings.safeParse(JSON.parse(configJson), { error: faultWords })
  if (!parsed.success) {
    const [{ path, message } = { path: [], message: 'invalid' }] = parsed.error.issues
    throw new SyncFault(`settings.${path.join('.')}: ${message}`)
  }
  const rootPath = rootOf(configJson)
  if (rootPath === undefined)
    throw new SyncFault(`settings.rootPath: ${quoted(parsed.data.rootPath)} is not an absolute path`)
  return { ...parsed.data, rootPath }
}

/** Returns the folder of a connector without a trailing separator; undefined if the settings name none. */
export function rootOf(configJson: string): string | undefined {
  const { rootPath } = JSON.parse(configJson) as { rootPath?: unknown }
  return typeof rootPath === 'string' && isAbsolute(rootPath) ? resolve(rootPath) : undefined
}
