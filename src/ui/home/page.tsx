import { may } from '../api/session.js'
import { Health } from './health.js'
import { LatestMemories } from './latest-memories.js'
import { LiveSessions } from './live-sessions.js'
import { MemoriesByType } from './memories-by-type.js'
import { Recalls } from './recalls.js'

/** How everything does, at a glance. */
export default function Home() {
  return (
    <>
      <h1>Home</h1>
      <div class="cards">
        {may('diagnostics') && <Health />}
        {may('analytics') && <Recalls />}
        <LiveSessions />
        <MemoriesByType />
        <LatestMemories />
      </div>
    </>
  )
}
