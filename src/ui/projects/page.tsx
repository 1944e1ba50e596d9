import { useState } from 'preact/hooks'
import { countOf } from '../../lib/text/count-of.js'
import { call } from '../api/call.js'
import { changes, useLoaded } from '../api/loaded.js'
import { may } from '../api/session.js'
import { Confirm } from '../parts/dialog.js'
import { openPalette } from '../parts/palette-state.js'
import { Empty, Failure, Loading } from '../parts/placeholders.js'
import { type Column, VirtualTable } from '../parts/table/virtual-table.js'
import { showMessage } from '../parts/toast.js'
import { Command, Time } from '../parts/values.js'
import { addressOf } from '../routing/place.js'
import { navigate, type PageProps } from '../routing/router.js'
import type { Project } from './project-dialog.js'
import { ProjectDialog } from './project-dialog.js'

const columns: readonly Column<Project>[] = [
  { title: 'Project', width: 'minmax(7rem, 1fr)', cell: ({ name }) => name },
  { title: 'Key', width: 'minmax(0, 2fr)', wide: true, cell: ({ key }) => <span class="dim">{key}</span> },
  { title: 'Places', width: '5rem', wide: true, cell: ({ places }) => places.length },
  { title: 'Memories', width: '6rem', cell: ({ memories }) => memories },
  { title: 'Sessions', width: '6rem', wide: true, cell: ({ sessions }) => sessions },
  { title: 'Last used', width: '9.5rem', wide: true, cell: ({ usedAt }) => <Time at={usedAt} /> },
]

/** All projects, last used first. The key of the open one is in the address. */
export default function Projects({ place }: PageProps) {
  const [openKey] = place.rest
  const [isAdopting, setAdopting] = useState(false)
  const loaded = useLoaded(signal => call('GET /api/projects', {}, { signal }), [changes.value])
  const projects = loaded.value?.projects
  const open = projects?.find(({ keys }) => openKey !== undefined && keys.includes(openKey))
  return (
    <>
      <div class="head-line">
        <h1>Projects</h1>
        {may('admin') && (
          <button type="button" onClick={() => setAdopting(true)}>
            Adopt names…
          </button>
        )}
      </div>
      {loaded.error && <Failure error={loaded.error} retry={loaded.reload} />}
      {!projects && !loaded.error && <Loading />}
      {projects?.length === 0 && (
        <Empty title="No projects yet">
          <p>
            A repository or folder appears here once an agent works in it, or once you save a memory there
            with <Command text="memory remember" />.
          </p>
          <p>
            <button type="button" onClick={() => openPalette()}>
              Save a memory…
            </button>
          </p>
        </Empty>
      )}
      {projects && projects.length > 0 && (
        <VirtualTable
          label="Projects"
          columns={columns}
          count={projects.length}
          rowAt={position => projects[position]}
          keyOf={({ key }) => key}
          onOpen={({ key }) => navigate(addressOf('projects', [key]))}
        />
      )}
      {open && (
        <ProjectDialog
          key={open.key}
          project={open}
          others={projects?.filter(({ key }) => key !== open.key) ?? []}
          onClose={() => navigate(addressOf('projects'))}
        />
      )}
      {isAdopting && <Adopt onClose={() => setAdopting(false)} />}
    </>
  )
}

/** Shows which names and paths belong to a repository, and joins them with it. */
function Adopt({ onClose }: { onClose: () => void }) {
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
