import { scanContentInSlices } from '../../safety/scan.js'
import type { Survey } from './survey.js'

/** Stands for the name of a project or harness that reads like an attack. */
export const hiddenName = '(name not shown)'

/**
 * A survey whose names of projects and harnesses may enter a context: those of sessions, and of who saved a memory
 * again, stand outside the verdict on any row (rules.md 1.6).
 */
export async function withSafeNames({ projects, durable, nodes }: Survey): Promise<Survey> {
  const names = new Set([...projects, ...durable, ...nodes].map(({ project }) => project))
  for (const { harness } of nodes) names.add(harness)
  const hidden = new Set<string | null>()
  for (const name of names)
    if (name !== null && (await scanContentInSlices(name)).status !== 'clean') hidden.add(name)
  if (hidden.size === 0) return { projects, durable, nodes }
  const shown = (name: string | null): string | null => (hidden.has(name) ? hiddenName : name)
  const named = <One extends { project: string | null }>(one: One): One => ({
    ...one,
    project: shown(one.project),
  })
  const safeNodes = (all: Survey['nodes']) =>
    all.map(node => ({ ...named(node), harness: shown(node.harness) }))
  return {
    projects: projects.map(one => ({ ...named(one), nodes: safeNodes(one.nodes) })),
    durable: durable.map(named),
    nodes: safeNodes(nodes),
  }
}
