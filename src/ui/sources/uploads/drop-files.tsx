import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'

interface DropFilesProps {
  /** What happens to them, for who drags: `import them`. */
  does: string
  onFiles: (files: readonly File[]) => void
}

/** Takes files that are dropped anywhere on the page while it is there, and says so while they are held over it. */
export function DropFiles({ does, onFiles }: DropFilesProps) {
  const [isOver, setOver] = useState(false)
  useEffect(() => {
    const over = (event: DragEvent): void => {
      if (!event.dataTransfer?.types.includes('Files')) return
      event.preventDefault()
      setOver(true)
    }
    const leave = (event: DragEvent): void => {
      if (event.relatedTarget === null) setOver(false)
    }
    const drop = (event: DragEvent): void => {
      const files = [...(event.dataTransfer?.files ?? [])]
      setOver(false)
      if (files.length === 0) return
      event.preventDefault()
      onFiles(files)
    }
    addEventListener('dragover', over)
    addEventListener('dragleave', leave)
    addEventListener('drop', drop)
    return () => {
      removeEventListener('dragover', over)
      removeEventListener('dragleave', leave)
      removeEventListener('drop', drop)
    }
  }, [onFiles])
  return isOver ? <div class="drop">Drop the files to {does}</div> : null
}

interface ChooseFilesProps {
  onFiles: (files: readonly File[]) => void
  children: ComponentChildren
}

/** The same by a button. */
export function ChooseFiles({ onFiles, children }: ChooseFilesProps) {
  return (
    <label class="as-button">
      {children}
      <input
        type="file"
        multiple
        class="unseen"
        onChange={event => {
          onFiles([...(event.currentTarget.files ?? [])])
          event.currentTarget.value = ''
        }}
      />
    </label>
  )
}
