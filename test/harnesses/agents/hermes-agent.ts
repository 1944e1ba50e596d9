import type { AgentRun, CodingAgent, TurnResult } from '../agent.js'

/** Hermes Agent: `hermes chat -q`, and its terminal for a compression. */
export const hermesAgent: CodingAgent = {
  name: 'hermes-agent',
  title: 'Hermes Agent',
  package: 'hermes-agent[mcp,acp]',
  registry: 'pypi',
  binary: 'hermes',
  importedAs: 'hermes-agent',
  environment: () => ({ OPENAI_API_KEY: 'of-nobody', HERMES_DISABLE_UPDATE_CHECK: '1' }),
  settings: ({ model }) => ({
    '.hermes/config.yaml': `# chosen by hand
model:
  default:   heron-1
  provider: custom
  base_url: ${model}/v1
  api_key: of-nobody
  context_length: 100000
# without it the first request may come before our tools
mcp_discovery_timeout: 30
`,
  }),
  turn: (run, prompt, session) => ask(run, prompt, session === undefined ? [] : ['--resume', session]),
  hookFile: '.hermes/config.yaml',
  acp: ['acp'],
  terminal: (_run, session) => ({
    args: ['chat', '--cli', '--resume', session],
    ready: /❯/u,
    compact: '/compress',
    compacted: /[Cc]ompress(?:ed|ion complete)/u,
    quit: '/quit',
  }),
  compactsAfterPrompt: true,
  tellsSummaryLater: true,
  transcriptEnding: 'json',
  // Its transcript is a database.
  async transcript(run, session) {
    const words = ['sessions', 'export', '-', '--session-id', session]
    const { stdout, code } = await run.home.run(run.program, words, { env: hermesAgent.environment(run) })
    return code === 0 ? stdout : undefined
  },
}

async function ask(run: AgentRun, prompt: string, args: readonly string[]): Promise<TurnResult> {
  const words = ['chat', '-Q', '--yolo', ...args, '-q', prompt]
  const { stdout, stderr, code } = await run.home.run(run.program, words, {
    env: hermesAgent.environment(run),
  })
  const output = `${stdout}\n${stderr}`
  const id = /session_id: (\S+)/u.exec(output)?.[1]
  if (code !== 0 || id === undefined) throw new Error(`hermes ended with ${code}: ${output.slice(-3000)}`)
  return { session: id, output }
}
