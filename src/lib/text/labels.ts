/** Channels of a recall, which are also reasons for a row and steps of its ranking. */
const channels = {
  keyword: 'keywords',
  hints: 'hints',
  vector: 'semantic',
  claims: 'entity facts',
  traversal: 'entity graph',
} as const

/**
 * Display names of the API's values for screens. Product names of wire names, such as `notevault`, are in
 * `contract/ground/wire-names.ts`.
 */
const labels = {
  blockedReason: {
    different_value: 'contradicts the current value',
    contradiction: 'negates the current value',
    opposed_validity: 'has another validity period',
  },
  channel: channels,
  deliveryState: { in_flight: 'sending', indeterminate: 'unknown' },
  /** The reason why a preview does not show a record. */
  displaced: {
    wrong: 'marked as wrong',
    summary: 'in MEMORY.md',
    budget: 'over the token budget',
    alike: 'says the same as another',
    unused: 'never used in 3 sessions',
    full: 'places are full',
    shownBefore: 'already in the session',
    notSure: 'too uncertain',
  },
  domain: {
    queue: 'Jobs',
    storage: 'Storage',
    index: 'Index',
    provider: 'Providers',
    mutation: 'Changes',
    duplicate: 'Duplicates',
    connector: 'Sources',
    update: 'Updates',
    graph: 'Knowledge',
    openclaw: 'Coding agents',
  },
  evidenceSource: { transcript: 'conversation' },
  evidenceState: {
    stands: 'unchanged',
    moved: 'moved within its source',
    changed: 'source changed',
    forgotten: 'source forgotten',
    unclean: 'source unsafe',
    gone: 'source deleted',
  },
  /** The reason why a session received an item. */
  foundBy: {
    ...channels,
    context: 'next to a match',
    supersedes: 'replaces a match',
    graph: 'entity graph',
    aggregate: 'summary of the results',
    score: 'session start',
    parent: 'parent session',
    project: 'same project',
    name: 'named in the prompt',
    alias: 'alias in the prompt',
    unread: 'unread message',
  },
  harness: {
    antigravity: 'Antigravity',
    'claude-code': 'Claude Code',
    codex: 'Codex',
    copilot: 'Copilot',
    cursor: 'Cursor',
    devin: 'Devin',
    droid: 'Factory Droid',
    gemini: 'Gemini',
    grok: 'Grok',
    junie: 'Junie',
    kilo: 'Kilo Code',
    kimi: 'Kimi Code',
    kiro: 'Kiro',
    opencode: 'OpenCode',
    qwen: 'Qwen Code',
    vscode: 'VS Code',
  },
  /** A change that only used the memory, for example as the source of a fact, is not one of its text. */
  historyEvent: { none: 'used' },
  importState: { staging: 'waiting for files', active: 'running' },
  integrity: {
    verified: 'verified',
    unsupported: 'no longer supported',
    broken: 'does not match its sources',
    unknown: 'not checked',
  },
  leftOut: {
    belowCutOff: 'below the cut-off',
    beyondLimit: 'beyond the limit',
    shownBefore: 'already shown',
    noRoom: 'over the token budget',
    notSure: 'too uncertain',
  },
  memoryType: { document_chunk: 'passage', source_chunk: 'passage' },
  operation: {
    create_entity: 'Add entity',
    add_alias: 'Add alias',
    retire_alias: 'Remove alias',
    merge_entities: 'Merge entities',
    split_entity: 'Split entity',
    assert_claim: 'Add fact',
    supersede_claim: 'Replace fact',
    retract_claim: 'Retract fact',
    link: 'Add relation',
    unlink: 'Remove relation',
    add_memory: 'Add memory',
    supersede_memory: 'Replace memory',
    forget_memory: 'Forget memory',
    mention_entity: 'Link memory to entity',
    prune_entity: 'Remove entity',
    end_fact: 'End fact',
  },
  pipelineMode: {
    'controlled-write': 'on',
    disabled: 'off',
  },
  /** Kinds of records in a preview. */
  previewPlace: {
    guide: 'rules and decisions',
    issue: 'open issues',
    newest: 'newest',
    session: 'earlier sessions',
    message: 'messages',
    entity: 'entities',
    answer: 'answers',
  },
  pluginEvent: {
    'plugin.capabilities_changed': 'capabilities changed',
    'plugin.capability_denied': 'capability denied',
    'plugin.health_failed': 'health check failed',
    'plugin.discovered': 'discovered',
    'plugin.enabled': 'enabled',
    'plugin.disabled': 'disabled',
    'plugin.blocked': 'blocked',
    'plugin.degraded': 'degraded',
    'prompt.contribution_added': 'session instructions added',
    'prompt.contribution_removed': 'session instructions removed',
  },
  queue: {
    memory: 'memories',
    summary: 'summaries',
    document: 'documents',
    source: 'sources',
    import: 'imports',
  },
  rankingStep: {
    ...channels,
    standing: 'guidance',
    ground: 'changed code',
    crowding: 'same document',
    currentness: 'outdated',
    judgement: 'your rating',
    rerank: 'reranking',
  },
  runStatus: { pending: 'queued', timeout: 'timed out' },
  runTrigger: { schedule: 'scheduled' },
  surface: {
    daemonRoutes: 'API routes',
    cliCommands: 'commands',
    mcpTools: 'agent tools',
    dashboardPanels: 'panels',
    sdkClients: 'SDK clients',
    connectorCapabilities: 'connectors',
    promptContributions: 'session instructions',
  },
  worker: {
    capture: 'transcripts',
    synthesis: 'MEMORY.md',
    document: 'documents',
    source: 'source embeddings',
    code: 'code index',
    import: 'imports',
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, string>>>>

/**
 * Lists the number of omitted entries per reason: `3 below the cut-off`. Reasons with a count of 0 are
 * skipped.
 */
export function leftOutWords(counts: Readonly<Record<string, number>>): string[] {
  return Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([reason, count]) => `${count} ${labelOf('leftOut', reason)}`)
}

/** Returns the display name of a value; a value without one is shown with spaces for underscores. */
export function labelOf(field: keyof typeof labels, value: string): string {
  const names: Readonly<Record<string, string>> = labels[field]
  return (Object.hasOwn(names, value) && names[value]) || value.replaceAll('_', ' ')
}

const actors: ReadonlyMap<string, string> = new Map([
  ['pipeline-v2', 'Dreaming'],
  ['pipeline-shadow', 'Dreaming (shadow)'],
])

/** Returns the display name of whoever made a change. */
export function actorName(actor: string): string {
  return actors.get(actor) ?? actor
}

/** Describes how a recall found a row: `keyword+vector` is `keywords + semantic`. */
export function foundByLabel(source: string): string {
  return source
    .split('+')
    .map(one => labelOf('foundBy', one))
    .join(' + ')
}

/** A fact by its slot and value. */
export interface SlotValue {
  group: string
  claim: string
  value: string
}

/**
 * Writes a fact as one reads it: the value alone where it repeats the name of the claim, otherwise both.
 * @returns for example `port: 7421`, or `Never deploy on Friday` of the claim "deploy on friday".
 */
export function factText({ group, claim, value }: SlotValue): string {
  const said = new Set(wordsOf(value))
  const named = wordsOf(claim)
  if (named.length > 0 && named.every(word => said.has(word))) return value
  return `${group === 'general' ? '' : `${group}, `}${claim}: ${value}`
}

/** Writes a link between two entities as one reads it on the page of one of them. */
export function linkText(link: { direction: 'to' | 'from'; relation: string; other: string }): string {
  const { direction, relation, other } = link
  return direction === 'to' ? `${relation} ${other}` : `${other} ${relation} it`
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
}

/** The last day of a period, whose end is exclusive. */
export function lastDay(until: string): string {
  return new Date(Date.parse(until) - 1).toISOString().slice(0, 10)
}

/**
 * Returns the name of a project for each key. It is empty without a project, and if everything shown belongs
 * to one project.
 */
export function projectNamer(
  projects: readonly { key: string; name: string }[],
): (key: string | null) => string {
  const names = new Map(projects.map(({ key, name }) => [key, name]))
  return key => (key === null || names.size < 2 ? '' : (names.get(key) ?? key))
}

/** Formats when a fact holds: `since 2026-03-03`, `from 2027-04-01` if planned, `until 2026-05-01`. */
export function sinceText({
  since,
  until,
  notedAt,
}: {
  since: string | null
  until: string | null
  notedAt: string
}): string {
  if (until !== null) return `${since === null ? '' : `${since.slice(0, 10)} `}until ${lastDay(until)}`
  const at = since ?? notedAt
  return `${sinceWord(at)} ${at.slice(0, 10)}`
}

/** The word before the time since when a fact holds. */
export function sinceWord(at: string): 'since' | 'from' {
  return Date.parse(at) > Date.now() ? 'from' : 'since'
}
