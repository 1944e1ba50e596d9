import { createHash } from 'node:crypto'
import type { PluginManifest } from '../../../contract/platform/plugins.js'
import { tokensOf } from '../../ground/text/tokens.js'
import { scanContentInSlices } from '../../safety/late-scan.js'
import type { SafetyVerdict } from '../../safety/scan.js'
import { type DescribedPlugin, grantedTo, isRunning, type Plugin, stateOf } from './plugin.js'

export type PromptContribution = PluginManifest['promptContributions'][number] & { pluginId: string }

export interface OmittedContribution {
  id: string
  pluginId: string
  /** A sentence. */
  reason: string
  /** True when the text itself is at fault, not a decision about its plugin. */
  isFault: boolean
}

export interface PromptPlan {
  /** In the order in which sessions get them: highest priority first, equal ones by id. */
  contributions: readonly PromptContribution[]
  leftOut: readonly OmittedContribution[]
}

/** Limit for all contributions together. */
export const maxPromptTokens = 1000

const contribute = 'prompt:contribute'

const clean: SafetyVerdict = { status: 'clean', reasons: [], rules: [] }

/** The content safety verdict on a text; undefined before the scan. */
export type VerdictOf = (content: string) => SafetyVerdict | undefined

/** Selects the contributions that are used, with reasons for the others (plugins.md 4). */
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
  const leftOut: OmittedContribution[] = []
  let tokens = 0
  for (const { plugin, one } of all) {
    const { id, pluginId } = one
    const cost = tokensOf(one.content)
    const undecided = pendingReason(plugin, verdictOf(one.content))
    const reason = undecided ?? faultOf(one, verdictOf(one.content), maxPromptTokens - tokens)
    if (reason !== undefined) leftOut.push({ id, pluginId, reason, isFault: undecided === undefined })
    else {
      contributions.push(one)
      tokens += cost
    }
  }
  return { contributions, leftOut }
}

function pendingReason(plugin: Plugin, verdict: SafetyVerdict | undefined): string | undefined {
  if (!isRunning(plugin)) return `the plugin is ${stateOf(plugin)}`
  if (!grantedTo(plugin).includes(contribute)) return `the plugin was not granted ${contribute}`
  return verdict ? undefined : 'its text has not been scanned yet'
}

function faultOf(
  { content, maxTokens }: PromptContribution,
  verdict: SafetyVerdict | undefined,
  room: number,
): string | undefined {
  const tokens = tokensOf(content)
  if (tokens > maxTokens) return `it has ${tokens} tokens, more than its declared limit of ${maxTokens}`
  if (verdict && verdict.status !== 'clean') return `content safety: ${verdict.reasons.join(', ')}`
  if (tokens <= room) return undefined
  return `it has ${tokens} tokens, but only ${room} of ${maxPromptTokens} are left`
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

export interface Verdicts {
  of: VerdictOf
  /** Scans the texts of these plugins, each once; verdicts for other texts are dropped. */
  judge(found: readonly DescribedPlugin[]): Promise<void>
}

/**
 * Verdicts on plugin contributions. @param bundled their texts are our own and covered by a test, so a start
 * with only these compiles no rules
 */
export function createVerdicts(bundled: readonly DescribedPlugin[]): Verdicts {
  const ours = new Set(contentsOf(bundled))
  const known = new Map<string, SafetyVerdict>()
  return {
    of: content => (ours.has(content) ? clean : known.get(content)),
    judge: async found => {
      const contents = new Set(contentsOf(found))
      for (const old of [...known.keys()]) if (!contents.has(old)) known.delete(old)
      for (const content of contents)
        if (!ours.has(content) && !known.has(content)) known.set(content, await scanContentInSlices(content))
    },
  }
}

function contentsOf(plugins: readonly DescribedPlugin[]): string[] {
  return plugins.flatMap(({ manifest }) =>
    (manifest?.promptContributions ?? []).map(({ content }) => content),
  )
}
