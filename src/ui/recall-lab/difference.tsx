import { addressOf } from '../routing/place.js'
import type { Difference as Found } from './compare.js'

/** New, lost and moved results with the ends of their ids. */
export function Difference({ difference }: { difference: Found | undefined }) {
  if (!difference) return null
  const { found, lost, moved } = difference
  if (found.length + lost.length + moved.length === 0) return <strong class="good">unchanged</strong>
  return (
    <span>
      <Ids words="found" tone="good" ids={found} /> <Ids words="lost" tone="bad" ids={lost} />{' '}
      <span title={moved.map(({ id, from, to }) => `${id}: ${from} → ${to}`).join('\n')}>
        {moved.length} moved
      </span>
    </span>
  )
}

function Ids({ words, tone, ids }: { words: string; tone: string; ids: readonly string[] }) {
  return (
    <span class={ids.length > 0 ? tone : 'dim'}>
      {ids.length} {words}
      {ids.map(id => (
        <a key={id} href={addressOf('memories', [id])}>
          {' '}
          {id.slice(-6)}
        </a>
      ))}
    </span>
  )
}
