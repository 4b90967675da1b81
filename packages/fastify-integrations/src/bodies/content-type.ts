import { malformed } from './read-body.ts'

/** What the `Content-Type` of a form says. */
export interface FormType {
  readonly boundary: string
  /** Of the names in the headers of its parts. null: undeclared. */
  readonly charset: string | null
}

/** @throws IntegrationError MALFORMED_REQUEST without a boundary */
export function formTypeOf(contentType: string): FormType {
  const [, quoted, plain] =
    /;\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))\s*(?:;|$)/i.exec(contentType) ?? []
  const boundary = quoted ?? plain
  if (boundary === undefined) {
    throw malformed('The Content-Type needs a boundary of 1 to 70 characters.')
  }
  return { boundary, charset: charsetOf(contentType) }
}

/** The declared charset; null if there is none. */
export function charsetOf(contentType: string): string | null {
  const [, quoted, plain] = /;\s*charset=(?:"([^"]*)"|([^\s;"]*))/i.exec(contentType) ?? []
  return quoted?.trim() || plain || null
}
