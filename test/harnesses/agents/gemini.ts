import type { AgentRun, CodingAgent, TurnResult } from '../agent.js'
import { textOfFile } from '../find-file.js'

/** Gemini CLI: `gemini -p`, and its terminal for a compression. */
export const gemini: CodingAgent = {
  name: 'gemini',
  title: 'Gemini CLI',
  package: '@google/gemini-cli',
  binary: 'gemini',
  // Without a person to approve them it calls none of our tools.
  connectFlags: ['--allow-tools'],
  environment: ({ model }) => ({
    GOOGLE_GEMINI_BASE_URL: model,
    GEMINI_API_KEY: 'of-nobody',
    GEMINI_MODEL: 'gemini-2.5-pro',
    GEMINI_CLI_TRUST_WORKSPACE: 'true',
    GEMINI_TELEMETRY_ENABLED: 'false',
  }),
  settings: () => ({
    '.gemini/settings.json': `{
    // chosen by hand
    "security": { "auth": { "selectedType": "gemini-api-key" } },
    "general": { "enableAutoUpdate": false, "enableAutoUpdateNotification":   false },
    "privacy": { "usageStatisticsEnabled":   false }
}
`,
  }),
  cannot: {
    compaction: 'it has no event after a compression',
    afterCompaction: 'it has no event after a compression',
  },
  turn: (run, prompt, session) =>
    ask(run, [prompt, ...(session === undefined ? [] : ['--resume', 'latest'])]),
  hookFile: '.gemini/settings.json',
  command: {
    files: {
      'heron/.gemini/commands/ship.toml': 'prompt = "Ship the heron service carefully to {{args}}"\n',
    },
    typed: '/ship staging',
    run: run => ask(run, ['/ship staging']),
  },
  acp: ['--experimental-acp'],
  terminal: () => ({
    args: ['--resume', 'latest'],
    ready: /Type your message/u,
    compact: '/compress',
    compacted: /compressed/iu,
    quit: '/quit',
  }),
  transcriptEnding: 'jsonl',
  transcript: async ({ home }, session) =>
    textOfFile(home.path('.gemini', 'tmp'), `${session.slice(0, 8)}.jsonl`),
}

async function ask(run: AgentRun, args: readonly string[]): Promise<TurnResult> {
  const words = ['-p', ...args, '--output-format', 'stream-json']
  const { stdout, stderr, code } = await run.home.run(run.program, words, { env: gemini.environment(run) })
  const output = `${stdout}\n${stderr}`
  const id = /"session_id":"([^"]+)"/u.exec(stdout)?.[1]
  if (code !== 0 || id === undefined) throw new Error(`gemini ended with ${code}: ${output}`)
  return { session: id, output }
}
