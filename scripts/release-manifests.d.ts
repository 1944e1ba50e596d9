export interface Release {
  name: string
  version: string
  description: string
  license: string
}

export function manifestsOf(
  release: Release,
  sha256: string,
  setup?: { url: string; sha256: string },
): Record<string, string>
