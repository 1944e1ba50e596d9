/**
 * The API's names of products. Addresses, settings, ids and stored rows contain them and programs rely on
 * them, so they must not change. Loads no schema.
 */
export const sourceKind = {
  obsidian: 'notevault',
  discord: 'chatguild',
  github: 'coderepo',
} as const

export const secretProvider = { local: 'local', bitwarden: 'vaulta', onePassword: 'vaultb' } as const

/** Prefix of a reference to a secret in a password manager. */
export const secretScheme = {
  bitwarden: `${secretProvider.bitwarden}://`,
  onePassword: `${secretProvider.onePassword}://`,
} as const
export type SecretScheme = (typeof secretScheme)[keyof typeof secretScheme]

export const taskHarness = {
  claudeCode: 'harness_a',
  codex: 'harness_b',
  openCode: 'harness_c',
  gemini: 'gemini',
  qwen: 'qwen',
  copilot: 'copilot',
  kimi: 'kimi',
  pi: 'pi',
  hermes: 'hermes-agent',
  acp: 'acp',
} as const

/** Display names of the products. */
export const sourceProducts = {
  [sourceKind.obsidian]: 'Obsidian',
  [sourceKind.discord]: 'Discord',
  [sourceKind.github]: 'GitHub',
} as const

export const secretProducts = {
  [secretProvider.bitwarden]: 'Bitwarden',
  [secretProvider.onePassword]: '1Password',
} as const

export const harnessProducts = {
  [taskHarness.claudeCode]: 'Claude Code',
  [taskHarness.codex]: 'Codex',
  [taskHarness.openCode]: 'OpenCode',
  [taskHarness.gemini]: 'Gemini CLI',
  [taskHarness.qwen]: 'Qwen Code',
  [taskHarness.copilot]: 'Copilot CLI',
  [taskHarness.kimi]: 'Kimi Code',
  [taskHarness.pi]: 'pi',
  [taskHarness.hermes]: 'Hermes Agent',
  [taskHarness.acp]: 'Any agent that speaks ACP',
} as const

/** The programs of the harnesses. That of `acp` is in the task. */
export const harnessProgramNames = {
  [taskHarness.claudeCode]: 'claude',
  [taskHarness.codex]: 'codex',
  [taskHarness.openCode]: 'opencode',
  [taskHarness.gemini]: 'gemini',
  [taskHarness.qwen]: 'qwen',
  [taskHarness.copilot]: 'copilot',
  [taskHarness.kimi]: 'kimi',
  [taskHarness.pi]: 'pi',
  [taskHarness.hermes]: 'hermes',
  [taskHarness.acp]: 'acp',
} as const

/** Modes of the background work that derives memories and facts from conversations (knowledge.md#modes). */
export const pipelineModes = ['controlled-write', 'shadow', 'frozen', 'paused', 'disabled'] as const
export type PipelineMode = (typeof pipelineModes)[number]

/** Types that people save. The table is apart from the schemas, which commands and the page do not load. */
export const memoryTypes = [
  'fact',
  'preference',
  'decision',
  'rule',
  'learning',
  'issue',
  'procedural',
  'semantic',
] as const

/** Kinds of code that a memory mentions, and the states of a tie. */
export const tieKinds = ['path', 'symbol', 'commit'] as const
export type TieKind = (typeof tieKinds)[number]
export const tieStates = ['here', 'changed', 'gone'] as const
export type TieState = (typeof tieStates)[number]

/** Domains of diagnostics, and `composite` for all of them. */
export const domainNames = [
  'queue',
  'storage',
  'index',
  'provider',
  'mutation',
  'duplicate',
  'connector',
  'update',
  'graph',
  'openclaw',
  'composite',
] as const

/**
 * The `error` of a cancelled run (tasks.md#runs). In a file of its own, so that a terminal does not load
 * schemas for it.
 */
export const cancelledByCaller = 'cancelled'

/** The actor name of MCP tools in requests to the daemon (mcp.md 4.9). */
export const mcpActor = 'mcp-server'
