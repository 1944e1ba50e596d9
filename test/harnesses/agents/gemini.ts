import type { AgentRun, CodingAgent } from '../agent.js'
import { findFile } from '../find-file.js'
import { openTerminal } from '../terminal.js'

/** Gemini CLI: `gemini -p`, and its terminal for a compression. */
export const gemini: CodingAgent = {
  name: 'gemini',
  title: 'Gemini CLI',
  package: '@google/gemini-cli',
  binary: 'gemini',
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
    "general": { "disableAutoUpdate": true, "disableUpdateNag": true },
    "privacy": { "usageStatisticsEnabled":   false }
}
`,
  }),
  async turn(run, prompt, session) {
    const resumed = session === undefined ? [] : ['--resume', 'latest']
    const words = ['-p', prompt, '--output-format', 'stream-json', ...resumed]
    const { stdout, stderr, code } = await run.home.run(run.program, words, { env: gemini.environment(run) })
    const output = `${stdout}\n${stderr}`
    const id = /"session_id":"([^"]+)"/u.exec(stdout)?.[1]
    if (code !== 0 || id === undefined) throw new Error(`gemini ended with ${code}: ${output}`)
    return { session: id, output }
  },
  compact: compressInTerminal,
  transcript: ({ home }, session) => findFile(home.path('.gemini', 'tmp'), `${session.slice(0, 8)}.jsonl`),
}

async function compressInTerminal(run: AgentRun): Promise<void> {
  const words = [run.program, '--resume', 'latest']
  const terminal = await openTerminal(run.home, words, gemini.environment(run))
  try {
    await terminal.waitFor(/Type your message/u)
    await terminal.enter('/compress')
    await terminal.waitFor(/compressed/iu)
    await terminal.enter('/quit')
    await terminal.ended()
  } finally {
    await terminal.close()
  }
}
