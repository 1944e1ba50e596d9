import { type Settings, settings } from '../../../contract/settings.js'

/**
 * What is in force without agent.yaml, anew each time. In its place the build puts the values
 * (`scripts/bundle-on-demand.js`), which else take some hundred schemas at every start.
 */
export function defaultSettings(): Settings {
  return settings.parse({})
}
