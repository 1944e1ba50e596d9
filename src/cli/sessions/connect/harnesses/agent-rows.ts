import { join } from 'node:path'
import { harnessHome, type KnownHarness } from '../../../../lib/workspace/harness-files.js'
import {
  commandHooks,
  entryEdit,
  type HookEvent,
  listedHooksEdit,
  ownFileEdit,
  toolHook,
} from '../entries/connection-edits.js'
import type { ConnectionEdit, Harness, Install } from '../entries/harness.js'
import type { Machine } from '../entries/machine.js'
import { type AgentRow, fromRow } from './from-row.js'

/** The file of VS Code's hooks, in a folder of Copilot CLI. */
export const vscodeHooks = 'memory-service-vscode.json'

/** Timeouts in seconds. */
const start: HookEvent = { event: 'SessionStart', hook: 'session-start', timeout: 10 }
const prompt: HookEvent = { event: 'UserPromptSubmit', hook: 'user-prompt-submit', timeout: 7 }
const compacted: HookEvent = { event: 'PostCompact', hook: 'compaction-complete', timeout: 10 }
const stop: HookEvent = { event: 'Stop', hook: 'session-checkpoint-extract', timeout: 10 }
const end: HookEvent = { event: 'SessionEnd', hook: 'session-end', timeout: 15 }

const tool: HookEvent = { event: 'PostToolUse', hook: toolHook, matcher: '*', timeout: 3 }
const toolFailure: HookEvent = { ...tool, event: 'PostToolUseFailure' }

const serverDescription = 'Long-term memory of this user and project'

const noContext = 'it takes no context from hooks: the agent asks for memories by the MCP tools'

const homeOf = (name: KnownHarness) => (machine: Machine) => harnessHome(name, machine)

/**
 * Agents whose hooks are called as those of Claude Code, or nearly so; the daemon's dialects know the
 * differences.
 */
