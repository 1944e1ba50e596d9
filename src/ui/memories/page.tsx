import { useEffect } from 'preact/hooks'
import { useKeys } from '../parts/keys.js'
import { addressOf } from '../routing/place.js'
import { navigate, type PageProps } from '../routing/router.js'
import { MemoryDetail } from './detail.js'
import { MemoryList } from './list.js'
import type { ListQuery } from './list-query.js'
import './memories.css'

export default function Memories({ place }: PageProps) {
  const query = place.query as ListQuery
  const [id] = place.rest
  const close = () => navigate(addressOf('memories', [], { ...query }))
  useKeys(id === undefined ? [] : [{ key: 'Escape', does: 'Close the memory', run: close }])
  return (
    <>
      <h1>Memories</h1>
      <div class={id === undefined ? 'memories' : 'memories with-detail'}>
        <MemoryList query={query} open={id} />
        {id !== undefined && <Detail key={id} id={id} onClose={close} />}
      </div>
    </>
  )
}

function Detail({ id, onClose }: { id: string; onClose: () => void }) {
  useEffect(() => {
    document.getElementById('memory')?.scrollTo(0, 0)
  }, [])
  return (
    <section id="memory" class="detail" aria-label="Memory">
      <MemoryDetail id={id} onClose={onClose} />
    </section>
  )
}
