import type { AgentRun, CodingAgent, TurnResult } from '../agent.js'
import { summary } from '../scenario.js'

/** Kilo Code: `kilo run`, and its terminal for a compaction. */
export const kilo: CodingAgent = {
  name: 'kilo',
  title: 'Kilo Code',
  // Its main package is a wrapper that only finds the program of the platform.
  package: `@kilocode/cli-${process.platform}-${process.arch}`,
  binary: 'kilo',
  folder: 'bin',
  importedAs: 'kilo',
  environment: () => ({
    KILO_DISABLE_AUTOUPDATE: '1',
    KILO_DISABLE_MODELS_FETCH: '1',
    KILO_DISABLE_LSP_DOWNLOAD: '1',
    KILO_DISABLE_SHARE: '1',
    KILO_TELEMETRY_LEVEL: 'off',
  }),
  settings: ({ model }) => ({
    '.config/kilo/kilo.jsonc': `{
    // chosen by hand
    "model": "heron/heron-1",
    "small_model": "heron/heron-1",
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
  turn: (run, prompt, session) => ask(run, prompt, session === undefined ? [] : ['--session', session]),
  fork: (run, prompt, session) => ask(run, prompt, ['--session', session, '--fork']),
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
      env: kilo.environment(run),
    })
    return code === 0 ? stdout : undefined
  },
}

async function ask(run: AgentRun, prompt: string, args: readonly string[]): Promise<TurnResult> {
  const { stdout, stderr, code } = await run.home.run(run.program, ['run', '--format', 'json', ...args], {
    env: kilo.environment(run),
    // It puts a prompt argument in quotes.
    stdin: prompt,
  })
  const output = `${stdout}\n${stderr}`
  const id = /"sessionID":"([^"]+)"/u.exec(stdout)?.[1]
  if (code !== 0 || id === undefined) throw new Error(`kilo ended with ${code}: ${output}`)
  return { session: id, output }
}
