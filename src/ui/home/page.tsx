import { call } from '../api/call.js'
import { useLoaded } from '../api/loaded.js'
import { Failure } from '../parts/failure.js'
import { Loading } from '../parts/loading.js'
import { Time } from '../parts/time.js'

export default function Home() {
  const status = useLoaded(signal => call('GET /api/status', {}, { signal }), [])
  if (status.error) return <Failure error={status.error} retry={status.reload} />
  if (!status.value) return <Loading />
  const { version, workspace, startedAt, memories, health } = status.value
  return (
    <>
      <h1>Home</h1>
      <dl class="facts">
        <div>
          <dt>Health</dt>
          <dd>{health.status}</dd>
        </div>
        <div>
          <dt>Memories</dt>
          <dd>{memories.toLocaleString()}</dd>
        </div>
        <div>
          <dt>Workspace</dt>
          <dd>
            <code>{workspace}</code>
          </dd>
        </div>
        <div>
          <dt>Daemon</dt>
          <dd>
            {version}, started <Time at={startedAt} />
          </dd>
        </div>
      </dl>
    </>
  )
}
