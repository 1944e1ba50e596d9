import type { AgentRun, CodingAgent, TurnResult } from '../agent.js'
import { textOfFile } from '../find-file.js'

/** A person approves hooks once with /hooks; this flag replaces the approval. */
const trust = '--dangerously-bypass-hook-trust'

/** Codex CLI: `codex exec`, and its terminal for a compaction. */
export const codex: CodingAgent = {
  name: 'codex',
  title: 'Codex CLI',
  package: '@openai/codex',
  binary: 'codex',
  importedAs: 'codex',
  environment: () => ({ HERON_KEY: 'of-nobody' }),
  settings: ({ home, model }) => ({
    '.codex/config.toml': `# chosen by hand
model = "gpt-5.1"   # not the newest
model_provider = "heron"
check_for_update_on_startup = false

[analytics]
enabled = false

[model_providers.heron]
name = "heron"
base_url = "${model}/v1"
env_key = "HERON_KEY"
wire_api = "responses"

[projects."${home.project}"]
trust_level = "trusted"
`,
  }),
  turn: (run, prompt, session) => exec(run, [...(session === undefined ? [] : ['resume', session]), prompt]),
  hookFile: '.codex/hooks.json',
  subagent: message => [
    { call: 'spawn_agent', input: { message } },
    { call: 'wait_agent', input: result => ({ targets: [/"agent_id":"([^"]+)"/u.exec(result)?.[1]] }) },
  ],
  work: {
    turn: (run, prompt) => exec(run, ['--sandbox', 'danger-full-access', prompt]),
    run: command => ({ call: 'exec_command', input: { cmd: command } }),
    // A patch within a shell command is applied by Codex itself, without a hook.
    hidesEdits: true,
    edit: (file, before, after) => [
      {
        call: 'exec_command',
        input: {
          cmd: `apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: ${file}\n@@\n-${before}\n+${after}\n*** End Patch\nEOF`,
        },
      },
    ],
  },
  fork: (run, prompt, session) => exec(run, ['fork', session, prompt]),
  plugin: {
    install: folder => [
      ['plugin', 'marketplace', 'add', folder],
      ['plugin', 'add', 'memory-service@memory-service'],
    ],
    uninstall: [
      ['plugin', 'remove', 'memory-service@memory-service'],
      ['plugin', 'marketplace', 'remove', 'memory-service'],
    ],
    folder: '.codex',
  },
  terminal: (_run, session) => ({
    args: [trust, 'resume', session],
    ready: /context left|›/u,
    compact: '/compact',
    compacted: /compacted/iu,
    quit: '/quit',
  }),
  transcriptEnding: 'jsonl',
  transcript: async ({ home }, session) => textOfFile(home.path('.codex', 'sessions'), `${session}.jsonl`),
}

async function exec(run: AgentRun, args: readonly string[]): Promise<TurnResult> {
  const words = ['exec', '--json', '--skip-git-repo-check', trust, ...args]
  const { stdout, stderr, code } = await run.home.run(run.program, words, { env: codex.environment(run) })
  const output = `${stdout}\n${stderr}`
  const id = /"thread_id":"([^"]+)"/u.exec(stdout)?.[1]
  if (code !== 0 || id === undefined) throw new Error(`codex ended with ${code}: ${output}`)
  return { session: id, output }
}
