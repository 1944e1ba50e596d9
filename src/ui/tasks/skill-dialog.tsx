import { useState } from 'preact/hooks'
import type { Reply } from '../../contract/api.js'
import { countOf } from '../../lib/text/count-of.js'
import { call } from '../api/call.js'
import { changes } from '../api/changes.js'
import { useLoaded } from '../api/loaded.js'
import { may } from '../api/session.js'
import { Confirm } from '../parts/confirm.js'
import { Dialog } from '../parts/dialog.js'
import { Fact } from '../parts/fact.js'
import { Failure } from '../parts/failure.js'
import { Loading } from '../parts/loading.js'
import { LongText } from '../parts/long-text.js'
import { showMessage } from '../parts/toast.js'

type Skill = Reply<'GET /api/skills/:name'>

/** One skill with its instructions. */
export function SkillDialog({ name, onClose }: { name: string; onClose: () => void }) {
  const [isRemoving, setRemoving] = useState(false)
  const loaded = useLoaded(signal => call('GET /api/skills/:name', { params: { name } }, { signal }), [name])
  const skill = loaded.value
  if (isRemoving && skill) return <RemoveSkill skill={skill} onClose={onClose} />
  return (
    <Dialog title={name} onClose={onClose}>
      <div class="stack">
        {loaded.error && <Failure error={loaded.error} retry={loaded.reload} />}
        {!skill && !loaded.error && <Loading />}
        {skill && <SkillFacts skill={skill} />}
        {may('admin') && (
          <footer>
            <button type="button" class="plain" disabled={!skill} onClick={() => setRemoving(true)}>
              Remove…
            </button>
          </footer>
        )}
      </div>
    </Dialog>
  )
}

function SkillFacts({ skill }: { skill: Skill }) {
  const { description, author, license, path, problems, content, files, fileCount } = skill
  return (
    <>
      <p class="words">{description}</p>
      {problems.map(problem => (
        <p key={problem} class="warn words">
          {problem}
        </p>
      ))}
      <dl class="facts">
        {author && <Fact title="Author">{author}</Fact>}
        {license && <Fact title="License">{license}</Fact>}
        <Fact title="Folder">{path}</Fact>
        <Fact title="Files">
          {files.slice(0, 20).join(', ')}
          {fileCount > 20 && ` and ${fileCount - 20} more`}
        </Fact>
      </dl>
      <LongText label="SKILL.md" text={content} />
    </>
  )
}

function RemoveSkill({ skill: { name, path, fileCount }, onClose }: { skill: Skill; onClose: () => void }) {
  const act = async () => {
    await call('DELETE /api/skills/:name', { params: { name } })
    changes.value++
    showMessage(`${name} removed`)
  }
  return (
    <Confirm title="Remove this skill?" deed="Remove" typed={name} act={act} onClose={onClose}>
      <p class="words">
        {path} is deleted ({countOf(fileCount, 'file')}) and no longer offered to agents.
      </p>
    </Confirm>
  )
}
