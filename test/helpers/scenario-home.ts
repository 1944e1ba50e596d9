import { randomUUID } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { ExecutionContext } from 'ava'
import { runCli } from './cli.js'
import { daemonHere, runHere } from './commands-here.js'
import { gitIn } from './git.js'
import { callTool, connectStdio } from './mcp.js'
import { temporaryFolder } from './temporary-folder.js'

/** Agents whose session starts a scenario asks for. */
export const agents = ['claude-code', 'codex', 'opencode'] as const
export type Agent = (typeof agents)[number]

type Hook = (input: unknown, output?: unknown) => Promise<void>
interface OpenCodePlugin {
  MemoryService: (input: unknown) => Promise<Record<string, Hook>>
}

/** A home folder with repositories, and the programs of a person and three agents. */
export async function scenarioHome(t: ExecutionContext) {
  const daemon = await daemonHere(t)
  const root = temporaryFolder(t, 'memory-service-scenario')
  const folder = (name: string) => join(root, name)
  const own: { plugin?: Promise<OpenCodePlugin> } = {}
  const plugin = () => {
    own.plugin ??= installPlugin(t, join(root, '.home'))
    return own.plugin
  }
  return {
    folder,
    call: daemon.call,
    git: (name: string, ...args: string[]) => gitIn(folder(name), ...args),
    /** Creates a repository with one commit. */
    repository: (name: string, remote?: string): void => {
      mkdirSync(folder(name))
      gitIn(folder(name), 'init', '-q', '-b', 'main')
      writeFileSync(join(folder(name), 'README.md'), name)
      gitIn(folder(name), 'add', '.')
      gitIn(folder(name), 'commit', '-qm', 'first')
      if (remote) gitIn(folder(name), 'remote', 'add', 'origin', remote)
    },
    /** Saves a rule with the command, in a folder or under the name of a project. */
    remember: async (content: string, place: { project: string } | { in: string }): Promise<void> => {
      const flags = 'project' in place ? ['--project', place.project] : []
      const at = folder('in' in place ? place.in : '.')
      const { code, stderr } = await runHere(t, ['remember', content, '--type', 'rule', ...flags], {
        folder: at,
      })
      t.is(code, 0, stderr)
    },
    /** Saves a rule by the MCP tool, as an agent that works in a folder. */
    store: async (content: string, name: string): Promise<void> => {
      const client = await connectStdio(t, [], {}, folder(name))
      const { isError, text } = await callTool(client, 'memory_store', {
        content,
        type: 'rule',
        hints: ['when do releases ship?'],
      })
      t.false(isError, text)
      await client.close()
    },
    /** Starts a session of an agent in a folder. @returns the context it receives */
    startSession: async (agent: Agent, name: string): Promise<string> =>
      agent === 'opencode' ? startOpenCode(await plugin(), folder(name)) : runHook(t, agent, folder(name)),
  }
}

async function runHook(t: ExecutionContext, agent: Agent, cwd: string): Promise<string> {
  const event = { session_id: randomUUID(), cwd, hook_event_name: 'SessionStart', source: 'startup' }
  const args = ['hook', 'session-start', '-H', agent, '--timeout', '20000']
  const { code, stdout, stderr } = await runHere(t, args, { stdin: JSON.stringify(event) })
  t.is(code, 0, stderr)
  return stdout
}

async function installPlugin(t: ExecutionContext, home: string): Promise<OpenCodePlugin> {
  mkdirSync(home)
  const { code, stderr } = await runCli(t, ['connect', 'opencode', '--yes'], { env: { HOME: home } })
  t.is(code, 0, stderr)
  return import(pathToFileURL(join(home, '.config/opencode/plugins/memory-service.js')).href)
}

async function startOpenCode({ MemoryService }: OpenCodePlugin, directory: string): Promise<string> {
  const client = { session: { messages: async () => ({ data: [] }) } }
  const hooks = await MemoryService({ client, directory, worktree: directory })
  const system: string[] = []
  await hooks['experimental.chat.system.transform']?.({ sessionID: randomUUID() }, { system })
  await hooks.dispose?.(undefined)
  return system.join('\n')
}
