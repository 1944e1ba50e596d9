import { may } from '../api/session.js'
import { useLater } from '../parts/later.js'
import { useChanges } from './changes.js'
import { Health } from './health.js'
import { Injected } from './injected.js'
import { LatestChanges } from './latest-changes.js'
import { LiveSessions } from './live-sessions.js'
import { MemoriesByType } from './memories-by-type.js'
import { Recalls } from './recalls.js'

/** Figures are counted anew when changes have come to rest for so long. */
const settleMs = 2000

/** How everything does, at a glance. */
export default function Home() {
  const changes = useChanges()
  const changed = useLater(changes.count, settleMs)
  return (
    <>
      <h1>Home</h1>
      <div class="cards">
        {may('diagnostics') && <Health />}
        {may('analytics') && <Recalls />}
        {may('analytics') && <Injected />}
        <LiveSessions />
        <MemoriesByType changed={changed} />
        <LatestChanges {...changes} />
      </div>
    </>
  )
}
