import type { AgentRun, CodingAgent, TurnResult } from '../agent.js'
import { textOfFile } from '../find-file.js'

/** Qwen Code: `qwen -p`, and its terminal for a compression. */
export const qwen: CodingAgent = {
  name: 'qwen',
  title: 'Qwen Code',
  package: '@qwen-code/qwen-code',
  binary: 'qwen',
  node: 24,
  importedAs: 'qwen',
  // Without a person to approve them it calls none of our tools.
  connectFlags: ['--allow-tools'],
  environment: ({ model, path }) => ({
    PATH: path,
    OPENAI_API_KEY: 'of-nobody',
    OPENAI_BASE_URL: `${model}/v1`,
    OPENAI_MODEL: 'heron-1',
  }),
  settings: () => ({
    '.qwen/settings.json': `{
    // chosen by hand
    "security": { "auth": { "selectedType": "openai" } },
    "general": { "enableAutoUpdate":   false },
    "telemetry": { "enabled": false },
    "privacy": { "usageStatisticsEnabled": false }
}
`,
  }),
  cannot: {
    acp: 'its session over ACP does not offer servers of the client in time (0.24.4)',
    end: 'without a terminal it ends without an event',
  },
  turn: (run, prompt, session) => ask(run, prompt, session === undefined ? [] : ['--resume', session]),
  hookFile: '.qwen/settings.json',
  acp: ['--experimental-acp'],
  terminal: (_run, session) => ({
    args: ['--resume', session],
    ready: /Type your message/u,
    compact: '/compress',
    compacted: /compressed/iu,
    quit: '/quit',
  }),
  transcriptEnding: 'jsonl',
  transcript: async ({ home }, session) => textOfFile(home.path('.qwen', 'projects'), `${session}.jsonl`),
}

async function ask(run: AgentRun, prompt: string, args: readonly string[]): Promise<TurnResult> {
  const words = ['-p', prompt, ...args, '--output-format', 'stream-json']
  const { stdout, stderr, code } = await run.home.run(run.program, words, { env: qwen.environment(run) })
  const output = `${stdout}\n${stderr}`
  const id = /"session_id":"([^"]+)"/u.exec(stdout)?.[1]
  if (code !== 0 || id === undefined) throw new Error(`qwen ended with ${code}: ${output.slice(-3000)}`)
  return { session: id, output }
}
