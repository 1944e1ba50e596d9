import { countOf } from '../../lib/text/count-of.js'
import { askUntil } from '../terminal/ask-until.js'
import { startProgressBar } from '../terminal/progress-bar.js'
import type { DreamStatus } from './dream-text.js'

/** Waits until no pass runs or waits any more, and tells how far the one in hand is. */
export async function followDream(look: () => Promise<DreamStatus>): Promise<DreamStatus> {
  const bar = startProgressBar()
  try {
    return await askUntil(look, ({ jobId, passes }) => {
      if (jobId === null) return true
      const [pass] = passes
      const read = pass?.outcome === 'running' ? (pass.counts.pieces ?? 0) : undefined
      bar.update(read === undefined ? 'waiting for its turn' : `${countOf(read, 'piece')} read`)
      return false
    })
  } finally {
    bar.stop()
  }
}
