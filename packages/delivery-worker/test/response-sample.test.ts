import { expect, it } from 'vitest'
import { createResponseSample } from '../src/http/response-sample.ts'

const BEGINNING = 'x'.repeat(1019)

function bodyOf(...chunks: string[]): string | null {
  const sample = createResponseSample({ hidden: ['secret'] })
  sample.began(500, {})
  for (const chunk of chunks) sample.data(Buffer.from(chunk))
  sample.ended()
  return sample.body()
}

it('a secret that the sample cuts off is hidden, also if a chunk ends there', () => {
  expect(bodyOf(`${BEGINNING}secret`)).toBe(`${BEGINNING}…`)
  expect(bodyOf(`${BEGINNING}secre`, 't')).toBe(`${BEGINNING}…`)
})

it('a body as long as the sample is shown as it is', () => {
  expect(bodyOf(`${BEGINNING}secre`)).toBe(`${BEGINNING}secre`)
})
