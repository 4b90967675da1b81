/** The output of `browser/index.js`. */
declare module '#browser' {
  /** swagger-ui, and our settings for it. */
  export const script: string
  export const style: string
}
