import type { AgentRun, CodingAgent, TurnResult } from '../agent.js'
import { textOfFile } from '../find-file.js'

/** Grok Build: `grok -p`, and its terminal for a compaction. */
export const grok: CodingAgent = {
  name: 'grok',
  title: 'Grok Build',
  package: '@xai-official/grok',
  binary: 'grok',
  importedAs: 'grok',
  takesContext: false,
  environment: () => ({}),
  settings: ({ model }) => ({
    '.grok/config.toml': `# chosen by hand
[cli]
auto_update   = false

[models]
default = "heron"

[model.heron]
model = "heron-1"
base_url = "${model}/v1"
api_key = "of-nobody"
api_backend = "chat_completions"
context_window = 128000
`,
  }),
  cannot: {
    tools: 'it offers a search for tools in place of them',
  },
  turn: (run, prompt, session) => ask(run, prompt, session === undefined ? [] : ['--resume', session]),
  hookFile: '.grok/hooks/memory-service.json',
  acp: ['agent', 'stdio'],
  terminal: (_run, session) => ({
    args: ['--resume', session, '--yolo', '--no-auto-update'],
    ready: /Shift\+Tab:mode/u,
    compact: '/compact',
    compacted: /Compaction completed/u,
    quit: '/quit',
  }),
  transcriptEnding: 'jsonl',
  transcript: async ({ home }, session) =>
    textOfFile(home.path('.grok', 'sessions'), `${session}/chat_history.jsonl`),
}

async function ask(run: AgentRun, prompt: string, args: readonly string[]): Promise<TurnResult> {
  const words = ['-p', prompt, ...args, '--output-format', 'json', '--yolo', '--no-auto-update']
  const { stdout, stderr, code } = await run.home.run(run.program, words, { env: grok.environment(run) })
  const output = `${stdout}\n${stderr}`
  const id = /"sessionId": "([^"]+)"/u.exec(stdout)?.[1]
  if (code !== 0 || id === undefined) throw new Error(`grok ended with ${code}: ${output.slice(-3000)}`)
  return { session: id, output }
}
