import { countOf } from '../../lib/text/count-of.js'
import { askUntil } from '../terminal/ask-until.js'
import { startProgressBar } from '../terminal/progress-bar.js'
import type { ShownConnector } from './connector-text.js'

/** Waits until a connector is synchronised and its documents are read, and tells how far it is. */
export async function followSync(look: () => Promise<ShownConnector>): Promise<ShownConnector> {
  const bar = startProgressBar()
  try {
    return await askUntil(look, ({ status, details }) => {
      const reading = status === 'error' ? 0 : (details?.documents.reading ?? 0)
      if (status !== 'syncing' && reading === 0) return true
      const total = details?.documents.total ?? 0
      if (status === 'syncing') bar.update(listingText(details?.progress))
      else bar.update(`${total - reading} of ${countOf(total, 'document')} read`, (total - reading) / total)
      return false
    })
  } finally {
    bar.stop()
  }
}

function listingText(progress: NonNullable<ShownConnector['details']>['progress'] | undefined): string {
  const { listed = 0, taken = 0, removed = 0 } = progress ?? {}
  return `${countOf(listed, 'file')} looked at, ${taken} taken${removed > 0 ? `, ${removed} removed` : ''}`
}
