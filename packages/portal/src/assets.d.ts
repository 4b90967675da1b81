/** The output of `scripts/bundle.mjs` from `ui`. It is a module, so that any bundler or container includes it. */
declare module '#assets' {
  /** The name of the page's script in `files`. */
  export const script: string
  /** The names of what that script imports, to be loaded at once. */
  export const preloads: readonly string[]
  /** The name of the page's style sheet in `files`. */
  export const style: string
  /** The files of the page and the element by name. The names contain a hash of the content. */
  export const files: Readonly<Record<string, string>>
  /** The script that defines the element, and imports the rest from `files`. */
  export const element: string
  /** The keys of the texts, which a host may replace. */
  export const messageKeys: readonly string[]
}
