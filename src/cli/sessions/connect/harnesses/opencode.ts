import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { harnessHome } from '../../../../lib/workspace/harness-files.js'
import { serverEdit } from '../entries/connection-edits.js'
import type { ConnectionEdit, Harness, Install } from '../entries/harness.js'
import { readJson } from '../entries/json-text.js'
import type { Machine } from '../entries/machine.js'
import { MergeFault } from '../entries/merge-fault.js'

const name = 'opencode'

/** First line of our plugin, which identifies its file. */
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
    'restart OpenCode to activate memory',
    ...(existsSync(join(settingsFolder(machine, scope), 'node_modules'))
      ? []
      : [
          `its first start takes longer: OpenCode downloads @opencode-ai/plugin (63 MB) into ${settingsFolder(machine, scope)}`,
        ]),
  ],
}

/** Folder that OpenCode searches for plugins; it installs its own package there in any case. */
function settingsFolder(machine: Machine, scope: Install['scope']): string {
  return scope === 'user' ? opencode.home(machine) : join(machine.folder, '.opencode')
}

function configFile(folder: string): string {
  const commented = join(folder, 'opencode.jsonc')
  return existsSync(commented) ? commented : join(folder, 'opencode.json')
}

/** Servers are entries of `mcp`, or of `mcp.servers` if the file already uses that. */
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
      if (text.trim() !== '' && !isOwn(text)) throw new MergeFault(1, 'is a plugin of another program')
      return pluginText()
    },
    remove: text => (isOwn(text) ? undefined : text),
  }
}
