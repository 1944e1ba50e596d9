import type { ComponentChildren } from 'preact'

/** One item of a list of facts (`<dl class="facts">`). */
export function Fact({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{title}</dt>
      <dd>{children}</dd>
    </div>
  )
}
