export interface ParsedSample {
  name: string
  labels: Record<string, string>
  value: number
}

/** Parses the Prometheus text format as strictly as Prometheus does. @throws Error for an invalid line. */
export function parseExposition(text: string) {
  if (!text.endsWith('\n')) throw new Error('the last line has no line break')
  const types = new Map<string, string>()
  const helped = new Set<string>()
  const samples: ParsedSample[] = []
  for (const line of text.slice(0, -1).split('\n')) {
    const told = /^# (HELP|TYPE) ([a-zA-Z_:][\w:]*) (.+)$/u.exec(line)
    if (told) tell(told as unknown as HelpOrTypeLine, { types, helped })
    else samples.push(sampleOf(line, types))
  }
  const seen = new Set(samples.map(({ name, labels }) => name + JSON.stringify(labels)))
  if (seen.size !== samples.length) throw new Error('a series appears twice')
  return {
    types,
    samples,
    read: (name: string, labels: Record<string, string> = {}): number | undefined =>
      samples.find(
        sample =>
          sample.name === name &&
          Object.entries(labels).every(([key, value]) => sample.labels[key] === value),
      )?.value,
  }
}

type HelpOrTypeLine = [line: string, what: 'HELP' | 'TYPE', name: string, text: string]

function tell(
  [line, what, name, text]: HelpOrTypeLine,
  known: { types: Map<string, string>; helped: Set<string> },
): void {
  if (what === 'HELP') {
    if (known.helped.has(name)) throw new Error(`repeated line: ${line}`)
    known.helped.add(name)
    return
  }
  if (known.types.has(name) || !/^(?:counter|gauge|histogram)$/u.test(text)) throw new Error(line)
  known.types.set(name, text)
}

const sampleLine = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (NaN|[+-]Inf|-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)$/u
const label = /([a-zA-Z_]\w*)="((?:[^"\\\n]|\\[\\"n])*)"(?:,|$)/uy

function sampleOf(line: string, types: ReadonlyMap<string, string>): ParsedSample {
  const [, name, inner = '', value] = sampleLine.exec(line) ?? []
  if (name === undefined || value === undefined) throw new Error(`invalid sample: ${line}`)
  const family = types.has(name) ? name : name.replace(/_(?:bucket|sum|count)$/u, '')
  if (!types.has(family)) throw new Error(`without a type: ${line}`)
  const labels: Record<string, string> = {}
  label.lastIndex = 0
  let end = 0
  for (let found = label.exec(inner); found; found = label.exec(inner)) {
    labels[found[1] as string] = found[2] as string
    end = label.lastIndex
  }
  if (end !== inner.length) throw new Error(`broken labels: ${line}`)
  return { name, labels, value: Number(value.replace('Inf', 'Infinity')) }
}
