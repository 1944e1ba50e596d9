import { shortNameOf } from '../../../lib/text/names.js'
import type { Projects } from './projects.js'

/** Adds the projects of rows that come from elsewhere, under the keys that the rows have. */
export async function learnProjects(
  projects: Pick<Projects, 'ready' | 'row' | 'change'>,
  keys: readonly (string | null | undefined)[],
  now: Date,
): Promise<void> {
  await projects.ready()
  const fresh = new Set(keys.flatMap(key => (key && !projects.row(key) ? [key] : [])))
  if (fresh.size === 0) return
  const at = now.toISOString()
  await projects.change(async tables => {
    for (const key of fresh) {
      await tables.add({ key, name: shortNameOf(key), created_at: at, used_at: at })
      await tables.putKey(key, key)
    }
  })
}
