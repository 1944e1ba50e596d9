import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { harnessHome } from '../../../../lib/workspace/harness-files.js'
import { serverEdit } from '../entries/connection-edits.js'
import type { ConnectionEdit, Harness, Install } from '../entries/harness.js'
import { readJson } from '../entries/json-text.js'
import type { Machine } from '../entries/machine.js'
import { MergeFault } from '../entries/merge-fault.js'

const name = 'opencode'

/** The first line of our plugin, by which its file is known as ours. */
export const pluginMark = '// memory-service plugin for OpenCode'

export const opencode: Harness = {
  name,
  title: 'OpenCode',
  aliases: [],
  binaries: ['opencode'],
  isGraphical: false,
  transports: ['command'],
  home: machine => harnessHome(name, machine),
  edits(machine, install) {
    const isUser = install.scope === 'user'
    const plugins = join(settingsFolder(machine, install.scope), 'plugins')
    const server = serverEdit({
      file: configFile(isUser ? opencode.home(machine) : machine.folder),
      section: sectionOf,
      value: { type: 'local', command: install.mcpWords, enabled: true },
      install,
      top: { $schema: 'https://opencode.ai/config.json' },
    })
    return [pluginEdit(join(plugins, 'memory-service.js'), install), server]
  },
  hints: (machine, scope) => [
    'OpenCode loads the plugin at its next start',
    ...(existsSync(join(settingsFolder(machine, scope), 'node_modules'))
      ? []
      : [
          `with a plugin there, that start waits until OpenCode has fetched its own @opencode-ai/plugin (63 MB) into ${settingsFolder(machine, scope)}`,
        ]),
  ],
}

/** A folder that OpenCode looks for plugins in; it installs a package of its own there, whether it finds any or not. */
function settingsFolder(machine: Machine, scope: Install['scope']): string {
  return scope === 'user' ? opencode.home(machine) : join(machine.folder, '.opencode')
}

function configFile(folder: string): string {
  const commented = join(folder, 'opencode.jsonc')
  return existsSync(commented) ? commented : join(folder, 'opencode.json')
}

/** Servers stand below `mcp`; where a file has them below `mcp.servers` already, ours goes there too. */
function sectionOf(text: string): string[] {
  const { mcp } = readJson(text) as { mcp?: { servers?: { type?: unknown } } }
  const isNested = typeof mcp?.servers === 'object' && mcp.servers !== null && mcp.servers.type === undefined
  return isNested ? ['mcp', 'servers'] : ['mcp']
}

function pluginEdit(file: string, { pluginText }: Pick<Install, 'pluginText'>): ConnectionEdit {
  const isOwn = (text: string) => text.startsWith(pluginMark)
  return {
    kind: 'plugin',
    file,
    add: text => {
      if (text.trim() !== '' && !isOwn(text)) throw new MergeFault(1, 'is a plugin of somebody else')
      return pluginText()
    },
    remove: text => (isOwn(text) ? undefined : text),
  }
}
