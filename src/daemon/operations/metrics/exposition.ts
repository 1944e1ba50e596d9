/** One value of a metric; `suffix` marks the parts of a histogram. */
export interface Sample {
  suffix?: '_bucket' | '_sum' | '_count'
  labels?: Readonly<Record<string, string>>
  value: number
}

/** A metric with all its values; HELP and TYPE are written even without values. */
export interface Metric {
  name: string
  help: string
  type: 'counter' | 'gauge' | 'histogram'
  samples: readonly Sample[]
}

/** Renders metrics in the Prometheus text format, version 0.0.4. */
export function exposition(metrics: readonly Metric[]): string {
  return metrics.map(metricText).join('')
}

/** A metric with one value and no labels. */
export function singleMetric(type: 'counter' | 'gauge', name: string, help: string, value: number): Metric {
  return { name, help, type, samples: [{ value }] }
}

/** One sample per state: 1 for the current state, 0 for the others. */
export function states<S extends string>(label: string, all: readonly S[], holding: S): Sample[] {
  return all.map(state => ({ labels: { [label]: state }, value: state === holding ? 1 : 0 }))
}

function metricText({ name, help, type, samples }: Metric): string {
  const lines = samples.map(
    ({ suffix = '', labels, value }) => `${name}${suffix}${labels ? labelText(labels) : ''} ${number(value)}`,
  )
  return `${[`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines].join('\n')}\n`
}

function labelText(labels: Readonly<Record<string, string>>): string {
  return `{${Object.entries(labels)
    .map(([label, value]) => `${label}="${value.replace(/[\\"]/gu, '\\$&').replaceAll('\n', '\\n')}"`)
    .join(',')}}`
}

function number(value: number): string {
  if (Number.isFinite(value)) return String(value)
  if (Number.isNaN(value)) return 'NaN'
  return value > 0 ? '+Inf' : '-Inf'
}
