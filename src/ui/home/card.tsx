import type { ComponentChildren } from 'preact'
import type { Loaded } from '../api/loaded.js'
import { Failure, Loading } from '../parts/placeholders.js'

interface CardProps<T> {
  title: string
  isBroad?: boolean
  loaded: Loaded<T>
  children: (value: T) => ComponentChildren
}

/** A box with a loaded value or its error. */
export function Card<T>({ title, isBroad = false, loaded, children }: CardProps<T>) {
  return (
    <section class={isBroad ? 'card broad' : 'card'} aria-label={title}>
      <h2>{title}</h2>
      {loaded.error && <Failure error={loaded.error} retry={loaded.reload} />}
      {loaded.value === undefined && !loaded.error && <Loading />}
      {loaded.value !== undefined && children(loaded.value)}
    </section>
  )
}
