/** A segment by its name. */
export interface NamedSegment {
  name: string
  device: string
  number: number
  hash: string
}

/** A checkpoint, or what a device has read: each replaces earlier ones of its device. */
export interface NamedNote {
  kind: 'checkpoint' | 'read'
  name: string
  device: string
  /** Milliseconds. */
  at: number
  hash: string
}

/** A part of a checkpoint by its name. */
export interface NamedPart {
  name: string
  device: string
  bytes: number
}

/** The files of one store. */
export interface StoreFiles {
  /** Rings by the hash in their name. */
  rings: Map<string, string>
  segments: NamedSegment[]
  notes: NamedNote[]
  /** Parts of checkpoints by the hash in their name. */
  parts: Map<string, NamedPart>
  /** Bytes of all segments. */
  segmentBytes: number
  /** Files of devices that ask to belong, and the answers, by tag. */
  requests: Map<string, string>
  answers: Map<string, string>
  /** Files that no device names so: conflict copies, halves of uploads. They are left alone. */
  strange: string[]
}

const numberDigits = 10
const atDigits = 15
const endings = { checkpoint: 'cp', read: 'read' } as const
const epochDigits = 6

export function segmentName({
  store,
  device,
  number,
  hash,
}: Omit<NamedSegment, 'name'> & { store: string }): string {
  return `${store}/${device}/${String(number).padStart(numberDigits, '0')}-${hash}.seg`
}

export function noteName({
  store,
  kind,
  device,
  at,
  hash,
}: Omit<NamedNote, 'name'> & { store: string }): string {
  return `${store}/${device}/${String(at).padStart(atDigits, '0')}-${hash}.${endings[kind]}`
}

export function partName({ store, device, hash }: { store: string; device: string; hash: string }): string {
  return `${store}/${device}/${hash}.part`
}

export function ringName(store: string, epoch: number, hash: string): string {
  return `${store}/rings/${String(epoch).padStart(epochDigits, '0')}-${hash}.ring`
}

export function requestName(store: string, tag: string): string {
  return `${store}/joining/${tag}.req`
}

export function answerName(store: string, tag: string): string {
  return `${store}/joining/${tag}.ok`
}

/** Ids of the stores that files belong to. */
export function storesIn(files: readonly { name: string }[]): string[] {
  const stores = files.flatMap(({ name }) => /^([0-9a-f]{32})\/rings\/[^/]+\.ring$/u.exec(name)?.[1] ?? [])
  return [...new Set(stores)]
}

/** Sorts the files of a store by their names. */
export function sortFiles(files: readonly { name: string; bytes: number }[], store: string): StoreFiles {
  const sorted: StoreFiles = {
    rings: new Map(),
    segments: [],
    notes: [],
    parts: new Map(),
    segmentBytes: 0,
    requests: new Map(),
    answers: new Map(),
    strange: [],
  }
  for (const { name, bytes } of files) {
    if (!name.startsWith(`${store}/`)) continue
    const rest = name.slice(store.length + 1)
    const segment = /^([0-9a-z]{1,16})\/(\d{10})-([0-9a-f]{64})\.seg$/u.exec(rest)
    const note = /^([0-9a-z]{1,16})\/(\d{15})-([0-9a-f]{64})\.(cp|read)$/u.exec(rest)
    const part = /^([0-9a-z]{1,16})\/([0-9a-f]{64})\.part$/u.exec(rest)
    const ring = /^rings\/\d{6}-([0-9a-f]{64})\.ring$/u.exec(rest)
    const joining = /^joining\/([0-9a-z]{1,16})\.(req|ok)$/u.exec(rest)
    if (segment) {
      const [, device = '', number, hash = ''] = segment
      sorted.segments.push({ name, device, number: Number(number), hash })
      sorted.segmentBytes += bytes
    } else if (note) {
      const [, device = '', at, hash = '', ending] = note
      const kind = ending === endings.read ? 'read' : 'checkpoint'
      sorted.notes.push({ kind, name, device, at: Number(at), hash })
    } else if (part?.[2] !== undefined) sorted.parts.set(part[2], { name, device: part[1]!, bytes })
    else if (ring?.[1] !== undefined) sorted.rings.set(ring[1], name)
    else if (joining?.[1] !== undefined)
      sorted[joining[2] === 'req' ? 'requests' : 'answers'].set(joining[1], name)
    // A file of ours that is being written.
    else if (!/\.[0-9a-f-]{36}\.tmp$/u.test(rest)) sorted.strange.push(name)
  }
  sorted.notes.sort((a, b) => b.at - a.at || (a.name < b.name ? -1 : 1))
  sorted.segments.sort((a, b) => a.number - b.number || (a.name < b.name ? -1 : 1))
  return sorted
}
