import { chmodSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { filesBelow } from '../helpers/harness-home.js'
import type { AgentRun, CodingAgent } from './agent.js'
import { type Outcome, unless } from './checks.js'
import { createHome, type Home, root } from './home.js'
import { deferredName, isTool, type ModelServer, type Turn } from './model/model-server.js'
import { seeded, stored, turnAbout, turns } from './scenario.js'

/** The agent's commands around our plug-in. */
export interface PluginCommands {
  /** @param folder of the marketplace */
  install(folder: string): readonly (readonly string[])[]
  uninstall: readonly (readonly string[])[]
  /** Settings in place of the agent's usual ones, which let it call tools of the plug-in without a person. */
  settings?: Readonly<Record<string, string>>
  /** Folder of its settings below the home folder. */
  folder: string
}

interface PluginScene extends AgentRun {
  agent: CodingAgent & { plugin: PluginCommands }
  server: ModelServer
}

/** Starts of our server, a line each. Some agents ask for its revision on a process of its own. */
const startLog = 'starts.log'

/**
 * Installs our plug-in with the agent's own commands in a home folder of its own, and works with it: alone,
 * before `memory connect`, and beside it. Nothing may reach the model twice, and nothing may be left.
 */
export async function checkPlugin(scene: Omit<PluginScene, 'home'>): Promise<Outcome> {
  const home = createHome(`${scene.agent.name}-plugin`)
  try {
    return await inHome({ ...scene, home })
  } finally {
    await home.memory('daemon', 'stop').catch(() => undefined)
    home.remove()
  }
}

async function inHome(scene: PluginScene): Promise<Outcome> {
  const { agent, home } = scene
  const { install, uninstall, settings = {} } = agent.plugin
  const commands = async (lists: readonly (readonly string[])[]) => {
    for (const words of lists) await vendorCommand(scene, words)
  }
  for (const [path, text] of Object.entries({ ...agent.settings(scene), ...settings })) home.write(path, text)
  countStarts(home)
  await home.memory('remember', seeded, '--importance', '0.9')
  const before = traces(scene)
  await commands(install(pluginFolder))
  const alone = await seenIn(scene, turns.store)
  const starts = (home.read(startLog) ?? '').split('\n').length - 1
  const { memories } = await home.memory<{ memories: { content: string }[] }>('list')
  const connected = await home.memory<{ applied: boolean; harnesses: { plugin?: object }[] }>(
    'connect',
    agent.name,
    '--yes',
  )
  await commands(uninstall)
  await home.memory('connect', agent.name, '--yes', ...(agent.connectFlags ?? []))
  await commands(install(pluginFolder))
  const both = await seenIn(scene, turnAbout('both'))
  await commands(uninstall)
  await home.memory('disconnect', agent.name, '--yes')
  const left = traces(scene).filter(trace => !before.includes(trace))
  return unless(
    [
      ...faultsOf('alone', alone),
      !memories.some(({ content }) => content === stored) && 'the model could not save',
      (connected.applied || !connected.harnesses[0]?.plugin) && 'connect did not notice the plug-in',
      ...faultsOf('beside memory connect', both),
      left.length > 0 && `left: ${left.join(', ')}`,
    ],
    `${starts} starts of the server in a run`,
  )
}

const pluginFolder = `${root}/plugin`

/** Counts of our context and of one tool in the first request of a run. */
interface ContextCounts {
  contexts: number
  tools: number
}

function faultsOf(when: string, { contexts, tools }: ContextCounts): (string | false)[] {
  return [
    contexts !== 1 && `${when}: the start context came ${contexts} times`,
    tools !== 1 && `${when}: a tool was offered ${tools} times`,
  ]
}

async function seenIn(scene: PluginScene, turn: Turn): Promise<ContextCounts> {
  const { agent, server } = scene
  server.expect(turn)
  const { output } = await agent.turn(scene, turn.prompt)
  const [first] = server.asked().filter(({ isTurn }) => isTurn)
  if (!first) throw new Error(`the prompt never reached the model: ${output}`)
  const offered = first.tools.filter(({ name }) => isTool(name, 'memory_store')).length
  return {
    contexts: first.body.split(seeded).length - 1,
    tools: offered || Number(deferredName(first.body, 'memory_store') !== undefined),
  }
}

async function vendorCommand(scene: PluginScene, words: readonly string[]): Promise<void> {
  const { agent, home, program } = scene
  const { code, stdout, stderr } = await home.run(program, words, { env: agent.environment(scene) })
  if (code !== 0) throw new Error(`${agent.binary} ${words.join(' ')}: ${stdout}\n${stderr}`)
}

/** Replaces the link to our server by a script that also notes its start. */
function countStarts(home: Home): void {
  const script = home.path('bin', 'service-mcp')
  rmSync(script)
  const text = `#!/bin/sh\necho start >> '${home.path(startLog)}'\nexec node '${root}/bin/mcp.js' "$@"\n`
  writeFileSync(script, text)
  chmodSync(script, 0o755)
}

/** Settings of the agent that name our plug-in or programs, and copies of the plug-in. */
function traces({ agent, home }: PluginScene): string[] {
  const files = Object.entries(filesBelow(home.path(agent.plugin.folder)))
  // Claude Code marks what it has uninstalled, and deletes it a week later.
  const orphans = files.flatMap(([path]) => (path.endsWith('.orphaned_at') ? [dirname(path)] : []))
  return files.flatMap(([path, text]) => {
    if (/(?:sessions?|session-state|projects|logs?|history)[\\/.]/u.test(path)) return []
    if (text === '' || orphans.some(folder => path.startsWith(folder))) return []
    const isCopy = /plugins.*memory-service/u.test(path)
    // Copilot CLI keeps this note of a plug-in from a folder.
    const rest = text.replaceAll('"memory-service@memory-service": false', '')
    const isNamed = /\.(?:json|toml)$/u.test(path) && /memory-service|service-mcp|memory hook/u.test(rest)
    return isCopy || isNamed ? [path] : []
  })
}