const rows: readonly AgentRow[] = [
  {
    name: 'vscode',
    title: 'VS Code',
    aliases: ['code', 'vs-code'],
    binaries: ['code'],
    isGraphical: true,
    home: homeOf('vscode'),
    // Copilot CLI reads the folder too and denies tools when a hook before them fails, so there is none.
    hooks: {
      elsewhere: ({ home }) => join(home, '.copilot', 'hooks', vscodeHooks),
      project: `.github/hooks/${vscodeHooks}`,
      shape: 'flat',
      events: [
        start,
        prompt,
        { event: 'PostToolUse', hook: toolHook, timeout: 3 },
        { event: 'SubagentStart', hook: 'subagent-start', timeout: 3 },
        stop,
      ],
      top: { version: 1 },
    },
    mcp: { user: ['mcp.json'], project: '.vscode/mcp.json', section: ['servers'], before: { type: 'stdio' } },
    hints: ['VS Code asks once for trust in the MCP server'],
  },
  {
    name: 'qwen',
    title: 'Qwen Code',
    aliases: ['qwen-code'],
    binaries: ['qwen'],
    home: homeOf('qwen'),
    hooks: {
      user: ['settings.json'],
      project: '.qwen/settings.json',
      shape: 'grouped',
      events: [
        { ...start, matcher: 'startup|resume|clear|compact' },
        prompt,
        tool,
        toolFailure,
        compacted,
        stop,
        end,
      ],
    },
    mcp: { user: ['settings.json'], project: '.qwen/settings.json', section: ['mcpServers'] },
    trustKey: 'trust',
    switchedOff: { path: ['disableAllHooks'], value: true },
  },
  {
    name: 'droid',
    title: 'Factory Droid',
    aliases: ['factory', 'factory-droid'],
    binaries: ['droid'],
    home: homeOf('droid'),
    hooks: {
      user: ['hooks.json'],
      project: '.factory/hooks.json',
      shape: 'grouped',
      // Wrapped in `hooks`, none of them would run.
      section: [],
      settings: 'settings.json',
      events: [start, prompt, tool, stop, end],
    },
    mcp: {
      user: ['mcp.json'],
      project: '.factory/mcp.json',
      section: ['mcpServers'],
      before: { type: 'stdio' },
    },
  },
  {
    name: 'junie',
    title: 'Junie',
    binaries: ['junie'],
    home: homeOf('junie'),
    // Junie ignores hooks of projects.
    hooks: { user: ['config.json'], shape: 'grouped', events: [start, prompt, stop, end] },
    mcp: { user: ['mcp/mcp.json'], project: '.junie/mcp/mcp.json', section: ['mcpServers'] },
  },
  {
    name: 'grok',
    title: 'Grok Build',
    aliases: ['grok-build'],
    binaries: ['grok'],
    home: homeOf('grok'),
    hooks: {
      user: ['hooks/memory-service.json'],
      project: '.grok/hooks/memory-service.json',
      shape: 'grouped',
      events: [start, prompt, compacted, stop, end],
    },
    mcp: {
      user: ['config.toml'],
      project: '.grok/config.toml',
      section: ['mcp_servers'],
      format: 'toml',
      after: { startup_timeout_sec: 30 },
    },
    hints: [noContext],
  },
  {
    name: 'devin',
    title: 'Devin',
    aliases: ['devin-cli'],
    binaries: ['devin'],
    home: homeOf('devin'),
    hooks: {
      user: ['config.json'],
      project: '.devin/hooks.v1.json',
      projectSection: [],
      shape: 'grouped',
      events: [start, prompt, tool, stop, end],
    },
    mcp: { user: ['mcp_config.json'], project: '.devin/mcp_config.json', section: ['mcpServers'] },
  },
  {
    name: 'kiro',
    title: 'Kiro',
    aliases: ['kiro-cli'],
    binaries: ['kiro-cli', 'kiro'],
    home: homeOf('kiro'),
    hooks: {
      user: ['hooks/memory-service.json'],
      project: '.kiro/hooks/memory-service.json',
      shape: 'flat',
      section: [],
      events: [start, prompt, stop],
      whole: kiroHooks,
    },
    mcp: { user: ['settings/mcp.json'], project: '.kiro/settings/mcp.json', section: ['mcpServers'] },
  },
  {
    name: 'antigravity',
    title: 'Antigravity',
    aliases: ['agy'],
    binaries: ['agy', 'antigravity'],
    isGraphical: true,
    home: homeOf('antigravity'),
    hooks: {
      user: ['hooks.json'],
      project: '.agents/hooks.json',
      shape: 'flat',
      section: ['memory-service'],
      events: [{ ...prompt, event: 'PreInvocation' }, stop],
      whole: antigravityHooks,
    },
    mcp: { user: ['mcp_config.json'], project: '.agents/mcp_config.json', section: ['mcpServers'] },
  },
  {
    name: 'kimi',
    title: 'Kimi Code',
    aliases: ['kimi-code'],
    binaries: ['kimi'],
    home: homeOf('kimi'),
    hooks: {
      user: ['config.toml'],
      shape: 'tables',
      events: [
        { ...start, matcher: 'startup|resume' },
        prompt,
        { event: 'PostToolUse', hook: toolHook, timeout: 3 },
        { event: 'PostToolUseFailure', hook: toolHook, timeout: 3 },
        compacted,
        stop,
        end,
      ],
    },
    mcp: { user: ['mcp.json'], project: '.kimi-code/mcp.json', section: ['mcpServers'] },
  },
  {
    name: 'pi',
    title: 'pi',
    binaries: ['pi'],
    home: homeOf('pi'),
    plugin: {
      user: ['extensions/memory-service.js'],
      project: '.pi/extensions/memory-service.js',
      source: 'by-hooks.js',
    },
    mcp: {
      user: ['mcp.json'],
      project: '.pi/mcp.json',
      section: ['mcpServers'],
      // By default the model would not be shown our tools.
      after: { exposure: 'direct', description: serverDescription },
    },
  },
  {
    name: 'oh-my-pi',
    title: 'Oh My Pi',
    aliases: ['omp'],
    binaries: ['omp'],
    home: homeOf('oh-my-pi'),
    plugin: {
      user: ['extensions/memory-service.js'],
      project: '.omp/extensions/memory-service.js',
      source: 'by-hooks.js',
    },
    mcp: { user: ['mcp.json'], project: '.omp/mcp.json', section: ['mcpServers'] },
  },
  {
    name: 'hermes-agent',
    title: 'Hermes Agent',
    aliases: ['hermes'],
    binaries: ['hermes'],
    home: homeOf('hermes-agent'),
    hooks: {
      user: ['config.yaml'],
      shape: 'lists',
      events: [
        { event: 'on_session_start', hook: 'session-start', timeout: 10 },
        { event: 'pre_llm_call', hook: 'user-prompt-submit', timeout: 7 },
        { event: 'post_tool_call', hook: toolHook, timeout: 3 },
        { event: 'post_llm_call', hook: 'session-checkpoint-extract', timeout: 10 },
        { event: 'on_session_finalize', hook: 'session-end', timeout: 15 },
      ],
    },
    more: hermesConsent,
    // It takes a server of this name for its own tools of that name, and offers none of ours.
    mcp: { user: ['config.yaml'], section: ['mcp_servers'], format: 'yaml', unusable: ['memory'] },
  },
  {
    name: 'openclaw',
    title: 'OpenClaw',
    binaries: ['openclaw'],
    home: homeOf('openclaw'),
    plugin: { user: ['extensions/memory-service/index.js'], source: 'by-hooks.js' },
    more: openclawPlugin,
    mcp: { user: ['openclaw.json'], section: ['mcp', 'servers'] },
  },
  {
    name: 'cline',
    title: 'Cline',
    binaries: ['cline'],
    home: homeOf('cline'),
    plugin: {
      user: ['hooks/TaskComplete.mjs'],
      project: '.cline/hooks/TaskComplete.mjs',
      source: 'by-hooks.js',
    },
    mcp: {
      user: ['data/settings/cline_mcp_settings.json'],
      section: ['mcpServers'],
      after: { disabled: false, autoApprove: [] },
    },
    hints: [noContext],
  },
]

