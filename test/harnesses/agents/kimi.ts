import type { AgentRun, CodingAgent, TurnResult } from '../agent.js'
import { textOfFile } from '../find-file.js'

/** Kimi Code: `kimi -p`, and its terminal for a compaction. */
export const kimi: CodingAgent = {
  name: 'kimi',
  title: 'Kimi Code',
  package: '@moonshot-ai/kimi-code',
  binary: 'kimi',
  node: 24,
  importedAs: 'kimi',
  environment: ({ model, path }) => ({
    PATH: path,
    KIMI_MODEL_NAME: 'heron-1',
    KIMI_MODEL_API_KEY: 'of-nobody',
    KIMI_MODEL_BASE_URL: `${model}/v1`,
    KIMI_MODEL_PROVIDER_TYPE: 'openai',
    KIMI_MODEL_MAX_CONTEXT_SIZE: '100000',
    KIMI_DISABLE_TELEMETRY: '1',
  }),
  settings: () => ({
    '.kimi-code/tui.toml': '[upgrade]\nauto_install = false\n',
    '.kimi-code/config.toml': '# chosen by hand\n',
  }),
  cannot: {
    end: 'without a terminal it ends without an event',
    afterCompaction: 'it takes context with prompts alone, which compaction condenses',
  },
  turn: (run, prompt, session) => ask(run, prompt, session === undefined ? [] : ['-S', session]),
  hookFile: '.kimi-code/config.toml',
  acp: ['acp'],
  terminal: (_run, session) => ({
    args: ['-S', session],
    asks: /Trust this folder\?/u,
    ready: /heron-1/u,
    compact: '/compact',
    compacted: /[Cc]ompact(?:ed|ion complete)/u,
    quit: '/exit',
  }),
  transcriptEnding: 'jsonl',
  transcript: async ({ home }, session) =>
    textOfFile(home.path('.kimi-code', 'sessions'), `${session}/agents/main/wire.jsonl`),
}

async function ask(run: AgentRun, prompt: string, args: readonly string[]): Promise<TurnResult> {
  const words = ['-p', prompt, ...args, '--output-format', 'stream-json']
  const { stdout, stderr, code } = await run.home.run(run.program, words, { env: kimi.environment(run) })
  const output = `${stdout}\n${stderr}`
  const id = /(session_[0-9a-f-]{36})/u.exec(output)?.[1]
  if (code !== 0 || id === undefined) throw new Error(`kimi ended with ${code}: ${output.slice(-3000)}`)
  return { session: id, output }
}
