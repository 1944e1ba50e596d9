import { useState } from 'preact/hooks'
import type { Reply } from '../../contract/api.js'
import { countOf } from '../../lib/text/count-of.js'
import { call } from '../api/call.js'
import { changes, useLoaded } from '../api/loaded.js'
import { may } from '../api/session.js'
import { Confirm, Dialog } from '../parts/dialog.js'
import { Check, Field } from '../parts/fields.js'
import { Empty, Failure, Loading, Stays } from '../parts/placeholders.js'
import { type Column, VirtualTable } from '../parts/table/virtual-table.js'
import { showMessage } from '../parts/toast.js'
import { useDebounced } from '../parts/use-interval.js'
import { Fact, LongText } from '../parts/values.js'

type Skill = Reply<'GET /api/skills'>['skills'][number]
type SkillUsage = Reply<'GET /api/skills/analytics'>['topSkills'][number]

/** Number of skills with usage figures in the table. */
const counted = 100

function columnsWith(used: ReadonlyMap<string, SkillUsage>): readonly Column<Skill>[] {
  return [
    { title: 'Skill', width: 'minmax(8rem, 16rem)', cell: ({ name }) => name },
    { title: 'Description', width: 'minmax(0, 1fr)', wide: true, cell: ({ description }) => description },
    {
      title: 'Problems',
      width: '5rem',
      cell: ({ problems }) => problems.length > 0 && <span class="warn">{problems.length}</span>,
    },
    { title: 'Used', width: '10rem', cell: ({ name }) => usedWords(used.get(name)) },
    {
      title: 'Version',
      width: '6rem',
      wide: true,
      cell: ({ version }) => <span class="dim">{version}</span>,
    },
  ]
}

function usedWords(used: SkillUsage | undefined) {
  if (!used) return <span class="dim">never</span>
  return `${used.count}, ${Math.round((100 * used.successCount) / used.count)} % successful`
}

/** Installed skills with their usage. */
export function Skills() {
  const [open, setOpen] = useState<string>()
  const [isInstalling, setInstalling] = useState(false)
  const loaded = useLoaded(signal => call('GET /api/skills', {}, { signal }), [changes.value])
  const analytics = useLoaded(
    signal => call('GET /api/skills/analytics', { query: { limit: counted } }, { signal }),
    [],
  )
  const skills = loaded.value?.skills
  const used = new Map(analytics.value?.topSkills.map(one => [one.skillName, one]))
  const install = may('admin') && (
    <p>
      <button type="button" onClick={() => setInstalling(true)}>
        Install…
      </button>
    </p>
  )
  return (
    <>
      {loaded.error && <Failure error={loaded.error} retry={loaded.reload} />}
      {!skills && !loaded.error && <Loading />}
      {skills?.length === 0 ? (
        <Empty title="No skills installed">
          <p>A skill is a folder of instructions for agents, such as how to review a change.</p>
          {install}
        </Empty>
      ) : (
        install
      )}
      {loaded.value?.skipped.map(({ name, reason }) => (
        <p key={name} class="warn words">
          {name}: {reason}
        </p>
      ))}
      {skills && skills.length > 0 && (
        <VirtualTable
          label="Skills"
          columns={columnsWith(used)}
          count={skills.length}
          rowAt={position => skills[position]}
          keyOf={({ name }) => name}
          onOpen={({ name }) => setOpen(name)}
        />
      )}
      <Stays stays={loaded.value?.stays} things="skills" />
      {open !== undefined && <SkillDialog name={open} onClose={() => setOpen(undefined)} />}
      {isInstalling && <InstallSkill onClose={() => setInstalling(false)} />}
    </>
  )
}

interface SelectedSkill {
  name: string
  source: string
}

/** Installs a skill from the public registry or from a repository. */
function InstallSkill({ onClose }: { onClose: () => void }) {
  const [{ name, source }, setChosen] = useState<SelectedSkill>({ name: '', source: '' })
  const [replace, setReplace] = useState(false)
  const act = async () => {
    const body = { name: name.trim(), source: source.trim() || undefined, replace }
    const installed = await call('POST /api/skills/install', { body })
    changes.value++
    showMessage(`${installed.name} installed from ${installed.source}`)
  }
  return (
    <Confirm
      title="Install a skill"
      deed="Install"
      act={act}
      onClose={onClose}
      isReady={name.trim() !== ''}
      isMild
    >
      <div class="stack">
        <Registry chosen={{ name, source }} onChoose={setChosen} />
        <Field
          label="Name"
          value={name}
          onInput={text => setChosen(before => ({ ...before, name: text }))}
          required
        />
        <Field
          label="Source"
          value={source}
          onInput={text => setChosen(before => ({ ...before, source: text }))}
          hint="owner/repository, https://…, git@…, or a package. Default: the source in the registry."
        />
        <p class="warn">A skill instructs agents: install only what you trust.</p>
        <Check checked={replace} onChange={setReplace}>
          Replace an installed skill of this name
        </Check>
      </div>
    </Confirm>
  )
}

/** Matching skills of the registry. */
function Registry({
  chosen,
  onChoose,
}: {
  chosen: SelectedSkill
  onChoose: (chosen: SelectedSkill) => void
}) {
  const [q, setQ] = useState('')
  const asked = useDebounced(q.trim(), 400)
  const found = useLoaded(
    signal =>
      asked === '' ? undefined : call('GET /api/skills/search', { query: { q: asked } }, { signal }),
    [asked],
  )
  return (
    <>
      <Field
        label="Search"
        value={q}
        onInput={setQ}
        hint="The search is sent to the public registry of skills."
      />
      {found.error && <Failure error={found.error} />}
      {found.value?.error && <p class="bad words">{found.value.error}</p>}
      {found.value && !found.value.error && found.value.results.length === 0 && (
        <p class="dim">No matching skills.</p>
      )}
      <ul class="plain-list lined">
        {found.value?.results.slice(0, 8).map(({ name, source, description, installed, installs }) => (
          <li key={`${name} ${source}`}>
            <button
              type="button"
              class="choice"
              aria-pressed={name === chosen.name && (source ?? '') === chosen.source}
              onClick={() => onChoose({ name, source: source ?? '' })}
            >
              <span class="clip">
                {name} <span class="dim">{description}</span>
              </span>
              <span class="dim">{installed ? 'installed' : installs?.toLocaleString()}</span>
            </button>
          </li>
        ))}
      </ul>
    </>
  )
}

type WholeSkill = Reply<'GET /api/skills/:name'>

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

function SkillFacts({ skill }: { skill: WholeSkill }) {
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

function RemoveSkill({
  skill: { name, path, fileCount },
  onClose,
}: {
  skill: WholeSkill
  onClose: () => void
}) {
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
