import { useState } from 'preact/hooks'
import { call } from '../api/call.js'
import { changes } from '../api/changes.js'
import { useLoaded } from '../api/loaded.js'
import { Confirm } from '../parts/confirm.js'
import { Failure } from '../parts/failure.js'
import { Check, Field } from '../parts/fields/field.js'
import { showMessage } from '../parts/toast.js'
import { useDebounced } from '../parts/use-interval.js'

interface SelectedSkill {
  name: string
  source: string
}

/** Installs a skill from the public registry or from a repository. */
export function InstallSkill({ onClose }: { onClose: () => void }) {
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
