import type { ExecutionContext } from 'ava'

/** Everything that an export holds, without times of exports and recalls, which are noted a little later. */
export async function exportedLines({ url }: { url: string }): Promise<string[]> {
  const reply = await fetch(`${url}/api/export?includeDeleted=true`)
  const lines = (await reply.text()).split('\n').filter(line => line !== '')
  return lines
    .map(line => line.replace(/"(?:exportedAt|last_accessed|access_count)":(?:"[^"]*"|null|\d+)/gu, ''))
    .sort()
}

/** The lines of one export that the other one lacks, shortened. */
function lacking(some: readonly string[], others: readonly string[]): string[] {
  const known = new Set(others)
  return some.filter(line => !known.has(line)).map(line => line.slice(0, 300))
}

export function equalExports(t: ExecutionContext, some: readonly string[], others: readonly string[]): void {
  t.deepEqual([lacking(some, others).slice(0, 3), lacking(others, some).slice(0, 3)], [[], []])
  t.is(some.length, others.length)
}
