import { signal } from '@preact/signals'

export const isPaletteOpen = signal(false)

/** Opens the palette of Ctrl-K (`src/ui/frame/palette.tsx`), from any page. */
export function openPalette(): void {
  isPaletteOpen.value = true
}
