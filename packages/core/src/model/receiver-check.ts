import type { Static } from '@sinclair/typebox'
import { described, Nullable, OneOf, schemaOf } from '../lib/schema.ts'
import { Type } from '../lib/type.ts'
import type { EventCatalog } from './event-catalog.ts'

/** The deliveries of a receiver check. */
export const CHECK_KINDS = ['genuine', 'forged', 'old', 'repeated', 'previous_secret'] as const
export type CheckKind = (typeof CHECK_KINDS)[number]

/** The responses of a good receiver. */
const EXPECTED: Readonly<Record<CheckKind, '2xx' | '4xx'>> = {
  genuine: '2xx',
  forged: '4xx',
  old: '4xx',
  repeated: '2xx',
  previous_secret: '2xx',
}

/** How old the timestamp of `old` is. Receivers accept five minutes. */
const AGE_MS = 600_000

/** The time with which an attempt is signed; `kind` is null if it is not part of a check. */
export function signedAt(attemptedAt: Date, kind: CheckKind | null): Date {
  return kind === 'old' ? new Date(attemptedAt.getTime() - AGE_MS) : attemptedAt
}

export const NullableCheckKind = Nullable(
  OneOf(CHECK_KINDS),
  'Which delivery of a receiver check it is; null for any other. `forged` has wrong signatures, `old` a timestamp of ten minutes before, `previous_secret` only the signature of the previous secret.',
)

export const receiverCheckBody = schemaOf(({ types }: EventCatalog) =>
  Type.Object(
    {
      event_type: Type.Optional(
        OneOf(types, { description: 'One of the event types of the endpoint. Default: its first.' }),
      ),
    },
    { title: 'ReceiverCheckRequest' },
  ),
)
export type ReceiverCheckBody = Static<ReturnType<typeof receiverCheckBody>>

const Line = Type.Object({
  kind: OneOf(CHECK_KINDS),
  expected: OneOf(['2xx', '4xx'], { description: 'The response of a good receiver.' }),
  http_status: Nullable(Type.Integer()),
  error: Nullable(Type.String()),
  passed: Type.Boolean({
    description:
      'Whether the response was the expected one. 429 never is: it says nothing about the delivery.',
  }),
})
export type CheckLine = Static<typeof Line>

/** The result of a check. The status is 200 whatever the receiver answers. */
export const ReceiverCheck = Type.Object(
  {
    verdict: Type.String({ description: 'What to do first, in a sentence.' }),
    results: described(Type.Array(Line), '`previous_secret` only during the overlap of a rotation.'),
  },
  { title: 'ReceiverCheck' },
)
export type ReceiverCheck = Static<typeof ReceiverCheck>

export function checkLine(
  kind: CheckKind,
  { http_status, error }: { readonly http_status: number | null; readonly error: string | null },
): CheckLine {
  const expected = EXPECTED[kind]
  const passed = http_status !== 429 && classOf(http_status) === expected
  return { kind, expected, http_status, error, passed }
}

/** All verdicts. The portal has them in other languages. */
export const CHECK_VERDICTS = {
  accepts_forged: 'The receiver accepts forged signatures: verify the signature before anything else.',
  asks_for_pause: 'The receiver answered 429, which says nothing about the delivery: check it again later.',
  silent: 'The receiver did not answer the genuine event: see its error.',
  redirects: 'The receiver redirects, which is not followed: set the URL to which it redirects.',
  gone: 'The receiver answered the genuine event with 410, which ends its delivery: respond with 2xx.',
  refuses_genuine:
    'The receiver refuses genuine events: use the secret of this endpoint, and verify the raw body.',
  fails: 'The receiver fails on genuine events: see its log.',
  accepts_old:
    'The receiver accepts old deliveries: refuse a timestamp more than five minutes from your clock.',
  refuses_repeated:
    'The receiver refuses an event that it already has: respond with 2xx, because events can arrive more than once and anything else is sent again.',
  incomplete: 'The receiver did not answer every delivery: see the errors, and check it again.',
  fails_on_refusal:
    'The receiver does not refuse forged or old deliveries with 4xx: respond with 401 or 400.',
  refuses_previous:
    'The receiver works, but refuses the previous secret: accept it until the overlap ends, unless you have already replaced it.',
  works: 'The receiver works: it accepts genuine and repeated events, and refuses forged and old ones.',
} as const
type Verdict = keyof typeof CHECK_VERDICTS

/** The most serious finding. */
export function verdictOf(results: readonly CheckLine[]): string {
  return CHECK_VERDICTS[findingOf(results)]
}

function findingOf(results: readonly CheckLine[]): Verdict {
  const of = (kind: CheckKind) => results.find((line) => line.kind === kind)
  const accepts = (kind: CheckKind) => classOf(of(kind)?.http_status ?? null) === '2xx'
  if (accepts('forged')) return 'accepts_forged'
  if (results.some(({ http_status }) => http_status === 429)) return 'asks_for_pause'
  if (!accepts('genuine')) return troubleOf(of('genuine')?.http_status ?? null)
  if (accepts('old')) return 'accepts_old'
  if (results.some(({ http_status }) => http_status === null)) return 'incomplete'
  if (!accepts('repeated')) return 'refuses_repeated'
  if (!of('forged')?.passed || !of('old')?.passed) return 'fails_on_refusal'
  return results.every(({ passed }) => passed) ? 'works' : 'refuses_previous'
}

/** Why the genuine event was not accepted. */
function troubleOf(status: number | null): Verdict {
  if (status === null) return 'silent'
  if (status === 410) return 'gone'
  const trouble: Readonly<Record<string, Verdict>> = { '3xx': 'redirects', '4xx': 'refuses_genuine' }
  return trouble[classOf(status) ?? ''] ?? 'fails'
}

function classOf(status: number | null): string | null {
  return status === null ? null : `${Math.floor(status / 100)}xx`
}
