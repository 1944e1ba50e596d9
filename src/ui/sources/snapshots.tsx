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
import { say } from '../parts/toast.js'
import type { Source } from './source-words.js'

/** As many as the daemon takes. */
const maxBytes = 256 * 1024 * 1024

interface SnapshotProps {
  source: Source
  onClose: () => void
}

/** All that was read of a source as one file, for a daemon that can't read the source itself. */
export function ExportSnapshot({ source, onClose }: SnapshotProps) {
  const [withChats, setWithChats] = useState(false)
  const act = async () => {
    const reply = await open('GET /api/sources/:sourceId/snapshot', requestOf(source, withChats))
    const content = await reply.blob()
    saveAs(`${source.name.replaceAll(/[^\p{L}\p{N}._-]+/gu, '-').slice(0, 100)}.json`, content)
    say(`${formatBytes(content.size)} saved`)
  }
  return (
    <Confirm title="Save a snapshot" deed="Save it" act={act} onClose={onClose} isMild>
      <p>
        One file with the text of {countOf(source.stats.artifacts, 'artifact')}: whoever has it can read them.
      </p>
      <LocalChats source={source} checked={withChats} onChange={setWithChats} />
    </Confirm>
  )
}

/** Replaces what was read of a source by a file of another daemon. */
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
    say(
      `${countOf(imported, 'artifact')} taken in${skipped > 0 ? `, ${countOf(skipped, 'direct message')} left out` : ''}`,
    )
    onDone()
  }
  return (
    <Confirm
      title="Take a snapshot in"
      deed="Replace what was read"
      isReady={file !== undefined && !isTooLarge}
      act={act}
      onClose={onClose}
    >
      <div class="stack">
        <JsonFileField label="A snapshot of a source of this kind" onChoose={setFile} />
        {isTooLarge && <p class="bad">It is larger than {formatBytes(maxBytes)}.</p>}
        <LocalChats source={source} checked={withChats} onChange={setWithChats} />
        <dl class="facts">
          <Fact title="Goes">{countOf(source.stats.artifacts, 'artifact')}, as they were read</Fact>
          <Fact title="Stays">the source itself; when it is read next, what is there counts again</Fact>
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

/** Direct messages are of one machine: they go along only when that is asked for. */
function LocalChats({ source, checked, onChange }: LocalChatsProps) {
  if (source.kind !== sourceKind.discord) return null
  return (
    <Check checked={checked} onChange={onChange}>
      With direct messages of the cache of a chat program
    </Check>
  )
}

function requestOf({ id, agentId }: Source, includeLocalChatCache: boolean) {
  return { params: { sourceId: id }, query: { agentId, includeLocalChatCache } }
}
