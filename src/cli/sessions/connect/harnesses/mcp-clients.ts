import { join } from 'node:path'
import { configFolder, folderFrom } from '../../../../lib/workspace/harness-files.js'
import { serverCommand } from '../entries/connection-edits.js'
import type { ClientName, Harness, Install } from '../entries/harness.js'
import type { Machine } from '../entries/machine.js'
import { type AgentRow, fromRow } from './from-row.js'

type ClientRow = AgentRow & { name: ClientName }

const below =
  (...path: readonly string[]) =>
  ({ home }: Machine) =>
    join(home, ...path)

/** A folder of a program that follows XDG everywhere but on Windows. */
const inConfig = (name: string, onWindows: string) => (machine: Machine) =>
  machine.platform === 'win32'
    ? join(configFolder(machine), onWindows)
    : join(folderFrom(machine, 'XDG_CONFIG_HOME', '.config'), name)

const mcpServers = ['mcpServers'] as const

/** Programs that get the MCP server alone. */
const rows: readonly ClientRow[] = [
  {
    name: 'claude-desktop',
    title: 'Claude Desktop',
    isGraphical: true,
    home: machine => join(configFolder(machine), 'Claude'),
    mcp: { user: ['claude_desktop_config.json'], section: mcpServers },
  },
  {
    name: 'zed',
    title: 'Zed',
    binaries: ['zed', 'zeditor'],
    isGraphical: true,
    home: inConfig('zed', 'Zed'),
    mcp: {
      user: ['settings.json'],
      project: '.zed/settings.json',
      section: ['context_servers'],
      after: { env: {} },
    },
  },
  {
    name: 'warp',
    title: 'Warp',
    binaries: ['warp-terminal', 'warp'],
    isGraphical: true,
    home: below('.warp'),
    mcp: { user: ['.mcp.json'], project: '.warp/.mcp.json', section: mcpServers },
  },
  {
    name: 'crush',
    title: 'Crush',
    binaries: ['crush'],
    home: inConfig('crush', 'crush'),
    mcp: { user: ['crush.json'], project: 'crush.json', section: ['mcp'], before: { type: 'stdio' } },
  },
  {
    name: 'goose',
    title: 'Goose',
    binaries: ['goose'],
    home: inConfig('goose', 'Block/goose/config'),
    mcp: {
      user: ['config.yaml'],
      section: ['extensions'],
      format: 'yaml',
      entry: ({ mcpWords: [cmd, ...args] }) => ({
        name: 'memory',
        type: 'stdio',
        cmd,
        args,
        enabled: true,
        timeout: 300,
      }),
    },
  },
  {
    name: 'amp',
    title: 'Amp',
    binaries: ['amp'],
    home: ({ home }) => join(home, '.config', 'amp'),
    mcp: {
      user: ['settings.json', 'settings.jsonc'],
      project: '.amp/settings.json',
      section: ['amp.mcpServers'],
    },
  },
  {
    name: 'auggie',
    title: 'Auggie',
    aliases: ['augment'],
    binaries: ['auggie'],
    home: below('.augment'),
    mcp: { user: ['settings.json'], project: '.augment/settings.json', section: mcpServers },
  },
  {
    name: 'windsurf',
    title: 'Windsurf',
    binaries: ['windsurf'],
    isGraphical: true,
    home: below('.codeium', 'windsurf'),
    mcp: { user: ['mcp_config.json'], section: mcpServers },
  },
  {
    name: 'trae',
    title: 'Trae',
    binaries: ['trae'],
    isGraphical: true,
    home: machine => join(configFolder(machine), 'Trae', 'User'),
    mcp: { user: ['mcp.json'], project: '.trae/mcp.json', section: mcpServers },
  },
  {
    name: 'lm-studio',
    title: 'LM Studio',
    aliases: ['lmstudio'],
    binaries: ['lms'],
    isGraphical: true,
    home: below('.lmstudio'),
    mcp: { user: ['mcp.json'], section: mcpServers },
  },
  {
    name: 'openhands',
    title: 'OpenHands',
    binaries: ['openhands'],
    home: below('.openhands'),
    mcp: { user: ['mcp.json'], section: mcpServers },
  },
  {
    name: 'rovodev',
    title: 'Rovo Dev',
    binaries: ['rovodev'],
    home: below('.rovodev'),
    mcp: { user: ['mcp.json'], section: mcpServers },
  },
  {
    name: 'deepagents',
    title: 'Deep Agents',
    binaries: ['deepagents', 'dcode'],
    home: below('.deepagents'),
    mcp: { user: ['.mcp.json'], project: '.deepagents/.mcp.json', section: mcpServers },
  },
]

/** Programs without a file that we could edit, and the place in their settings. */
const printed: readonly { name: ClientName; title: string; aliases: readonly string[]; place: string }[] = [
  {
    name: 'chatgpt',
    title: 'ChatGPT',
    aliases: [],
    place:
      'In the desktop app add it in Settings > MCP servers. ChatGPT on the web reaches only servers with a public HTTPS address',
  },
  {
    name: 'jetbrains-ai',
    title: 'JetBrains AI Assistant',
    aliases: ['jetbrains'],
    place: 'Add it in Settings > Tools > AI Assistant > Model Context Protocol',
  },
  {
    name: 'letta',
    title: 'Letta Code',
    aliases: ['letta-code'],
    place: 'Type /mcp in Letta Code and add it there',
  },
]

/** Returns a client whose entry is printed, for a person to enter. */
function printedClient({ name, title, aliases, place }: (typeof printed)[number]): Harness {
  return {
    name,
    title,
    aliases,
    binaries: [],
    isGraphical: true,
    transports: ['command'],
    home: () => '',
    edits: () => [],
    hints: () => [],
    printed: install => `${place}:\n${entryText(install)}`,
  }
}

function entryText(install: Install): string {
  return JSON.stringify({ mcpServers: { memory: serverCommand(install) } }, null, 2)
}

export const mcpClients: readonly Harness[] = [...rows.map(fromRow), ...printed.map(printedClient)]