function kiroHooks({ hookCommand }: Install, events: readonly HookEvent[]): unknown {
  return {
    version: 'v1',
    hooks: events.map(({ event, hook, timeout }) => ({
      name: `memory-${hook}`,
      trigger: event,
      action: { type: 'command', ...hookCommand(hook) },
      timeout,
      enabled: true,
    })),
  }
}

/** Groups, as for tools, would make it refuse the whole file. */
function antigravityHooks(install: Install, events: readonly HookEvent[]): unknown {
  const flat = commandHooks(events, install).map(({ event, handler }) => [event, [handler]])
  return { enabled: true, ...Object.fromEntries(flat) }
}

/** It runs only hooks whose event and command are listed here; otherwise it asks, or leaves them out. */
function hermesConsent(machine: Machine, install: Install, events: readonly HookEvent[]): ConnectionEdit[] {
  return [
    listedHooksEdit({
      file: join(harnessHome('hermes-agent', machine), 'shell-hooks-allowlist.json'),
      harness: 'hermes-agent',
      path: ['approvals'],
      wanted: events.map(({ event, hook }) => ({ event, command: install.hookCommand(hook).command })),
    }),
  ]
}

/** The files that describe our plugin, and the entry that lets it take part in conversations. */
function openclawPlugin(machine: Machine): ConnectionEdit[] {
  const home = harnessHome('openclaw', machine)
  const name = 'memory-service'
  const describing = (file: string, value: object) =>
    ownFileEdit({
      kind: 'plugin',
      count: 0,
      file: join(home, 'extensions', name, file),
      content: () => `${JSON.stringify(value, null, 2)}\n`,
      isOwn: text => text.includes(`"${name}"`),
    })
  const configSchema = { type: 'object', additionalProperties: false, properties: {} }
  return [
    describing('openclaw.plugin.json', {
      id: name,
      name: 'Memory Service',
      activation: { onStartup: true },
      configSchema,
    }),
    describing('package.json', { name, type: 'module', openclaw: { extensions: ['./index.js'] } }),
    entryEdit({
      kind: 'consent',
      file: join(home, 'openclaw.json'),
      path: ['plugins', 'entries', name],
      value: { enabled: true, hooks: { allowConversationAccess: true } },
    }),
  ]
}

export const tableHarnesses: readonly Harness[] = rows.map(fromRow)
