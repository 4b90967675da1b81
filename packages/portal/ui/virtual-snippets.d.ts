declare module 'virtual:snippets' {
  /** A receiver's verification by language, out of the guides, whose code our tests run. */
  export const snippets: Readonly<Record<'js' | 'python' | 'go' | 'ruby' | 'php' | 'java', string>>
}
