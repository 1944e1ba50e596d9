import { countOf } from '../../lib/text/count-of.js'
import { call } from '../api/call.js'
import { changes } from '../api/changes.js'
import { useLoaded } from '../api/loaded.js'
import { Confirm } from '../parts/confirm.js'
import { Failure } from '../parts/failure.js'
import { Loading } from '../parts/loading.js'
import { showMessage } from '../parts/toast.js'

/** Shows which names and paths belong to a repository, and joins them with it. */
export function Adopt({ onClose }: { onClose: () => void }) {
  const preview = useLoaded(
    signal => call('POST /api/projects/adopt', { body: { dryRun: true } }, { signal }),
    [],
  )
  const { joins = [], unclear = [] } = preview.value ?? {}
  const act = async () => {
    const adopted = await call('POST /api/projects/adopt', { body: {} })
    changes.value++
    showMessage(`${countOf(adopted.joins.length, 'project')} joined`)
  }
  return (
    <Confirm title="Adopt names" deed="Join" act={act} onClose={onClose} isReady={joins.length > 0} isMild>
      <p>Projects saved under a name or path are joined with the repository they belong to.</p>
      {preview.error && <Failure error={preview.error} retry={preview.reload} />}
      {!preview.value && !preview.error && <Loading />}
      {preview.value && joins.length === 0 && <p>There is nothing to join.</p>}
      <ul aria-label="Joins">
        {joins.map(({ from, into, memories }) => (
          <li key={from.key} class="words">
            {from.key} with {into.key}, {countOf(memories, 'memory', 'memories')}
          </li>
        ))}
      </ul>
      {unclear.length > 0 && <p>Several projects have these names, so they stay as they are:</p>}
      <ul aria-label="Unclear">
        {unclear.map(({ project, candidates }) => (
          <li key={project} class="words">
            {project}: {candidates.join(', ')}
          </li>
        ))}
      </ul>
    </Confirm>
  )
}
