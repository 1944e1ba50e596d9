import { useState } from 'preact/hooks'
import { sourceKind } from '../../contract/ground/wire-names.js'
import { countOf } from '../../lib/text/count-of.js'
import { formatBytes } from '../../lib/text/format-bytes.js'
import { call, open } from '../api/call.js'
import { changes } from '../api/changes.js'
import { Confirm } from '../parts/confirm.js'
import { Fact } from '../parts/fact.js'
import { Check } from '../parts/fields/field.js'
import { JsonFileField } from '../parts/fields/json-file-field.js'
import { saveAs } from '../parts/save-as.js'
import { showMessage } from '../parts/toast.js'
import type { Source } from './source-words.js'

/** The daemon's limit. */
const maxBytes = 256 * 1024 * 1024

interface SnapshotProps {
  source: Source
  onClose: () => void
}

/** Exports all artifacts of a source as one file, for a daemon that cannot read the source itself. */
export function ExportSnapshot({ source, onClose }: SnapshotProps) {
  const [withChats, setWithChats] = useState(false)
  const act = async () => {
    const reply = await open('GET /api/sources/:sourceId/snapshot', requestOf(source, withChats))
    const content = await reply.blob()
    saveAs(`${source.name.replaceAll(/[^\p{L}\p{N}._-]+/gu, '-').slice(0, 100)}.json`, content)
    showMessage(`Exported ${formatBytes(content.size)}`)
  }
  return (
    <Confirm title="Export a snapshot" deed="Export" act={act} onClose={onClose} isMild>
      <p>
        One file with the text of {countOf(source.stats.artifacts, 'artifact')}. Anyone with the file can read
        it.
      </p>
      <LocalChats source={source} checked={withChats} onChange={setWithChats} />
    </Confirm>
  )
}

/** Replaces the artifacts of a source with those in another daemon's file. */
export function ImportSnapshot({ source, onClose, onDone }: SnapshotProps & { onDone: () => void }) {
  const [file, setFile] = useState<File>()
  const [withChats, setWithChats] = useState(false)
  const isTooLarge = file !== undefined && file.size > maxBytes
  const act = async () => {
    const { imported, skipped } = await call('POST /api/sources/:sourceId/snapshot/import', {
      ...requestOf(source, withChats),
      bytes: new Uint8Array((await file?.arrayBuffer()) ?? []),
      headers: { 'content-type': 'application/json' },
    })
    changes.value++
    showMessage(
      `${countOf(imported, 'artifact')} imported${skipped > 0 ? `, ${countOf(skipped, 'direct message')} skipped` : ''}`,
    )
    onDone()
  }
  return (
    <Confirm
      title="Import a snapshot"
      deed="Replace artifacts"
      isReady={file !== undefined && !isTooLarge}
      act={act}
      onClose={onClose}
    >
      <div class="stack">
        <JsonFileField label="Snapshot of a source of the same kind" onChoose={setFile} />
        {isTooLarge && <p class="bad">It is larger than {formatBytes(maxBytes)}.</p>}
        <LocalChats source={source} checked={withChats} onChange={setWithChats} />
        <dl class="facts">
          <Fact title="Replaced">{countOf(source.stats.artifacts, 'artifact')}</Fact>
          <Fact title="Kept">the source itself; the next sync replaces the snapshot</Fact>
        </dl>
      </div>
    </Confirm>
  )
}

interface LocalChatsProps {
  source: Source
  checked: boolean
  onChange: (checked: boolean) => void
}

/** Direct messages belong to one machine, so they are included only on request. */
function LocalChats({ source, checked, onChange }: LocalChatsProps) {
  if (source.kind !== sourceKind.discord) return null
  return (
    <Check checked={checked} onChange={onChange}>
      Include direct messages from the local Discord cache
    </Check>
  )
}

function requestOf({ id, agentId }: Source, includeLocalChatCache: boolean) {
  return { params: { sourceId: id }, query: { agentId, includeLocalChatCache } }
}
