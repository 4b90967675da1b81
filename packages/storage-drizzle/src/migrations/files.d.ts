/** The output of `migrations/index.js`. */
declare module '#migrations' {
  /** SQL by file name, such as `0001_initial.sql` or `functions/ids.sql`. */
  export const files: Readonly<Record<string, string>>
}
