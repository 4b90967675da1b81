import { expect, it } from 'vitest'
import { type Delivery, LANGUAGES, MISCONFIGURED, missingFor, verdictsOf } from './support/languages.ts'
import vectors from './vectors.json' with { type: 'json' }

interface Vector {
  readonly name: string
  readonly secrets: readonly string[]
  readonly now: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly expected: string
  /** Correctly signed, in a form that verify() refuses; receivers that check only the signature may accept it. */
  readonly fits?: boolean
}

const cases: readonly Vector[] = vectors

function deliveryOf({ now, headers, secrets, body }: Vector): Delivery {
  const header = (name: string) => headers[`X-Service-${name}`] ?? ''
  const [timestamp, signature] = [header('Timestamp'), header('Signature')]
  return { now, timestamp, signature, previous: header('Signature-Previous'), secrets, body }
}

/** The snippets check only signature and time, not that the body is an event. */
function isGenuine({ expected }: Vector): boolean {
  return expected === 'valid' || expected === 'MALFORMED_BODY'
}

it.for(LANGUAGES)(
  '$name: the receiver of the guide agrees with every test vector',
  { timeout: 300_000 },
  (language, { skip }) => {
    const missing = missingFor(language)
    skip(missing.length > 0, `${missing.join(' and ')} is not installed`)

    const printed = verdictsOf(language, cases.map(deliveryOf))
    const verdicts = cases.map(({ name }, index) => ({ name, verdict: printed[index] }))
    const expected = cases.map((vector, index) => ({
      name: vector.name,
      verdict: vector.fits ? printed[index] : isGenuine(vector) ? 'valid' : 'refused',
    }))
    expect(verdicts).toEqual(expected)
    expect(printed.filter((verdict) => !/^(valid|refused)$/.test(verdict))).toEqual([])

    // An unset variable must not become a guessable key, nor a line break after the secret a forgery.
    const delivery = deliveryOf(cases[0] as Vector)
    const misconfigured = MISCONFIGURED.map(([, mistake]) => ({
      ...delivery,
      secrets: delivery.secrets.map(mistake),
    }))
    expect(verdictsOf(language, misconfigured)).toEqual(MISCONFIGURED.map(([error]) => error))
  },
)
