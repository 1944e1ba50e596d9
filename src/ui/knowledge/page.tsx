import { PageHead, type Tab } from '../parts/tabs.js'
import type { PageProps } from '../routing/page-props.js'
import { Entities } from './entities.js'
import { EntityDetail } from './entity-detail.js'
import { GraphTab } from './graph/graph-tab.js'
import { Proposals } from './proposals.js'
import { Review } from './review.js'
import './knowledge.css'

const tabs: readonly Tab[] = [
  { title: 'Entities' },
  { part: 'graph', title: 'Graph' },
  { part: 'review', title: 'Review' },
  { part: 'proposals', title: 'Proposals' },
]

/** Entities with their facts and evidence, and suggestions that wait for a decision. */
export default function Knowledge({ place }: PageProps) {
  const [part, id] = place.rest
  return (
    <>
      <PageHead
        page="knowledge"
        title="Knowledge"
        tabs={tabs}
        open={part === 'entity' ? undefined : part}
        isDeep={id !== undefined}
      />
      {part === 'graph' && <GraphTab place={place} />}
      {part === 'review' && <Review />}
      {part === 'proposals' && <Proposals />}
      {part === 'entity' && id !== undefined && <EntityDetail key={id} id={id} />}
      {part === undefined && <Entities q={place.query.q ?? ''} />}
    </>
  )
}
