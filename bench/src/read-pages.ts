import assert from 'node:assert/strict'
import type { Bench, BenchContext } from './bench.ts'
import { atLeast } from './goal.ts'
import { HTTP_HEAD, httpContender, httpRow, startHosts } from './http-contender.ts'
import type { LoadService } from './load.ts'
import { ratioOf, takeTurns } from './rounds.ts'
import { percent } from './table.ts'

/** Pages that the requests read in turn. */
const PAGES = 100

export const listQuotations: Bench = {
  name: 'list-quotations',
  title: 'GET of a page of 50 quotations, against a bare Fastify route with the same indexed query',
  run: (context) =>
    againstBare(context, {
      goal: 'List of quotations, requests/s against a bare route',
      first: '/v1/integrations/quotations',
      barePathAfter: (page) => `/quotations?before=${(page.at(-1) as { id: string }).id}`,
    }),
}

export const readEvents: Bench = {
  name: 'read-events',
  title: 'GET of a page of 50 events, against a bare Fastify route with one indexed query',
  run: (context) =>
    againstBare(context, {
      goal: 'Event feed, requests/s against a bare route',
      first: '/v1/integrations/events',
      barePathAfter: (_, pages, from) => `/events?after=${from + (pages + 1) * 50}`,
    }),
}

interface Reading {
  readonly goal: string
  /** The path of our first page. */
  readonly first: string
  /** The path on the bare route of the page that follows `page`; the first has `pages` before it. */
  readonly barePathAfter: (page: readonly unknown[], pages: number, from: number) => string
}

async function againstBare(context: BenchContext, { goal, first, barePathAfter }: Reading) {
  const { data, partner, bare } = await startHosts(context, { keys: 1000 })
  const [key = ''] = data.apiKeys
  const paths: string[] = []
  const barePaths: string[] = []
  for (let path = first; paths.length < PAGES; ) {
    const answer = await fetch(partner.origin + path, { headers: { 'x-api-key': key } })
    const page = (await answer.json()) as unknown[]
    const [, next = ''] = /<([^<>]*)>/.exec(answer.headers.get('link') ?? '') ?? []
    path = new URL(next, partner.origin + path).href.slice(partner.origin.length)
    barePaths.push(barePathAfter(page, paths.length, data.firstPosition - 1))
    paths.push(path)
  }
  assert.equal(
    await textOf(partner.origin + paths[0], { 'x-api-key': key }),
    await textOf(bare.origin + barePaths[0], {}),
  )

  const client = context.start<LoadService>('./load.js')
  const load = { method: 'GET', body: null, seconds: context.seconds, expectedStatus: 200 } as const
  const [ours, base] = await takeTurns(
    [
      httpContender('integrations', partner, client, { ...load, paths, apiKeys: data.apiKeys }),
      httpContender('bare Fastify', bare, client, { ...load, paths: barePaths, apiKeys: [] }),
    ],
    { rounds: context.rounds, onRound: context.progress },
  )
  assert(ours !== undefined && base !== undefined)
  return {
    head: HTTP_HEAD,
    rows: [httpRow(ours, base), httpRow(base, base)],
    notes: ['Both send the same bytes. Ours also looks up the key, counts a limit and writes a cursor.'],
    goals: [
      atLeast({ goal, value: ratioOf(ours, base, 'perSecond').median, must: 0.6, aim: 0.8, format: percent }),
    ],
  }
}

async function textOf(url: string, headers: Record<string, string>): Promise<string> {
  return (await fetch(url, { headers })).text()
}
