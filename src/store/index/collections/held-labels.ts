import type { Holder } from '../../tables/memory/holders.js'

/** What a memory is filtered by beside its own columns: labels of the holders that are not its first. */
export function heldLabels(holders: readonly Omit<Holder, 'held_at'>[]): string[] {
  return [
    ...new Set(
      holders.flatMap(({ agent_id, project, scope, visibility }) => [
        heldBy.agent(agent_id),
        heldBy.scope(scope),
        ...(project === null ? [] : [heldBy.project(project)]),
        ...(visibility === 'global' ? [heldBy.anybody] : []),
      ]),
    ),
  ]
}

/** The labels by themselves. None of one kind looks like one of another. */
export const heldBy = {
  anybody: 'all',
  agent: (id: string) => `agent ${id}`,
  project: (name: string) => `project ${name}`,
  scope: (name: string | null) => (name === null ? 'scope' : `scope ${name}`),
}
