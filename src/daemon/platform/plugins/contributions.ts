import { createHash } from 'node:crypto'
import type { PluginManifest } from '../../../contract/platform/plugins.js'
import { type SafetyVerdict, scanContentInSlices } from '../../ground/safety/scan.js'
import { tokensOf } from '../../ground/text/tokens.js'
import { grantedTo, isRunning, type Plugin, stateOf } from './plugin.js'

export type PromptContribution = PluginManifest['promptContributions'][number] & { pluginId: string }

export interface LeftOut {
  id: string
  pluginId: string
  /** A sentence. */
  reason: string
}

export interface PromptPlan {
  /** In the order in which sessions are told of them: the highest priority first, equal ones by id. */
  contributions: readonly PromptContribution[]
  leftOut: readonly LeftOut[]
}

/** Tokens of all contributions together. */
export const maxPromptTokens = 1000

const contribute = 'prompt:contribute'

/** What the content safety policy says of a text; undefined while nobody has looked. */
export type VerdictOf = (content: string) => SafetyVerdict | undefined

/** Which contributions count, and why the others do not (plugins.md 4). */
export function planPrompt(plugins: readonly Plugin[], verdictOf: VerdictOf): PromptPlan {
  const all = plugins
    .flatMap(plugin =>
      (plugin.manifest?.promptContributions ?? []).map(one => ({
        plugin,
        one: { ...one, pluginId: plugin.id },
      })),
    )
    .toSorted(({ one: a }, { one: b }) => b.priority - a.priority || compare(keyOf(a), keyOf(b)))
  const contributions: PromptContribution[] = []
  const leftOut: LeftOut[] = []
  let tokens = 0
  for (const { plugin, one } of all) {
    const cost = tokensOf(one.content)
    const reason =
      reasonAgainst(plugin, one, verdictOf) ??
      (tokens + cost > maxPromptTokens
        ? `all contributions together may have ${maxPromptTokens} tokens`
        : undefined)
    if (reason !== undefined) leftOut.push({ id: one.id, pluginId: one.pluginId, reason })
    else {
      contributions.push(one)
      tokens += cost
    }
  }
  return { contributions, leftOut }
}

function reasonAgainst(
  plugin: Plugin,
  { content, maxTokens }: PromptContribution,
  verdictOf: VerdictOf,
): string | undefined {
  if (!isRunning(plugin)) return `the plugin is ${stateOf(plugin)}`
  if (!grantedTo(plugin).includes(contribute)) return `the plugin was not granted ${contribute}`
  const tokens = tokensOf(content)
  if (tokens > maxTokens) return `it has ${tokens} tokens and says of itself that it has ${maxTokens} at most`
  const verdict = verdictOf(content)
  if (!verdict) return 'its text is not checked yet'
  return verdict.status === 'clean' ? undefined : `content safety: ${verdict.reasons.join(', ')}`
}

/** Contributions of several plugins may have the same id. */
export function keyOf({ pluginId, id }: Pick<PromptContribution, 'pluginId' | 'id'>): string {
  return `${pluginId}/${id}`
}

export function hashOf(content: string): string {
  return createHash('sha256').update(content).digest('hex').slice(0, 16)
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** Verdicts on the texts of contributions; each text is looked at once. */
export function createVerdicts(): { of: VerdictOf; judge(contents: readonly string[]): Promise<void> } {
  const known = new Map<string, SafetyVerdict>()
  return {
    of: content => known.get(content),
    judge: async contents => {
      for (const old of known.keys()) if (!contents.includes(old)) known.delete(old)
      for (const content of contents)
        if (!known.has(content)) known.set(content, await scanContentInSlices(content))
    },
  }
}
