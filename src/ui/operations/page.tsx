import type { ComponentType } from 'preact'
import type { Permission } from '../../contract/ground/endpoint.js'
import { may } from '../api/session.js'
import { Empty } from '../parts/placeholders.js'
import { PageHead } from '../parts/tabs.js'
import type { PageProps } from '../routing/router.js'
import { Backups } from './backups.js'
import { Diagnostics } from './diagnostics.js'
import { Git } from './git.js'
import { Work } from './jobs.js'
import { Log } from './log.js'
import { Repairs } from './repairs.js'
import { StoredEvents } from './stored-events.js'
import { Sync } from './sync.js'
import { Update } from './update.js'
import './operations.css'

interface Part {
  name: string
  title: string
  permission: Permission
  Shown: ComponentType<PageProps>
}

const parts: readonly Part[] = [
  { name: 'log', title: 'Log', permission: 'analytics', Shown: Log },
  { name: 'work', title: 'Jobs', permission: 'diagnostics', Shown: Work },
  { name: 'diagnostics', title: 'Diagnostics', permission: 'diagnostics', Shown: Diagnostics },
  { name: 'repair', title: 'Repair', permission: 'admin', Shown: Repairs },
  { name: 'backups', title: 'Backups', permission: 'diagnostics', Shown: Backups },
  { name: 'sync', title: 'Machines', permission: 'diagnostics', Shown: Sync },
  { name: 'git', title: 'Git', permission: 'diagnostics', Shown: Git },
  { name: 'update', title: 'Update', permission: 'diagnostics', Shown: Update },
  { name: 'telemetry', title: 'Telemetry', permission: 'analytics', Shown: StoredEvents },
]

/** The daemon's state and maintenance. */
export default function Operations({ place }: PageProps) {
  const shown = parts.filter(({ permission }) => may(permission))
  const [wanted = shown[0]?.name] = place.rest
  const part = shown.find(({ name }) => name === wanted)
  return (
    <>
      <PageHead
        page="operations"
        title="Operations"
        tabs={shown.map(({ name, title }) => ({ part: name, title }))}
        open={wanted}
        isDeep={place.rest.length > 1}
      />
      {part ? (
        <part.Shown key={part.name} place={place} />
      ) : (
        <Empty title="Page not found">
          <p>It does not exist, or your credential does not allow it.</p>
        </Empty>
      )}
    </>
  )
}
