import type { AgentRun, CodingAgent, TurnResult } from '../agent.js'
import { summary } from '../scenario.js'

/** OpenCode: `opencode run`, and its terminal for a compaction. */
export const opencode: CodingAgent = {
  name: 'opencode',
  title: 'OpenCode',
  package: 'opencode-ai',
  binary: 'opencode',
  importedAs: 'opencode',
  environment: () => ({
    OPENCODE_DISABLE_AUTOUPDATE: '1',
    OPENCODE_DISABLE_MODELS_FETCH: '1',
    OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
    OPENCODE_DISABLE_SHARE: '1',
  }),
  settings: ({ model }) => ({
    '.config/opencode/opencode.jsonc': `{
    "$schema": "https://opencode.ai/config.json",
    // chosen by hand
    "model": "heron/heron-1",
    "autoupdate":   false,
    "share": "disabled",
    "provider": {
        "heron": {
            "npm": "@ai-sdk/openai-compatible",
            "options": { "baseURL": "${model}/v1", "apiKey": "of-nobody" },
            "models": { "heron-1": { "limit": { "context": 100000, "output": 10000 } } }
        }
    }
}
`,
  }),
  cannot: { command: 'it keeps the text of the command, not what was typed' },
  ...asOpencode(() => opencode),
  command: {
    files: { '.config/opencode/command/ship.md': 'Ship the heron service carefully to $ARGUMENTS\n' },
    typed: '/ship staging',
    run: run => ask(opencode, run, 'staging', ['--command', 'ship']),
  },
}

/**
 * Parts of OpenCode and of agents made from it: turns, forks, the terminal and the transcript.
 * @param self returns the agent itself
 */
export function asOpencode(
  self: () => CodingAgent,
): Pick<CodingAgent, 'turn' | 'fork' | 'acp' | 'terminal' | 'transcriptEnding' | 'transcript'> {
  return {
    turn: (run, prompt, session) =>
      ask(self(), run, prompt, session === undefined ? [] : ['--session', session]),
    fork: (run, prompt, session) => ask(self(), run, prompt, ['--session', session, '--fork']),
    acp: ['acp'],
    terminal: (_run, session) => ({
      args: ['--session', session],
      ready: /ctrl\+p commands/u,
      compact: '/compact',
      // It announces the compaction first; the summary is shown at the end.
      compacted: new RegExp(summary.slice(0, 30), 'u'),
      quit: '/exit',
    }),
    transcriptEnding: 'json',
    // Its transcript is a database; this export has the format that its plugins receive.
    async transcript(run, session) {
      const { stdout, code } = await run.home.run(run.program, ['export', session], {
        env: self().environment(run),
      })
      return code === 0 ? stdout : undefined
    },
  }
}

async function ask(
  { binary, environment }: CodingAgent,
  run: AgentRun,
  prompt: string,
  args: readonly string[],
): Promise<TurnResult> {
  const { stdout, stderr, code } = await run.home.run(run.program, ['run', '--format', 'json', ...args], {
    env: environment(run),
    // It puts a prompt argument in quotes.
    stdin: prompt,
  })
  const output = `${stdout}\n${stderr}`
  const id = /"sessionID":"([^"]+)"/u.exec(stdout)?.[1]
  if (code !== 0 || id === undefined) throw new Error(`${binary} ended with ${code}: ${output}`)
  return { session: id, output }
}
