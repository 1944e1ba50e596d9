import { may } from '../api/session.js'
import { PageHead, type Tab } from '../parts/tabs.js'
import type { PageAddress } from '../routing/place.js'
import type { PageProps } from '../routing/router.js'
import { Agents } from './agents.js'
import { Messages } from './messages.js'
import { Plugins } from './plugins.js'
import { Skills } from './skills.js'
import { TaskDetail } from './task-detail.js'
import { TaskList } from './task-list.js'
import './tasks.css'

/** Tasks, agents, messages, skills and plugins. */
export default function Tasks({ place }: PageProps) {
  const open = partOf(place)
  return (
    <>
      <PageHead
        page="tasks"
        title="Tasks and agents"
        tabs={tabsShown()}
        open={open}
        isDeep={place.rest.length > 1}
      />
      <Part place={place} open={open} />
    </>
  )
}

function tabsShown(): Tab[] {
  return [
    ...(may('diagnostics') ? [{ title: 'Tasks' }] : []),
    { part: 'agents', title: 'Agents' },
    ...(may('remember') ? [{ part: 'messages', title: 'Messages' }] : []),
    { part: 'skills', title: 'Skills' },
    ...(may('diagnostics') ? [{ part: 'plugins', title: 'Plugins' }] : []),
  ]
}

/** Returns undefined for the tasks; users without access to them start with the agents. */
function partOf({ rest: [part] }: PageAddress): string | undefined {
  if (part === undefined || part === 'task') return may('diagnostics') ? undefined : 'agents'
  return part
}

function Part({ place, open }: { place: PageAddress; open: string | undefined }) {
  const [part, id] = place.rest
  if (open === 'agents') return <Agents />
  if (open === 'messages') return <Messages agent={place.query.agent} />
  if (open === 'skills') return <Skills />
  if (open === 'plugins') return <Plugins />
  return part === 'task' && id !== undefined ? <TaskDetail key={id} id={id} /> : <TaskList />
}
