declare module 'virtual:snippets' {
  /** Verification code by language, from the guides, where our tests run it. */
  export const snippets: Readonly<Record<'js' | 'python' | 'go' | 'ruby' | 'php' | 'java', string>>
}
