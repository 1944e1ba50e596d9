import { useEffect, useRef } from 'preact/hooks'

interface LongTextProps {
  label: string
  text: string
  /** Scrolls to the end while the text grows. */
  followsEnd?: boolean
}

/** A long text in a scrollable box. */
export function LongText({ label, text, followsEnd = false }: LongTextProps) {
  const box = useRef<HTMLElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: scrolls when the text changes
  useEffect(() => {
    if (followsEnd) box.current?.scrollTo(0, box.current.scrollHeight)
  }, [text, followsEnd])
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: without a mouse, only a focused element scrolls
    <section ref={box} class="long-text" tabIndex={0} aria-label={label}>
      <pre>{text}</pre>
    </section>
  )
}
