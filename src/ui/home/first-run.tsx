import type { ComponentChildren } from 'preact'
import { useRef } from 'preact/hooks'
import { call } from '../api/call.js'
import { chosenProject } from '../api/chosen-project.js'
import { useLoaded } from '../api/loaded.js'
import { may } from '../api/session.js'
import { ConnectAgents, ImportSessions } from '../frame/connect-agents.js'
import { openPalette } from '../parts/palette-state.js'

/** The first steps, until all are done. @param changed increased by changes */
export function FirstRun({ changed }: { changed: number }) {
  const areDone = useRef(false)
  const { value } = useLoaded(signal => (areDone.current ? undefined : stepsTaken(signal)), [changed])
  if (value && Object.values(value).every(Boolean)) areDone.current = true
  if (!value || areDone.current || chosenProject.value !== undefined) return null
  return (
    <section class="card" aria-label="First steps">
      <h2>First steps</h2>
      <ol class="steps">
        <Step isDone={value.isSaved}>
          Save what an agent should know.{' '}
          {may('remember') && (
            <button type="button" onClick={() => openPalette()}>
              Save a memory…
            </button>
          )}
        </Step>
        <Step isDone={value.hasSession}>
          Connect your coding agents, and import what they did before. <ConnectAgents /> <ImportSessions />
        </Step>
        <Step isDone={value.isGiven}>
          Start one in a project. What it is given and asks appears below; <a href="#/preview">Preview</a>{' '}
          shows it before.
        </Step>
      </ol>
    </section>
  )
}

async function stepsTaken(signal: AbortSignal) {
  const [counts, sessions, activity] = await Promise.all([
    call('GET /api/memories/counts', {}, { signal }),
    call('GET /api/sessions', { query: { past: true, limit: 1 } }, { signal }),
    call('GET /api/sessions/activity', { query: { limit: 1 } }, { signal }),
  ])
  return { isSaved: counts.total > 0, hasSession: sessions.count > 0, isGiven: activity.count > 0 }
}

function Step({ isDone, children }: { isDone: boolean; children: ComponentChildren }) {
  return (
    <li class={isDone ? 'done' : undefined}>
      <span class={isDone ? 'good' : 'dim'}>{isDone ? '✓ ' : '○ '}</span>
      <span class="unseen">{isDone ? 'done: ' : 'to do: '}</span>
      {children}
    </li>
  )
}
