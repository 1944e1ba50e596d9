import { isAbsolute } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { RootsListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js'
import {
  folderHeader,
  meaningfulFolder,
  projectHeader,
  workingFolder,
} from '../lib/workspace/working-folder.js'

type Environment = Readonly<Record<string, string | undefined>>

/** Patterns of the names that programs give as MCP clients, with the names that their hooks have. */
const harnesses: ReadonlyArray<readonly [RegExp, string]> = [
  [/^claude-code/u, 'claude-code'],
  [/^codex/u, 'codex'],
  [/^gemini/u, 'gemini'],
  [/^cursor/u, 'cursor'],
  [/copilot/u, 'copilot'],
  [/^opencode/u, 'opencode'],
  [/^kimi/u, 'kimi'],
  [/^qwen/u, 'qwen'],
  [/^visual studio code/iu, 'vscode'],
]

/** Variables in which a program gives its servers the key of the session; the others give none. */
const sessionVariables: Readonly<Record<string, string>> = {
  'claude-code': 'CLAUDE_CODE_SESSION_ID',
  copilot: 'COPILOT_AGENT_SESSION_ID',
}

const rootsTimeoutMs = 2000
const maxName = 100

/**
 * Returns a function for the headers that describe the caller of a stdio server: its folder, the project, the
 * program and, if the program passes it, the session (mcp.md#who-saves-and-where).
 * @param projectOf returns the project of a live session, for servers of plug-ins. Copilot CLI starts those
 * in the folder of the plug-in.
 */
export function callerHeaders(
  server: Server,
  env: Environment,
  projectOf: (session: string) => Promise<string | undefined>,
): () => Promise<Record<string, string>> {
  let roots: Promise<string | undefined> | undefined
  server.setNotificationHandler(RootsListChangedNotificationSchema, () => {
    roots = undefined
  })
  const folder = async () => {
    const given = env.CLAUDE_PROJECT_DIR
    if (given && isAbsolute(given)) return given
    roots ??= firstRoot(server)
    return (await roots) ?? ownFolder(env)
  }
  return async () => {
    const harness = harnessOf(server.getClientVersion()?.name)
    const session = harness && env[sessionVariables[harness] ?? '']
    const works = await folder()
    const place = meaningfulFolder(works) ?? (session && (await projectOf(session)))
    return {
      ...folderHeader(works),
      ...projectHeader(place || undefined),
      ...(harness && { 'x-service-harness': harness }),
      ...(session && { 'x-service-session-key': session }),
    }
  }
}

/** Returns the working folder; undefined if it is that of a plug-in, which says nothing about the work. */
export function ownFolder({ COPILOT_PLUGIN_ROOT: ofPlugin }: Environment): string | undefined {
  const folder = workingFolder()
  return folder === ofPlugin ? undefined : folder
}

/** Returns the name of a program as its hooks give it, or the name of the client; undefined for none. */
export function harnessOf(client: string | undefined): string | undefined {
  // Headers contain printable ASCII only.
  const name = client
    ?.replace(/[^\x20-\x7e]/gu, '')
    .trim()
    .slice(0, maxName)
  return name ? (harnesses.find(([pattern]) => pattern.test(name))?.[1] ?? name) : undefined
}

/** Returns the client's first folder; undefined when it has none, does not support roots or is slow. */
async function firstRoot(server: Server): Promise<string | undefined> {
  if (!server.getClientCapabilities()?.roots) return undefined
  try {
    const { roots } = await server.listRoots(undefined, { timeout: rootsTimeoutMs })
    const root = roots.find(({ uri }) => uri.startsWith('file:'))
    return root && fileURLToPath(root.uri)
  } catch {
    return undefined
  }
}
