import { type Signal, signal } from '@preact/signals'

/** What becomes of a file that was imported before. */
export type DuplicateMode = 'skip' | 'replace' | 'reimport'

/** What became of a file. */
export interface Outcome {
  state: 'imported' | 'duplicate' | 'failed'
  /** Why it failed. */
  reason?: string | undefined
  sourceId?: string | null
}

export interface Upload extends Omit<Outcome, 'state'> {
  id: number
  file: File
  mode: DuplicateMode
  state: 'waiting' | 'sending' | Outcome['state']
}

interface UploadQueue {
  uploads: Signal<readonly Upload[]>
  /** Sends them one after the other, behind those that wait; resolves at once where others are at work. */
  add(files: readonly File[], mode: DuplicateMode): Promise<void>
  /** Forgets those that came to an end. */
  forget(): void
}

/** Files in their order, each with its own progress and its own reason. @param send never fails */
export function uploadQueue(send: (upload: Upload) => Promise<Outcome>): UploadQueue {
  const uploads = signal<readonly Upload[]>([])
  const sending = { isAtWork: false, next: 1 }
  const waiting = () => uploads.value.find(({ state }) => state === 'waiting')
  const change = (id: number, changed: Partial<Upload>): void => {
    uploads.value = uploads.value.map(upload => (upload.id === id ? { ...upload, ...changed } : upload))
  }
  return {
    uploads,
    add: async (files, mode) => {
      const added = files.map((file): Upload => ({ id: sending.next++, file, mode, state: 'waiting' }))
      uploads.value = [...uploads.value, ...added]
      if (sending.isAtWork) return
      sending.isAtWork = true
      for (let next = waiting(); next; next = waiting()) {
        change(next.id, { state: 'sending' })
        change(next.id, await send(next))
      }
      sending.isAtWork = false
    },
    forget: () => {
      uploads.value = uploads.value.filter(({ state }) => state === 'waiting' || state === 'sending')
    },
  }
}
