import type { Static } from '@sinclair/typebox'
import { ERRORS, type ErrorCode, type IntegrationError } from './errors.ts'
import { Type } from './type.ts'

export const PROBLEM_MEDIA_TYPE = 'application/problem+json'

export const DEFAULT_PROBLEM_TYPE_BASE = 'urn:problem-type:quickquote:'

/** An error as it is sent (RFC 9457). */
export const Problem = Type.Object(
  {
    type: Type.String({ format: 'uri', description: 'Identifies the kind of problem. Stable.' }),
    title: Type.String({ description: 'A summary of the kind of problem.' }),
    status: Type.Integer({ description: 'The HTTP status.' }),
    detail: Type.String({ description: 'What happened, or what to do about it.' }),
    instance: Type.String({ description: 'The request ID, as in `X-Request-Id`.' }),
    code: Type.Unsafe<ErrorCode>({
      description: 'A stable code for programs.',
      type: 'string',
      enum: Object.keys(ERRORS),
    }),
    errors: Type.Optional(
      Type.Array(
        Type.Object({
          pointer: Type.String({
            description: 'A JSON pointer into the body; `:name` or `?name` for a part of the URL.',
          }),
          detail: Type.String({ description: 'What is allowed.' }),
        }),
        { description: 'The invalid fields, for a validation failure.' },
      ),
    ),
  },
  { title: 'Problem' },
)
export type Problem = Static<typeof Problem>

/** The problem document of an error. Without its own message, it carries the advice. */
export function problemOf(
  error: Pick<IntegrationError, 'code' | 'message' | 'errors'> & { readonly status?: number },
  context: { typeBase: string; requestId: string },
): Problem {
  const { title, advice, ...ofCode } = ERRORS[error.code]
  return {
    type: problemType(error.code, context.typeBase),
    title,
    status: error.status ?? ofCode.status,
    detail: error.message === title ? advice : error.message,
    instance: context.requestId,
    code: error.code,
    ...(error.errors.length > 0 ? { errors: [...error.errors] } : {}),
  }
}

export function problemType(code: ErrorCode, typeBase: string): string {
  return typeBase + code
}
