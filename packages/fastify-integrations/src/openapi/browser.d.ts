/** The output of `browser/index.js`. */
declare module '#browser' {
  /** swagger-ui, and our settings for it. */
  export const script: string
  export const swaggerUi: string
  export const swaggerUiDark: string
  /** Our own style sheet, over that of swagger-ui. */
  export const own: string
}
