import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { harnessHome } from '../../../../lib/workspace/harness-files.js'
import { ownFileEdit, serverEdit } from '../entries/connection-edits.js'
import type { Harness, Install } from '../entries/harness.js'
import { readJson } from '../entries/json-text.js'
import type { Machine } from '../entries/machine.js'
import { pluginMark } from '../entries/own-entries.js'

/** OpenCode, or a program that took over its plugins and settings. */
interface OpenCodeKind {
  name: 'opencode' | 'kilo'
  title: string
  aliases: readonly string[]
  /** Folder of a project's plugins. */
  projectFolder: string
  schema?: string
  hints: (folder: string) => string[]
}

export const opencode = openCodeKind({
  name: 'opencode',
  title: 'OpenCode',
  aliases: [],
  projectFolder: '.opencode',
  schema: 'https://opencode.ai/config.json',
  hints: folder =>
    existsSync(join(folder, 'node_modules'))
      ? []
      : [`its first start takes longer: OpenCode downloads @opencode-ai/plugin (63 MB) into ${folder}`],
})

export const kilo = openCodeKind({
  name: 'kilo',
  title: 'Kilo Code',
  aliases: ['kilo-code', 'kilocode'],
  projectFolder: '.kilo',
  hints: () => [],
})

function openCodeKind({ name, title, aliases, projectFolder, schema, hints }: OpenCodeKind): Harness {
  const home = (machine: Machine) => harnessHome(name, machine)
  /** Folder that it searches for plugins; OpenCode installs its own package there in any case. */
  const settingsFolder = (machine: Machine, scope: Install['scope']) =>
    scope === 'user' ? home(machine) : join(machine.folder, projectFolder)
  return {
    name,
    title,
    aliases,
    binaries: [name],
    isGraphical: false,
    transports: ['command'],
    plugin: 'opencode.js',
    home,
    edits(machine, install) {
      const plugin = ownFileEdit({
        kind: 'plugin',
        file: join(settingsFolder(machine, install.scope), 'plugins', 'memory-service.js'),
        content: install.pluginText,
        isOwn: text => text.startsWith(pluginMark(title)),
      })
      const server = serverEdit({
        file: configFile(install.scope === 'user' ? home(machine) : machine.folder, name),
        section: sectionOf,
        value: { type: 'local', command: install.mcpWords, enabled: true },
        install,
        ...(schema && { top: { $schema: schema } }),
      })
      return [plugin, server]
    },
    hints: (machine, scope) => [
      `restart ${title} to activate memory`,
      ...hints(settingsFolder(machine, scope)),
    ],
  }
}

function configFile(folder: string, name: string): string {
  const commented = join(folder, `${name}.jsonc`)
  return existsSync(commented) ? commented : join(folder, `${name}.json`)
}

/** Servers are entries of `mcp`, or of `mcp.servers` if the file already uses that. */
function sectionOf(text: string): string[] {
  const { mcp } = readJson(text) as { mcp?: { servers?: { type?: unknown } } }
  const isNested = typeof mcp?.servers === 'object' && mcp.servers !== null && mcp.servers.type === undefined
  return isNested ? ['mcp', 'servers'] : ['mcp']
}
