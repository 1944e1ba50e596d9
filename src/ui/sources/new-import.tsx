import { useState } from 'preact/hooks'
import { formatBytes } from '../../lib/text/format-bytes.js'
import { call } from '../api/call.js'
import { changes } from '../api/changes.js'
import { useLoaded } from '../api/loaded.js'
import { Confirm } from '../parts/confirm.js'
import { Field, Select } from '../parts/fields/field.js'
import { addressOf } from '../routing/place.js'
import { navigate } from '../routing/router.js'
import { formNames } from './import-words.js'
import { ChooseFiles } from './uploads/drop-files.js'
import { beginImport } from './uploads/upload-transcripts.js'

interface NewImportProps {
  /** Dropped files. */
  files: readonly File[]
  onClose: () => void
}

/** Imports conversations of other programs, or of another memory-service. */
export function NewImport({ files: dropped, onClose }: NewImportProps) {
  const [files, setFiles] = useState(dropped)
  const [adapter, setAdapter] = useState<keyof typeof formNames>('service-export')
  const [project, setProject] = useState('')
  const room = useLoaded(signal => call('GET /api/sources/imports', { query: { limit: 1 } }, { signal }), [])
  const longest = room.value?.room.file
  const tooLong = longest === undefined ? [] : files.filter(({ size }) => size > longest)
  const act = async () => {
    const jobId = await beginImport(files, { adapter, project: project.trim() || undefined })
    changes.value++
    navigate(addressOf('sources', ['imports', jobId]))
  }
  return (
    <Confirm
      title="Import conversations"
      deed="Import"
      act={act}
      onClose={onClose}
      isReady={files.length > 0 && tooLong.length === 0}
      isMild
    >
      <div class="stack">
        <Select label="Format" value={adapter} options={formNames} onChoose={setAdapter} />
        <p class="line">
          <ChooseFiles onFiles={more => setFiles([...files, ...more])}>Choose files…</ChooseFiles>
          {files.length > 0 && (
            <button type="button" class="plain" onClick={() => setFiles([])}>
              Clear
            </button>
          )}
        </p>
        <ul class="plain-list">
          {files.map(file => (
            <li key={`${file.name} ${file.size}`} class="words">
              {file.name} <span class="dim">{formatBytes(file.size)}</span>
            </li>
          ))}
        </ul>
        {tooLong.length > 0 && longest !== undefined && (
          <p class="bad">
            Free disk space limits each file to {formatBytes(longest)}. Free some space or choose smaller
            files.
          </p>
        )}
        <Field
          label="Project"
          value={project}
          onInput={setProject}
          hint="Applies to all new conversations. Leave empty to use the project of each record."
        />
      </div>
    </Confirm>
  )
}
