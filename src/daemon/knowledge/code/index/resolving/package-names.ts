/** Package names and path aliases of the project. */
export interface Manifests {
  /** From package.json, with its main file, go.mod and Cargo.toml. */
  packages: readonly { kind: 'npm' | 'go' | 'cargo'; name: string; folder: string; main?: string }[]
  /** `paths` and `baseUrl` of tsconfig.json: a prefix and its replacement. */
  aliases: readonly { from: string; to: string }[]
}
