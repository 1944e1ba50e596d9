import type { AgentRun, CodingAgent, TurnResult } from '../agent.js'
import { textOfFile } from '../find-file.js'

/** The terminal asks about this key at its start unless its end is among the approved ones. */
const key = 'sk-ant-of-nobody'

/** Claude Code without a person: `claude -p`. */
export const claudeCode: CodingAgent = {
  name: 'claude-code',
  title: 'Claude Code',
  package: '@anthropic-ai/claude-code',
  binary: 'claude',
  importedAs: 'claude-code',
  // Without a person to approve them it calls none of our tools.
  connectFlags: ['--allow-tools'],
  environment: ({ model }) => ({
    ANTHROPIC_BASE_URL: model,
    ANTHROPIC_API_KEY: key,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_TELEMETRY: '1',
    DISABLE_ERROR_REPORTING: '1',
    DISABLE_AUTOUPDATER: '1',
  }),
  settings: ({ home }) => ({
    '.claude/settings.json': '{\n    "cleanupPeriodDays":  99,\n    "hooks": {}\n}\n',
    '.claude.json': JSON.stringify({
      hasCompletedOnboarding: true,
      customApiKeyResponses: { approved: [key] },
      projects: { [home.project]: { hasTrustDialogAccepted: true } },
    }),
  }),
  turn: (run, prompt, session) =>
    claude(run, [prompt, ...(session === undefined ? [] : ['--resume', session])]),
  hookFile: '.claude/settings.json',
  subagent: prompt => [
    { call: 'Agent', input: { description: 'Count herons', prompt, subagent_type: 'general-purpose' } },
  ],
  work: {
    turn: (run, prompt) => claude(run, [prompt, '--allowedTools', 'Bash,Read,Edit']),
    run: command => ({ call: 'Bash', input: { command } }),
    edit: (file_path, old_string, new_string) => [
      { call: 'Read', input: { file_path } },
      { call: 'Edit', input: { file_path, old_string, new_string } },
    ],
  },
  fork: (run, prompt, session) => claude(run, [prompt, '--resume', session, '--fork-session']),
  command: {
    files: { 'heron/.claude/commands/ship.md': 'Ship the heron service carefully to $ARGUMENTS\n' },
    typed: '/ship staging',
    run: run => claude(run, ['/ship staging']),
  },
  plugin: {
    install: folder => [
      ['plugin', 'marketplace', 'add', folder],
      ['plugin', 'install', 'memory-service@memory-service'],
    ],
    uninstall: [
      ['plugin', 'uninstall', 'memory-service@memory-service'],
      ['plugin', 'marketplace', 'remove', 'memory-service'],
    ],
    settings: {
      '.claude/settings.json': '{ "permissions": { "allow": ["mcp__plugin_memory-service_memory"] } }\n',
    },
    folder: '.claude',
  },
  terminal: (_run, session) => ({
    args: ['--resume', session],
    ready: /for agents|to cycle/u,
    compact: '/compact',
    compacted: /⎿\s+Compacted/u,
    quit: '/exit',
  }),
  transcriptEnding: 'jsonl',
  transcript: async ({ home }, session) => textOfFile(home.path('.claude', 'projects'), `${session}.jsonl`),
}

async function claude(run: AgentRun, args: readonly string[]): Promise<TurnResult> {
  const words = ['-p', ...args, '--output-format', 'json']
  const { stdout, stderr, code } = await run.home.run(run.program, words, {
    env: claudeCode.environment(run),
  })
  const output = `${stdout}\n${stderr}`
  if (code !== 0) throw new Error(`claude ended with ${code}: ${output}`)
  return { session: (JSON.parse(stdout) as { session_id: string }).session_id, output }
}
