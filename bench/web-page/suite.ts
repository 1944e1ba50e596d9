import { writeFileSync } from 'node:fs'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { CDPSession, Page } from 'playwright-core'
import { stringify } from 'yaml'
import { settled, startBrowser } from '../../scripts/browser.js'
import { startMeasuredDaemon } from '../daemon/daemon-process.js'
import { startFakeProvider } from '../daemon/fake-provider.js'
import { fillWorkspace, temporaryWorkspace } from '../daemon/workspace.js'
import { percentile } from '../index/measure.js'

export interface PageFigure {
  page: string
  /**
   * From the request of the page, median of the runs, until the first paint and until the page's main
   * content.
   */
  paintMs: number
  shownMs: number
  /** Processor time of the page until then. */
  taskMs: number
  heapMiB: number
  /** Layout shift while the rest loaded, as browsers score it; above 0.1 is noticeable. */
  shift: number
}

export interface WebPageFigures {
  rows: number
  load: number
  pages: PageFigure[]
  /** From the event to the frame with its result, as the browser measures it. */
  interactions: { what: string; count: number; p50Ms: number; p95Ms: number }[]
  /** Heap of the list after scrolling through all of it. */
  heapAfterMiB: number
  elements: number
}

const shown: Readonly<Record<string, string>> = {
  home: 'text=Saved each week',
  memories: '.table .all .row:nth-child(5)',
  'memories?q=deploy': 'text=matches, best first',
  'recall?q=deploy': 'text=Confidence in the best result',
  'sessions/at work': 'text=memories shown',
  knowledge: 'text=No entities yet',
  sources: 'text=No sources yet',
  tasks: 'text=No tasks yet',
  secrets: 'text=No secrets yet',
  'operations/work': 'text=Workers',
  'operations/diagnostics/tables/memories': '.table .all .row:nth-child(5)',
  settings: 'text=Saved and active',
}

/** Measures the web page in a browser on a workspace of this size. */
export async function runWebPageSuite({ rows = 100_000, runs = 5 } = {}): Promise<WebPageFigures> {
  const provider = await startFakeProvider()
  const { folder, remove } = temporaryWorkspace()
  writeFileSync(join(folder, 'agent.yaml'), stringify({ ...provider.settings, backup: { enabled: false } }))
  try {
    await fillWorkspace(folder, rows)
    const daemon = await startMeasuredDaemon(folder)
    const { context, close } = await startBrowser({ width: 1280, height: 800 })
    try {
      while ((await daemon.ask('GET', '/api/status')).body.index.state !== 'ready') await delay(100)
      await daemon.ask('POST', '/api/memory/recall', { query: 'deploy', sessionKey: 'at work' })
      const page = await context.newPage()
      const pages: PageFigure[] = []
      for (const [name, wanted] of Object.entries(shown))
        pages.push(await openOften(page, `${daemon.url}/ui/#/${name}`, { name, wanted, runs }))
      return {
        rows,
        load: loadavg()[0] ?? 0,
        pages,
        ...(await walkThrough(page, `${daemon.url}/ui/#/memories`)),
      }
    } finally {
      await close()
      await daemon.stop()
    }
  } finally {
    provider.close()
    remove()
  }
}

interface Opening {
  name: string
  wanted: string
  runs: number
}

async function openOften(page: Page, url: string, { name, wanted, runs }: Opening): Promise<PageFigure> {
  const tools = await page.context().newCDPSession(page)
  await tools.send('Performance.enable')
  const paints: number[] = []
  const shows: number[] = []
  const tasks: number[] = []
  const heaps: number[] = []
  const shifts: number[] = []
  for (let run = 0; run < runs; run++) {
    await page.goto('about:blank')
    const before = await metric(tools, 'TaskDuration')
    await page.goto(url)
    await page.locator(wanted).first().waitFor()
    shows.push(await page.evaluate<number>('performance.now()'))
    paints.push(
      await page.evaluate<number>(
        "performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0",
      ),
    )
    tasks.push(1000 * ((await metric(tools, 'TaskDuration')) - before))
    heaps.push(await heapMiB(tools))
    await settled(page)
    shifts.push(await shiftOf(page))
  }
  await tools.detach()
  const median = (of: readonly number[]): number => percentile(of, 0.5)
  return {
    page: name,
    paintMs: median(paints),
    shownMs: median(shows),
    taskMs: median(tasks),
    heapMiB: median(heaps),
    shift: Math.max(...shifts),
  }
}

