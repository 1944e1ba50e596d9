import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { isRecord } from '../../../lib/text/json-of.js'
import { harnessHome } from '../../../lib/workspace/harness-files.js'
import type { HarnessName, ReadFile } from './entries/harness.js'
import { valueIn } from './entries/json-text.js'
import type { Machine } from './entries/machine.js'
import { MergeFault } from './entries/merge-fault.js'
import { readToml } from './entries/toml-tables.js'

/** Our plug-in in an agent, which brings the same hooks and MCP server as `memory connect`. */
export interface InstalledPlugin {
  /** As the agent names it. */
  id: string
  /** The agent's command that removes it. */
  remove: string
}

/** The name of our plug-in in every marketplace. */
const pluginName = 'memory-service'

/** Looks for the enabled plug-in in the user's files of each agent that has plug-ins. */
const finders: Partial<Record<HarnessName, (home: string, read: ReadFile) => string | undefined>> = {
  'claude-code': (home, read) => enabledIn(valueIn(read(join(home, 'settings.json')), ['enabledPlugins'])),
  codex: (home, read) => enabledIn(tomlPlugins(read(join(home, 'config.toml')))),
  copilot: (home, read) => enabledIn(valueIn(read(join(home, 'settings.json')), ['enabledPlugins'])),
  antigravity: home => (existsSync(join(home, 'plugins', pluginName)) ? pluginName : undefined),
}

const removals: Partial<Record<HarnessName, string>> = {
  'claude-code': 'claude plugin uninstall',
  codex: 'codex plugin remove',
  copilot: 'copilot plugin uninstall',
  antigravity: 'agy plugin uninstall',
}

/** Returns our plug-in in an agent, if it is installed and enabled for the user. */
export function installedPlugin(
  machine: Machine,
  name: HarnessName,
  read: ReadFile,
): InstalledPlugin | undefined {
  const find = finders[name]
  const id = find?.(harnessHome(name as Parameters<typeof harnessHome>[0], machine), read)
  return id === undefined ? undefined : { id, remove: `${removals[name]} ${id}` }
}

/** Returns the id of our plug-in among enabled ones; Codex notes a table for each, the others a boolean. */
function enabledIn(plugins: unknown): string | undefined {
  const [found] = Object.entries(plugins ?? {}).find(
    ([id, state]) =>
      id.startsWith(`${pluginName}@`) && (state === true || (isRecord(state) && state.enabled !== false)),
  ) ?? [undefined]
  return found
}

/** The edit of the file reports that it does not parse. */
function tomlPlugins(text: string): unknown {
  try {
    return readToml(text).plugins
  } catch (error) {
    if (error instanceof MergeFault) return undefined
    throw error
  }
}
