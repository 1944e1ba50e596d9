/** Names that packages of the project give themselves, with the folders that they stand for. */
export interface Manifests {
  /** Of package.json, with the file that it begins at, of go.mod and Cargo.toml. */
  packages: readonly { kind: 'npm' | 'go' | 'cargo'; name: string; folder: string; main?: string }[]
  /** `paths` and `baseUrl` of tsconfig.json: a beginning, and what stands for it. */
  aliases: readonly { from: string; to: string }[]
}