/** Layout shift without a key or click since the page was opened. */
function shiftOf(page: Page): Promise<number> {
  return page.evaluate<number>(`new Promise(resolve => {
    const moved = []
    new PerformanceObserver(list => moved.push(...list.getEntries().map(({ value }) => value)))
      .observe({ type: 'layout-shift', buffered: true })
    setTimeout(() => resolve(moved.reduce((sum, value) => sum + value, 0)), 200)
  })`)
}

/** Keys, scrolling to the end and a search, each with the delay that the browser reports. */
async function walkThrough(
  page: Page,
  url: string,
): Promise<Pick<WebPageFigures, 'interactions' | 'heapAfterMiB' | 'elements'>> {
  await page.goto('about:blank')
  await page.goto(url)
  await page.locator('.table .all .row:nth-child(5)').waitFor()
  // 16 ms is the lowest threshold that the browser accepts.
  await page.evaluate(`{
    globalThis.delays = []
    new PerformanceObserver(list => delays.push(...list.getEntries().map(({ name, duration }) => [name, duration])))
      .observe({ type: 'event', durationThreshold: 16, buffered: true })
  }`)
  const interactions: WebPageFigures['interactions'] = []
  const during = async (what: string, count: number, act: () => Promise<void>): Promise<void> => {
    await page.evaluate('void (delays.length = 0)')
    for (let one = 0; one < count; one++) await act()
    await delay(300)
    const told = await page.evaluate<[string, number][]>('delays')
    const all = [...told.map(([, ms]) => ms), ...Array.from({ length: count }, () => 16)]
    // Pads with 16 ms for unreported interactions; longer ones replace the padding.
    const longest = all.sort((a, b) => b - a).slice(0, count)
    interactions.push({ what, count, p50Ms: percentile(longest, 0.5), p95Ms: percentile(longest, 0.95) })
  }
  await during('j, the next row', 50, () => page.keyboard.press('j'))
  let jump = 0
  await during('a jump in the list', 20, async () => {
    jump++
    await page.evaluate(
      `{ const box = document.querySelector('.table .rows'); box.scrollTop = box.scrollHeight * ${jump} / 20 }`,
    )
    await page.keyboard.press('Shift')
    await delay(100)
  })
  await page.keyboard.press('/')
  await during('a letter of the search', 12, () => page.keyboard.type('e', { delay: 60 }))
  await page.getByText('matches, best first').waitFor()
  const tools = await page.context().newCDPSession(page)
  await tools.send('Performance.enable')
  return { interactions, heapAfterMiB: await heapMiB(tools), elements: await page.locator('*').count() }
}

/** Measured after a garbage collection, so that only live objects count. */
async function heapMiB(tools: CDPSession): Promise<number> {
  await tools.send('HeapProfiler.collectGarbage')
  return (await metric(tools, 'JSHeapUsedSize')) / 2 ** 20
}

async function metric(tools: CDPSession, name: string): Promise<number> {
  const { metrics } = await tools.send('Performance.getMetrics')
  return metrics.find(one => one.name === name)?.value ?? 0
}

export function formatWebPageSuite({
  rows,
  load,
  pages,
  interactions,
  heapAfterMiB,
  elements,
}: WebPageFigures): string {
  return [
    `${rows.toLocaleString('en')} memories, Chromium, load ${load.toFixed(1)}`,
    '',
    '| page | first paint, ms | shown, ms | processor, ms | heap, MiB | layout shift |',
    '| --- | ---: | ---: | ---: | ---: | ---: |',
    ...pages.map(
      ({ page, paintMs, shownMs, taskMs, heapMiB: heap, shift }) =>
        `| ${page} | ${paintMs.toFixed(0)} | ${shownMs.toFixed(0)} | ${taskMs.toFixed(0)} | ${heap.toFixed(1)} | ${shift.toFixed(3)} |`,
    ),
    '',
    '| interaction | p50, ms | p95, ms |',
    '| --- | ---: | ---: |',
    ...interactions.map(
      ({ what, count, p50Ms, p95Ms }) =>
        `| ${what}, ${count} times | ${p50Ms.toFixed(0)} | ${p95Ms.toFixed(0)} |`,
    ),
    '',
    `after that the list holds ${heapAfterMiB.toFixed(1)} MiB in ${elements} elements`,
  ].join('\n')
}
