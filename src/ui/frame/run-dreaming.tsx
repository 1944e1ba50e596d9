import { useState } from 'preact/hooks'
import { call } from '../api/call.js'
import { changes } from '../api/loaded.js'
import { may } from '../api/session.js'
import { showFailure, showMessage } from '../parts/toast.js'
import { Command } from '../parts/values.js'

const lookMs = 500
/** A pass that takes longer shows its facts when the page is loaded again. */
const looks = 240

/** Starts a pass of Dreaming, waits for its end, and reloads lists then. */
export async function runDreaming(): Promise<void> {
  await call('POST /api/dream/trigger', {})
  showMessage('Dreaming runs. New facts appear on the page Knowledge.')
  if (!may('diagnostics')) return
  for (let look = 0; look < looks; look++) {
    await new Promise(resolve => setTimeout(resolve, lookMs))
    const { running, jobId } = await call('GET /api/dream/status')
    if (running || jobId !== null) continue
    changes.value++
    return
  }
}

/** A way from an empty list of facts to a filled one. */
export function RunDreaming() {
  const [isRunning, setRunning] = useState(false)
  const run = () => {
    setRunning(true)
    runDreaming().then(
      () => setRunning(false),
      thrown => {
        setRunning(false)
        showFailure(thrown)
      },
    )
  }
  if (!may('admin')) return <Command text="memory dream run" />
  return (
    <button type="button" disabled={isRunning} onClick={run}>
      {isRunning ? 'Dreaming…' : 'Run Dreaming'}
    </button>
  )
}
