import { itWith } from '@quickquote/dev-servers/vitest'
import { expect } from 'vitest'
import { blocksOf, readGuide, useGuideShell } from './guide-shell.ts'

const shell = useGuideShell()

async function run(lines: string): Promise<string> {
  return (await shell.run(lines)).stdout.trim()
}

itWith('curl')('every line of the guide to the event feed works', async () => {
  const [first = '', second = '', wait = ''] = blocksOf(await readGuide('event-feed'), 'sh')
  await run(`curl -sS "$BASE_URL/v1/integrations/quotations" -H "X-API-Key: $API_KEY" \\
    -H 'Content-Type: application/json' -d '{ "requirementsText": "Invoices." }'`)
  await expect
    .poll(() => run(`curl -sS "$BASE_URL/v1/integrations/events" -H "X-API-Key: $API_KEY"`))
    .toContain('"type":"quotation.completed"')
  expect(await run(first)).toMatch(
    /^link: <http:\/\/[\d.:]+\/v1\/integrations\/events\?limit=2&after=[\w-]+>; rel="next"$/i,
  )
  expect(JSON.parse(await run(second)).map(({ type }: { type: string }) => type)).toEqual([
    'quotation.work_breakdown.completed',
    'quotation.effort_estimation.completed',
  ])
  expect(await run(wait)).toBe('[]')
})
