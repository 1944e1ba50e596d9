import { type Settings, settings } from '../../../contract/settings.js'

/**
 * Returns fresh default settings. The build replaces this with plain values (`scripts/bundle-on-demand.js`),
 * which saves building some hundred schemas at every start.
 */
export function defaultSettings(): Settings {
  return settings.parse({})
}
