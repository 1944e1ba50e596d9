import type { PageProps } from '../routing/page-props.js'
import { addressOf } from '../routing/place.js'
import { Entities } from './entities.js'
import { EntityDetail } from './entity-detail.js'
import { Proposals } from './proposals.js'
import './knowledge.css'

/** What is known of the things that memories speak of, why, and what waits for a decision. */
export default function Knowledge({ place }: PageProps) {
  const [part, id] = place.rest
  return (
    <>
      <div class="head-line">
        <h1>Knowledge</h1>
        <a href={addressOf('knowledge')} aria-current={part === undefined ? 'page' : undefined}>
          Entities
        </a>
        <a
          href={addressOf('knowledge', ['proposals'])}
          aria-current={part === 'proposals' ? 'page' : undefined}
        >
          Proposals
        </a>
      </div>
      {part === 'proposals' && <Proposals />}
      {part === 'entity' && id !== undefined && <EntityDetail key={id} id={id} />}
      {part === undefined && <Entities q={place.query.q ?? ''} />}
    </>
  )
}
