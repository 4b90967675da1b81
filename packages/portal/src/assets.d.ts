/** What `scripts/bundle.mjs` makes of `ui`. It is a module, so that any bundler and any container has it. */
declare module '#assets' {
  /** The name of the page's script in `files`. */
  export const script: string
  /** The name of the page's style sheet in `files`. */
  export const style: string
  /** The files of the page by name. Their names hold a hash of what is in them. */
  export const files: Readonly<Record<string, string>>
  /** The script that defines the element. */
  export const element: string
}
