import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { nameFault } from '../../contract/agents/skill-names.js'
import type { Ground } from './ground.js'

export interface SkillUse {
  agentId: string
  skill: string
  success: boolean
  latencyMs?: number | null | undefined
  /** `hook`: observed by the service itself. */
  source: 'reported' | 'hook'
}

/** Records a use of a skill; like all counters not synced to disk. @throws database errors. */
export async function recordSkillUse(
  { store, clock, newId }: Pick<Ground, 'store' | 'clock' | 'newId'>,
  { agentId, skill, success, latencyMs, source }: SkillUse,
): Promise<void> {
  const use = {
    id: newId(),
    agent_id: agentId,
    skill,
    success: success ? 1 : 0,
    latency_ms: latencyMs ?? null,
    source,
    at: clock().toISOString(),
  }
  await store.write({ until: 'executed' }, ({ skillUses }) => skillUses.add(use))
}

/** Records a use observed by a hook as a success; never fails the hook (skills.md 6.3). */
export async function noteSkillUse(
  deps: Pick<Ground, 'store' | 'clock' | 'newId' | 'log'>,
  use: Pick<SkillUse, 'agentId' | 'skill'>,
): Promise<void> {
  try {
    await recordSkillUse(deps, { ...use, success: true, source: 'hook' })
  } catch (error) {
    deps.log.warn({ err: error }, 'use of a skill not recorded')
  }
}

/** A prompt that calls a skill starts with its name after `/` or, in Codex, `$`. */
const call = /^\s{0,10}[/$]([^\s/]{1,64})(?=\s|$)/u

/** The installed skill a prompt calls; undefined for none: most words after `/` are commands. */
export async function skillCalledBy(
  { paths }: Pick<Ground, 'paths'>,
  prompt: string,
): Promise<string | undefined> {
  const name = call.exec(prompt)?.[1]
  if (name === undefined || nameFault(name) !== undefined) return undefined
  const file = await stat(join(paths.skills, name, 'SKILL.md')).catch(() => undefined)
  return file?.isFile() ? name : undefined
}
