import { createHash } from 'node:crypto'
import type { PluginManifest } from '../../../contract/platform/plugins.js'
import { tokensOf } from '../../ground/text/tokens.js'
import { scanContentInSlices } from '../../safety/late-scan.js'
import type { SafetyVerdict } from '../../safety/scan.js'
import { type Described, grantedTo, isRunning, type Plugin, stateOf } from './plugin.js'

export type PromptContribution = PluginManifest['promptContributions'][number] & { pluginId: string }

export interface LeftOut {
  id: string
  pluginId: string
  /** A sentence. */
  reason: string
  /** It is the text that is at fault, and not what was decided on its plugin. */
  isFault: boolean
}

export interface PromptPlan {
  /** In the order in which sessions are told of them: the highest priority first, equal ones by id. */
  contributions: readonly PromptContribution[]
  leftOut: readonly LeftOut[]
}

/** Tokens of all contributions together. */
export const maxPromptTokens = 1000

const contribute = 'prompt:contribute'

const clean: SafetyVerdict = { status: 'clean', reasons: [], rules: [] }

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
    const { id, pluginId } = one
    const cost = tokensOf(one.content)
    const undecided = reasonToWait(plugin, verdictOf(one.content))
    const reason = undecided ?? faultOf(one, verdictOf(one.content), maxPromptTokens - tokens)
    if (reason !== undefined) leftOut.push({ id, pluginId, reason, isFault: undecided === undefined })
    else {
      contributions.push(one)
      tokens += cost
    }
  }
  return { contributions, leftOut }
}

function reasonToWait(plugin: Plugin, verdict: SafetyVerdict | undefined): string | undefined {
  if (!isRunning(plugin)) return `the plugin is ${stateOf(plugin)}`
  if (!grantedTo(plugin).includes(contribute)) return `the plugin was not granted ${contribute}`
  return verdict ? undefined : 'its text is not checked yet'
}

function faultOf(
  { content, maxTokens }: PromptContribution,
  verdict: SafetyVerdict | undefined,
  room: number,
): string | undefined {
  const tokens = tokensOf(content)
  if (tokens > maxTokens) return `it has ${tokens} tokens and says of itself that it has ${maxTokens} at most`
  if (verdict && verdict.status !== 'clean') return `content safety: ${verdict.reasons.join(', ')}`
  if (tokens <= room) return undefined
  return `it has ${tokens} tokens, and those before it leave ${room} of ${maxPromptTokens}`
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
  /** Looks at the texts of these plugins, once at each; those of others are forgotten. */
  judge(found: readonly Described[]): Promise<void>
}

/**
 * Verdicts on what plugins contribute. @param bundled their texts are our own, and were judged by a test: a start with
 * none but these compiles no rule.
 */
export function createVerdicts(bundled: readonly Described[]): Verdicts {
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

function contentsOf(plugins: readonly Described[]): string[] {
  return plugins.flatMap(({ manifest }) =>
    (manifest?.promptContributions ?? []).map(({ content }) => content),
  )
}
